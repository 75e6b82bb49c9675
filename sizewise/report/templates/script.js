"use strict";
const readout = document.getElementById("readout");
const show = (text, x, y) => {
  readout.textContent = text;
  readout.hidden = false;
  const limit = [innerWidth - readout.offsetWidth - 8, innerHeight - readout.offsetHeight - 8];
  readout.style.left = `${Math.max(8, Math.min(x, limit[0]))}px`;
  readout.style.top = `${Math.max(8, Math.min(y, limit[1]))}px`;
};
const hide = () => { readout.hidden = true; };
const follow = (element, describe, leave = hide) => {
  const tell = (event) => show(describe(event, element.getBoundingClientRect()), event.clientX + 14, event.clientY + 14);
  element.addEventListener("pointermove", tell);
  element.addEventListener("pointerdown", tell);
  element.addEventListener("pointerleave", leave);
};

// Terms: the explanation at the end of the page, shown beside the term on hover and on focus.
let open = null;
const explain = (term) => {
  open = term;
  if (term === null) { hide(); return; }
  const box = term.getBoundingClientRect();
  show(document.getElementById(term.getAttribute("aria-describedby")).textContent, box.left, box.bottom + 6);
};
for (const term of document.querySelectorAll("[aria-describedby]")) {
  for (const event of ["pointerenter", "focus"]) term.addEventListener(event, () => explain(term));
  for (const event of ["pointerleave", "blur"]) term.addEventListener(event, () => explain(null));
}
addEventListener("keydown", (event) => { if (event.key === "Escape") explain(null); });
addEventListener("scroll", () => { if (open !== null) explain(open); }, { capture: true, passive: true });

// Tables: a click on a heading sorts by that column, a second click in reverse; wide tables say that they scroll.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const key = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  const compare = (left, right) => {
    const [a, b] = [Number(left), Number(right)];
    return left !== "" && right !== "" && !Number.isNaN(a) && !Number.isNaN(b) ? a - b : left.localeCompare(right);
  };
  headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].sort((left, right) => compare(key(left, column), key(right, column)));
    body.append(...(down ? rows.reverse() : rows));
  }));
  const scroller = table.parentElement;
  const mark = () => {
    const rest = scroller.scrollWidth - scroller.clientWidth;
    scroller.parentElement.classList.toggle("wide", rest > 1);
    scroller.parentElement.classList.toggle("more", scroller.scrollLeft < rest - 1);
  };
  scroller.addEventListener("scroll", mark);
  new ResizeObserver(mark).observe(scroller);
}

// Heat maps: the value of the pixel under the pointer or finger.
for (const figure of document.querySelectorAll(".heat")) {
  const map = JSON.parse(figure.querySelector("script").textContent);
  const index = (position, length, count) => Math.max(0, Math.min(count - 1, Math.floor((position / length) * count)));
  follow(figure.querySelector("img"), (event, box) => {
    const row = index(event.clientY - box.top, box.height, map.values.length);
    const column = index(event.clientX - box.left, box.width, map.values[0].length);
    return `${map.rows} ${row * map.step[0]}, ${map.columns} ${column * map.step[1]}\n${map.what} ${map.values[row][column]}`;
  });
}

// Curves: the response at the frequency under the pointer.
for (const chart of document.querySelectorAll(".chart")) {
  const mark = chart.querySelector(".pointer");
  const curve = JSON.parse(chart.querySelector("script").textContent);
  follow(chart.querySelector("svg"), (event, box) => {
    const x = ((event.clientX - box.left) / box.width) * curve.width;
    let nearest = 0;
    curve.places.forEach((place, index) => {
      if (Math.abs(place - x) < Math.abs(curve.places[nearest] - x)) nearest = index;
    });
    mark.removeAttribute("hidden");
    mark.setAttribute("transform", `translate(${curve.places[nearest]})`);
    return curve.texts[nearest];
  }, () => { hide(); mark.setAttribute("hidden", ""); });
}

