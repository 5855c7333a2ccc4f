// Pairs of texts that cover each other on the page, and texts that stick out of it: of the figures, their controls and the summary, or, where
// onlyTheRoofline is set, of that alone.
(() => {
  const cornersOf = (node) => {
    if (!(node instanceof SVGGraphicsElement)) {
      const {left, right, top, bottom} = node.getBoundingClientRect();
      return [[left, top], [right, top], [right, bottom], [left, bottom]];
    }
    const box = node.getBBox(), at = node.getScreenCTM();
    return [[0, 0], [1, 0], [1, 1], [0, 1]].map(([i, j]) => {
      const point = new DOMPoint(box.x + i * box.width, box.y + j * box.height).matrixTransform(at);
      return [point.x, point.y];
    });
  };
  // Two turned boxes are apart when some side of one has all of the other beyond it. A pixel of touch is none.
  const apart = (a, b) => [a, b].some((box) => [0, 1].some((side) => {
    const axis = [box[side + 1][0] - box[side][0], box[side + 1][1] - box[side][1]], length = Math.hypot(...axis) || 1;
    const along = (corners) => corners.map(([x, y]) => (x * axis[0] + y * axis[1]) / length);
    const [p, q] = [along(a), along(b)];
    return Math.max(...p) - 1 <= Math.min(...q) || Math.max(...q) - 1 <= Math.min(...p);
  }));
  const found = [];
  const texts = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getBoundingClientRect().width > 0 && one.textContent.trim())
    .map((one) => ({text: one.textContent.trim().slice(0, 60), corners: cornersOf(one)}));
  const everything = ["#roofline .annotation-text, #roofline .xtick text, #roofline .ytick text, #roofline .xtitle, #roofline .ytitle",
                      ".controls > *", ".controls fieldset > label", ".answer", ".chart .xtick text, .chart .ytick text, .chart .legendtext, .chart .xtitle, .chart .ytitle"];
  for (const selector of window.onlyTheRoofline ? everything.slice(0, 1) : everything) {
    const all = texts(selector);
    all.forEach((one, i) => all.slice(i + 1).forEach((other) => { if (!apart(one.corners, other.corners)) found.push(`${one.text} | ${other.text}`); }));
    const wide = document.documentElement.clientWidth;
    all.forEach((one) => { if (one.corners.some(([x]) => x < -1 || x > wide + 1)) found.push(`sticks out: ${one.text}`); });
  }
  window.onlyTheRoofline = false;
  return found;
})()
