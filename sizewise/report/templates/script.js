"use strict";
// Tables: a click on a heading sorts by that column, a second click in reverse.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const key = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  const compare = (left, right) => {
    const [a, b] = [Number(left), Number(right)];
    return left !== "" && right !== "" && !Number.isNaN(a) && !Number.isNaN(b) ? a - b : left.localeCompare(right);
  };
  headings.forEach((heading, column) => heading.querySelector("button")?.addEventListener("click", () => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].sort((left, right) => compare(key(left, column), key(right, column)));
    body.append(...(down ? rows.reverse() : rows));
  }));
}

// Heat maps: show the value of the pixel under the pointer or finger.
const readout = document.getElementById("readout");
const show = (words, x, y) => {
  readout.textContent = words;
  readout.hidden = false;
  const room = [innerWidth - readout.offsetWidth - 8, innerHeight - readout.offsetHeight - 8];
  readout.style.left = `${Math.max(8, Math.min(x + 14, room[0]))}px`;
  readout.style.top = `${Math.max(8, Math.min(y + 14, room[1]))}px`;
};
for (const figure of document.querySelectorAll(".heat")) {
  const picture = figure.querySelector("img");
  const map = JSON.parse(figure.querySelector("script").textContent);
  const tell = (event) => {
    const box = picture.getBoundingClientRect();
    const place = (position, length, count) => Math.max(0, Math.min(count - 1, Math.floor((position / length) * count)));
    const row = place(event.clientY - box.top, box.height, map.values.length);
    const column = place(event.clientX - box.left, box.width, map.values[0].length);
    show(`${map.rows} ${row * map.step[0]}, ${map.columns} ${column * map.step[1]}\n`
      + `${map.what} ${map.values[row][column]}`, event.clientX, event.clientY);
  };
  picture.addEventListener("pointermove", tell);
  picture.addEventListener("pointerdown", tell);
  picture.addEventListener("pointerleave", () => { readout.hidden = true; });
}

// Curves: show the response at the frequency under the pointer.
for (const chart of document.querySelectorAll(".chart")) {
  const picture = chart.querySelector("svg");
  const mark = chart.querySelector(".pointer");
  const curve = JSON.parse(chart.querySelector("script").textContent);
  const tell = (event) => {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * curve.width;
    let nearest = 0;
    curve.places.forEach((place, index) => {
      if (Math.abs(place - x) < Math.abs(curve.places[nearest] - x)) nearest = index;
    });
    mark.removeAttribute("hidden");
    mark.setAttribute("transform", `translate(${curve.places[nearest]})`);
    show(curve.words[nearest], event.clientX, event.clientY);
  };
  picture.addEventListener("pointermove", tell);
  picture.addEventListener("pointerdown", tell);
  picture.addEventListener("pointerleave", () => { readout.hidden = true; mark.setAttribute("hidden", ""); });
}