// Viewer: two images of the page under one handle, or in turn; both are enlarged and moved together.
for (const viewer of document.querySelectorAll(".viewer")) {
  const MAX_ZOOM = 64;
  const frame = viewer.querySelector(".frame");
  const split = frame.querySelector("input");
  const flicker = viewer.querySelector(".flicker");
  const images = frame.querySelectorAll("img");
  const selects = viewer.querySelectorAll("select");
  const view = { zoom: 1, x: 0, y: 0 }; // x, y: the top left corner, as fractions of the image
  let timer = 0;
  const draw = () => {
    const limit = 1 - 1 / view.zoom;
    view.x = Math.max(0, Math.min(limit, view.x));
    view.y = Math.max(0, Math.min(limit, view.y));
    for (const image of images) {
      image.style.transform = `scale(${view.zoom}) translate(${-100 * view.x}%, ${-100 * view.y}%)`;
    }
    frame.classList.toggle("zoomed", view.zoom > 1);
    viewer.querySelector("output").textContent = `${Math.round(view.zoom * 10) / 10}×`;
  };
  const choose = () => selects.forEach((select, side) => {
    const picture = document.getElementById(select.value);
    images[side].src = picture.src;
    images[side].alt = picture.alt;
    frame.querySelectorAll(".tag")[side].textContent = select.selectedOptions[0].text;
  });
  const zoomTo = (zoom, x = 0.5, y = 0.5) => { // keeps the point at these fractions of the frame
    const next = Math.max(1, Math.min(MAX_ZOOM, zoom));
    view.x += x / view.zoom - x / next;
    view.y += y / view.zoom - y / next;
    view.zoom = next;
    draw();
  };
  const reveal = (share) => {
    frame.style.setProperty("--split", `${share}%`);
    const [left, right] = frame.querySelectorAll(".tag");
    left.hidden = share <= 0;
    right.hidden = share >= 100;
  };
  const stop = () => {
    clearInterval(timer);
    frame.classList.remove("flickering");
    flicker.setAttribute("aria-pressed", "false");
    reveal(split.value);
  };
  selects.forEach((select) => select.addEventListener("change", choose));
  split.addEventListener("input", () => reveal(split.value));
  flicker.addEventListener("click", () => {
    if (flicker.getAttribute("aria-pressed") === "true") { stop(); return; }
    let isRight = false;
    const swap = () => { isRight = !isRight; reveal(isRight ? 0 : 100); };
    flicker.setAttribute("aria-pressed", "true");
    frame.classList.add("flickering");
    swap();
    timer = setInterval(swap, 700);
  });
  for (const button of viewer.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoomTo(view.zoom * button.dataset.zoom));
  }
  for (const button of viewer.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => {
      const [left, top, width, height] = button.dataset.go === "all" ? [0, 0, 1, 1] : viewer.dataset.window.split(" ").map(Number);
      view.zoom = Math.max(1, Math.min(MAX_ZOOM, 1 / Math.max(width, height)));
      Object.assign(view, { x: left + (width - 1 / view.zoom) / 2, y: top + (height - 1 / view.zoom) / 2 });
      draw();
    });
  }
  frame.addEventListener("dblclick", (event) => {
    const box = frame.getBoundingClientRect();
    zoomTo(view.zoom * 2, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
  frame.addEventListener("pointerdown", (event) => {
    if (event.target === split || view.zoom === 1) return;
    frame.setPointerCapture(event.pointerId);
    const [startX, startY] = [view.x, view.y];
    const move = (to) => {
      view.x = startX - (to.clientX - event.clientX) / frame.clientWidth / view.zoom;
      view.y = startY - (to.clientY - event.clientY) / frame.clientHeight / view.zoom;
      draw();
    };
    frame.addEventListener("pointermove", move);
    for (const end of ["pointerup", "pointercancel"]) {
      frame.addEventListener(end, () => frame.removeEventListener("pointermove", move), { once: true });
    }
  });
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.target !== frame || step === undefined) return;
    event.preventDefault();
    view.x += step[0] / 8 / view.zoom;
    view.y += step[1] / 8 / view.zoom;
    draw();
  });
  viewer.hidden = false;
  choose();
  draw();
  reveal(split.value);
}
