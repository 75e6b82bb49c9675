// Texts with too little contrast: WCAG's ratio to the first opaque background behind each, 4.5, or 3 for large text.
() => {
  const parse = (color) => {
    const canvas = parse.context ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.slice(0, 3).map((channel) => linear(channel / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const found = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    const isShown = one.checkVisibility({ opacityProperty: true }) && !one.closest('svg:not(.output svg), .headerlink, script');
    const text = texts.currentNode.textContent.trim();
    if (!text || !isShown) continue;
    const style = getComputedStyle(one);
    const color = !one.closest('svg') ? style.color : style.stroke === 'none' ? style.fill : style.stroke;
    const key = [color, one.className, one.tagName, one.closest('pre') !== null].join();
    if (found.has(key)) continue;
    const [ink, paper] = [luminance(parse(color)), luminance(ground(one))];
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    const least = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    found.set(key, ratio < least ? `${one.tagName}.${one.className} ${ratio.toFixed(2)}: ${text.slice(0, 40)}` : '');
  }
  return [...found.values()].filter(Boolean);
}
