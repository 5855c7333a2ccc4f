// Labels of roofs: each stands at its line; those of lines that lie side by side are one; none covers another.
"use strict";

const LABEL_PX = 12, LINE_PX = 15, SIDE_BY_SIDE = 1.1;
const measuring = document.createElement("canvas").getContext("2d");

function textWidth(text, px = LABEL_PX) {
  measuring.font = `${px}px system-ui, sans-serif`;
  return measuring.measureText(text).width;
}

// The labels of one group as one text: what they begin and end with alike is said once.
function joinedLabels(labels, room) {
  const unique = [...new Set(labels)];
  if (unique.length === 1) return unique[0];
  const words = unique.map((label) => label.split(" "));
  let first = 0;
  while (words.every((one) => one.length > first + 2 && one[first] === words[0][first])) first++;
  const unit = words[0].at(-1);
  const sameUnit = words.every((one) => one.at(-1) === unit);
  const texts = words.map((one) => one.slice(first, sameUnit ? -1 : undefined).join(" "));
  const whole = (shown) => [...words[0].slice(0, first), shown.join(", "), sameUnit ? unit : ""].join(" ").trim();
  for (let count = texts.length; count > 1; count--) {
    const text = whole(texts.slice(0, count)) + (count < texts.length ? ` and ${texts.length - count} more` : "");
    if (textWidth(text) < room) return text;
  }
  return `${unique[0]} and ${unique.length - 1} more`;
}

// Where the plot's coordinates lie in pixels of its area.
function scaleOf(layout, width, height) {
  const [x0, x1] = layout.xaxis.range, [y0, y1] = layout.yaxis.range;
  return {width, height, x: (log) => ((log - x0) / (x1 - x0)) * width, y: (log) => height - ((log - y0) / (y1 - y0)) * height,
          logX: (px) => x0 + (px / width) * (x1 - x0), logY: (px) => y0 + ((height - px) / height) * (y1 - y0),
          angle: Math.atan2(height / (y1 - y0), width / (x1 - x0))};
}

// A label's area as small boxes along its baseline, so that one that is turned takes no more room than it covers.
function pieces(x, y, width, angle) {
  const half = LINE_PX / 2, count = Math.max(1, Math.ceil(width / LINE_PX)), boxes = [];
  for (let i = 0; i < count; i++) {
    const along = ((i + 0.5) / count - 0.5) * width, reach = angle === 0 ? width / count / 2 + 1 : half + 1;
    const cx = x + along * Math.cos(angle), cy = y - along * Math.sin(angle);
    boxes.push([cx - reach, cy - half - 1, cx + reach, cy + half + 1]);
  }
  return boxes;
}

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const meetAny = (boxes, taken) => boxes.some((box) => taken.some((other) => meet(box, other)));
const inside = (boxes, scale) => boxes.every((box) => box[0] > 1 && box[1] > 1 && box[2] < scale.width - 1 && box[3] < scale.height - 1);

// The part of a roof that is seen, in pixels: [x0, y0, x1, y1], or null.
function visiblePart(roof, scale) {
  let [x0, x1] = roof.x.map((value) => scale.x(Math.log10(value)));
  let [y0, y1] = roof.y.map((value) => scale.y(Math.log10(value)));
  const slope = x1 === x0 ? 0 : (y1 - y0) / (x1 - x0), at = (x) => y0 + slope * (x - x0);
  let from = Math.max(0, x0), to = Math.min(scale.width, x1);
  if (slope !== 0) {  // it rises to the right: pixels count downwards
    from = Math.max(from, x0 + (scale.height - y0) / slope);
    to = Math.min(to, x0 + (0 - y0) / slope);
  }
  const part = [from, at(from), to, at(to)];
  return to - from < 8 || part[1] < 0 || part[1] > scale.height + 1 ? null : part;
}

// Groups of roofs whose lines lie side by side: within some percent of each other, or nearer than a line of text is high.
function sideBySide(roofs, scale) {
  const groups = [];
  for (const kind of ["peak", "bandwidth"]) {
    const own = roofs.filter((roof) => roof.meta.kind === kind).sort((a, b) => b.meta.value - a.meta.value);
    let last = null;
    for (const roof of own) {
      const apart = last && (Math.abs(scale.y(Math.log10(roof.meta.value)) - scale.y(Math.log10(last[0].meta.value))) *
                             (kind === "peak" ? 1 : Math.cos(scale.angle)));
      if (last && (last[0].meta.value / roof.meta.value <= SIDE_BY_SIDE || apart < LINE_PX + 1)) last.push(roof);
      else groups.push((last = [roof]));
    }
  }
  return groups;
}

function* candidates(part, width, angle) {
  const [x0, y0, x1, y1] = part, length = Math.hypot(x1 - x0, y1 - y0), room = length - width;
  const east = Math.cos(angle), north = Math.sin(angle), away = LINE_PX / 2 + 3;
  for (const side of [1, -1]) for (let step = 4; step <= Math.max(4, room - 4); step += 10) {  // above the line, else below it
    const along = angle === 0 ? length - step - width / 2 : step + width / 2;  // peaks from their right end, bandwidths from their left
    yield [x0 + along * east - side * away * north, y0 - along * north - side * away * east];
  }
}

// Plotly annotations for the roofs shown; `points`: pixels that labels leave free where they can. What finds no place is left to the card and the table.
function labelsOf(roofs, points, scale) {
  const seen = roofs.map((roof) => ({...roof, part: visiblePart(roof, scale)})).filter((roof) => roof.part);
  const lines = seen.flatMap((roof) => linePieces(roof.part)), marks = points.map(([x, y, r]) => [x - r, y - r, x + r, y + r]);
  const taken = [], annotations = [];
  for (const group of sideBySide(seen, scale)) {
    const angle = group[0].meta.kind === "peak" ? 0 : scale.angle;
    const text = joinedLabels(group.map((roof) => roof.meta.label), 0.7 * scale.width), width = textWidth(text) + 8;
    const place = freePlace(group[0].part, width, angle, scale, [taken, lines, marks]);
    if (!place) continue;
    taken.push(...pieces(...place, width, angle));
    annotations.push({x: scale.logX(place[0]), y: scale.logY(place[1]), xref: "x", yref: "y", text: escapeText(text), showarrow: false,
                      textangle: (-angle * 180) / Math.PI, font: {size: LABEL_PX, color: group[0].color}, xanchor: "center", yanchor: "middle", borderpad: 0, bgcolor: `${themed("#ffffff")}b0`});
  }
  return annotations;
}

// The first place that is free of labels, lines and points; else of labels and lines; else of labels.
function freePlace(part, width, angle, scale, obstacles) {
  const places = [...candidates(part, width, angle)].map((place) => [place, pieces(...place, width, angle)]).filter(([, boxes]) => inside(boxes, scale));
  for (let kinds = obstacles.length; kinds > 0; kinds--) {
    const found = places.find(([, boxes]) => obstacles.slice(0, kinds).every((taken) => !meetAny(boxes, taken)));
    if (found) return found[0];
  }
  return null;
}

function linePieces([x0, y0, x1, y1]) {
  const steps = y0 === y1 ? 1 : Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 10)), boxes = [];
  for (let i = 0; i < steps; i++) {
    const at = (t) => [x0 + (x1 - x0) * t, y0 + (y1 - y0) * t], [a, b] = at(i / steps), [c, d] = at((i + 1) / steps);
    boxes.push([Math.min(a, c), Math.min(b, d) - 0.5, Math.max(a, c), Math.max(b, d) + 0.5]);
  }
  return boxes;
}

// plotly reads tags in its texts.
const escapeText = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
