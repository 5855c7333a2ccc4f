// The interactive roofline: controls choose among the traces that Python made; a card tells all of a case; cases are pinned side by side.
"use strict";

const SYMBOLS = {circle: "●", "triangle-down": "▼", square: "■", "triangle-up": "▲", diamond: "◆", cross: "✚", star: "★"};
const LEVEL_SYMBOLS = {L1: "●", shared: "▼", L2: "■", L3: "▲", mem: "◆", system: "✚"};
const LEVEL_NAMES = {mem: "memory", system: "host memory"};
const FEW_POINTS = 400;  // up to so many are obstacles for labels
const ZOOM = 1.4, NARROW = 600;  // px

class Roofline {
  constructor(place, files) {
    this.panels = files.flatMap((file, number) => file.panels.map((panel) => ({...panel, file: file.name, number,
      name: files.length > 1 ? `${file.name}: ${panel.title}` : panel.title})));
    this.panel = this.panels.find((panel) => panel.number === 0) || this.panels[0];
    this.other = files.length > 1 ? this.twin() : null;
    this.state = {kernel: "", phase: "", theory: false, all: false, intervals: true};
    this.pins = [];
    this.at = -1;  // the case that the keyboard is at, of this.stops
    this.place = place;
    this.plot = element("div", {id: "roofline", class: "canvas", tabindex: "0", role: "application", "aria-describedby": "roofline-help"});
    this.card = element("div", {id: "card", role: "status", hidden: true});
    this.ring = element("div", {class: "ring", hidden: true});
    this.controls = element("div", {class: "controls"});
    this.strip = element("section", {id: "strip", "aria-label": "Cases without a place in the figure"});
    this.pinned = element("section", {id: "pinned", "aria-label": "Pinned cases"});
    this.note = element("p", {class: "notes", id: "roofline-note"});
    const help = element("p", {class: "notes", id: "roofline-help"},
      "Drag to zoom in, double-click to see all. By keyboard: arrows go from case to case, Enter pins one, Escape closes the card, + - 0 zoom. " +
      "Area: share of the program's time. Filled: bytes counted by hardware; hollow: simulated; with a dot: by arithmetic alone. Bars: intervals. Ring: above its roof.");
    place.append(element("h2", {}, "Roofline"), this.controls, element("div", {class: "plotbox"}, this.plot, this.ring, this.card), this.note, help, this.strip, this.pinned);
    this.choosePanel();
  }

  // The other file's panel of the same node and team, else of the same team, else its first.
  twin() {
    const others = this.panels.filter((panel) => panel.number === 1);
    return others.find((one) => one.node === this.panel.node && one.team === this.panel.team) || others.find((one) => one.team === this.panel.team) || others[0] || null;
  }

  choosePanel() {
    Object.assign(this.state, {kernel: "", phase: "", levels: new Set(this.panel.levels), precisions: new Set(this.panel.precisions.slice(0, 1))});
    this.range = {x: this.panel.figure.layout.xaxis.range.slice(), y: this.panel.figure.layout.yaxis.range.slice()};
    this.at = -1;
    this.buildControls();
    this.draw();
  }

  buildControls() {
    const panels = this.panels.map((panel, index) => [String(index), panel.name]);
    const choices = (key) => [["", "all"], ...[...new Set([...this.panel.cases, ...this.panel.strip].map((one) => one[key]))].filter(Boolean).sort().map((value) => [value, value])];
    const phases = choices("phase");
    if (phases.length > 1) phases.splice(1, 0, ["-", "whole cases only"]);
    const others = [["", "nothing"], ...panels.filter(([index]) => this.panels[index] !== this.panel)];
    const boxes = (key, values) => values.map((value) => this.box(this.nameOf(key, value), this.state[key].has(value), `${key}-${value}`, (on) => {
      this.state[key][on ? "add" : "delete"](value);
      this.draw();
    }));
    const toggle = (key, text) => this.box(text, this.state[key], key, (on) => { this.state[key] = on; this.draw(); });
    const fieldset = (legend, items) => element("fieldset", {}, element("legend", {}, legend), ...items);
    const button = (id, text, action) => element("button", {type: "button", id, onclick: action}, text);
    this.controls.replaceChildren(
      this.select("panel", "Node and team", panels, String(this.panels.indexOf(this.panel)), (value) => { this.panel = this.panels[value]; this.choosePanel(); }),
      this.select("kernel", "Kernel", choices("kernel"), this.state.kernel, (value) => { this.state.kernel = value; this.draw(); }),
      ...(phases.length > 1 ? [this.select("phase", "Phase", phases, this.state.phase, (value) => { this.state.phase = value; this.draw(); })] : []),
      ...(others.length > 1 ? [this.select("against", "Compare with", others, this.other ? String(this.panels.indexOf(this.other)) : "",
        (value) => { this.other = value === "" ? null : this.panels[value]; this.draw(); })] : []),
      fieldset("Levels", boxes("levels", this.panel.levels)), fieldset("Precisions", boxes("precisions", this.panel.precisions)),
      fieldset("Show", [toggle("intervals", "intervals"), toggle("all", "all ceilings"), toggle("theory", "limits by documents")]),
      element("div", {class: "buttons"}, button("zoom-in", "Zoom in", () => this.zoom(1 / ZOOM)), button("zoom-out", "Zoom out", () => this.zoom(ZOOM)),
        button("zoom-all", "See all", () => this.seeAll()), button("save-svg", "Save SVG", () => this.saveSvg()), button("save-csv", "Save CSV", () => this.saveCsv())));
  }

  nameOf(key, value) {
    if (key !== "levels") return value;
    const trace = this.panel.figure.data.find((one) => one.meta.role === "point" && one.meta.level === value);
    const symbol = trace ? SYMBOLS[trace.marker.symbol.split("-open")[0]] : LEVEL_SYMBOLS[value] || "★";
    const line = this.panel.figure.data.find((one) => one.meta.level === value);
    const mark = element("span", {class: "symbol", "aria-hidden": "true"}, symbol);
    mark.style.color = themed((trace ? trace.marker : line.line).color);
    return element("span", {}, mark, ` ${LEVEL_NAMES[value] || value}`);
  }

  box(name, on, id, action) {
    const input = element("input", {type: "checkbox", id: `show-${id}`, onchange: (event) => action(event.target.checked)});
    input.checked = on;
    return element("label", {}, input, " ", name);
  }

  select(id, name, choices, value, action) {
    const list = element("select", {id: `choose-${id}`, onchange: (event) => action(event.target.value)}, ...choices.map(([key, text]) => element("option", {value: key}, text)));
    list.value = value;
    return element("label", {class: "select"}, `${name} `, list);
  }

  keeps(one) {
    const {kernel, phase, precisions} = this.state;
    return (!kernel || one.kernel === kernel) && (!phase || (phase === "-" ? !one.phase : one.phase === phase)) && precisions.has(one.precision);
  }

  // The traces of a panel that the controls leave, with their points; those of the panel that it is held against are grey.
  traces(panel, other) {
    const kept = panel.cases.map((one) => this.keeps(one)), shown = [];
    for (const trace of panel.figure.data) {
      const {role, level, levels, precision, kind, matters} = trace.meta;
      if (!this.state.precisions.has(precision)) continue;
      if (levels ? !levels.every((one) => this.state.levels.has(one)) : kind !== "peak" && !this.state.levels.has(level)) continue;
      if ((role === "roof" || role === "theory") && !((matters || this.state.all) && (role === "roof" || (this.state.theory && !other)))) continue;
      if ((role === "interval" && !this.state.intervals) || (other && (role === "join" || role === "interval"))) continue;
      shown.push(this.dressed(filtered(trace, kept), other));
    }
    return shown;
  }

  dressed(trace, other) {
    const copy = {...trace, visible: true, meta: {...trace.meta, other}};
    const color = (value) => (other ? themed("#8a8a8a") : themed(value));
    if (copy.line) copy.line = {...copy.line, color: color(copy.line.color), ...(other ? {dash: "dashdot", width: 1.2} : {})};
    const shrunk = Math.min(1, 0.35 + 0.65 * (this.plot.clientWidth / 1000));  // symbols on a small screen
    if (copy.marker) copy.marker = {...copy.marker, size: copy.marker.size.map((size) => size * shrunk), color: color(copy.marker.color), line: {...copy.marker.line, color: color(copy.marker.color)}};
    return copy;
  }

  draw() {
    const theirs = this.other && this.other !== this.panel ? this.traces(this.other, true) : [];
    this.data = [...theirs, ...this.traces(this.panel, false)];
    this.stops = this.casesInOrder();
    this.hideCard();
    const layout = this.layout();
    Plotly.react(this.plot, this.data, layout, {displayModeBar: false, doubleClick: false}).then(() => this.listen());
    this.drawStrip();
    const above = this.panel.cases.filter((one) => one.flag && this.keeps(one)).length;
    this.note.textContent = [this.panel.note && `${this.panel.note[0].toUpperCase()}${this.panel.note.slice(1)}.`, above ? `${above} of ${this.stops.length} cases shown lie above their roof.` : "",
      this.other ? `Grey: ${this.other.name}.` : ""].filter(Boolean).join(" ");
    this.plot.setAttribute("aria-label", `Roofline of ${this.panel.title}: ${this.stops.length} cases shown; the tables below hold the same numbers`);
  }

  layout() {
    const made = themedAll(this.panel.figure.layout);
    made.xaxis.range = this.range.x.slice();
    made.yaxis.range = this.range.y.slice();
    made.xaxis.dtick = this.range.x[1] - this.range.x[0] < 1.5 ? "D2" : 1;
    made.yaxis.dtick = this.range.y[1] - this.range.y[0] < 1.5 ? "D2" : 1;
    this.width = made.width = this.plot.clientWidth;
    made.height = Math.max(420, Math.min(640, 0.62 * made.width));
    if (made.width < NARROW) made.xaxis.title.text = "FLOP/byte", made.yaxis.title.text = "GFLOP/s", made.margin.l = 52;
    const {l, r, t, b} = made.margin;
    made.annotations = this.labels(made, made.width - l - r, made.height - t - b);
    return made;
  }

  labels(layout, width, height) {
    const scale = scaleOf(layout, width, height);
    const roofs = this.data.filter((trace) => (trace.meta.role === "roof" || trace.meta.role === "theory") && !trace.meta.other)
      .map((trace) => ({meta: trace.meta, x: trace.x, y: trace.y, color: trace.line.color}));
    const unique = [...new Map(roofs.map((roof) => [`${roof.meta.kind} ${roof.meta.label}`, roof])).values()];
    const marks = this.data.filter((trace) => trace.meta.role === "point");
    const total = marks.reduce((sum, trace) => sum + trace.x.length, 0);
    const points = total > FEW_POINTS ? [] : marks.flatMap((trace) => trace.x.map((x, i) =>
      [scale.x(Math.log10(x)), scale.y(Math.log10(trace.y[i])), trace.marker.size[i] / 2 + 2]));
    return labelsOf(unique, points, scale);
  }

  listen() {
    if (this.listening) return;
    this.listening = true;
    this.plot.on("plotly_hover", (event) => this.hover(event.points[0]));
    this.plot.on("plotly_unhover", () => this.hideCard());
    this.plot.on("plotly_click", (event) => { const of = this.caseOf(event.points[0]); if (of) this.pin(of); });
    this.plot.on("plotly_doubleclick", () => this.seeAll());
    this.plot.on("plotly_relayout", (change) => this.zoomed(change));
    this.plot.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => requestAnimationFrame(() => this.resized())).observe(this.place);
  }

  resized() {
    const width = this.plot.clientWidth;
    if (width && width !== this.width) this.draw();
  }

  // A zoom by mouse sets the axes; labels follow.
  zoomed(change) {
    if (!("xaxis.range[0]" in change) && !("yaxis.range[0]" in change)) return;
    const {xaxis, yaxis} = this.plot.layout;
    this.look({x: xaxis.range, y: yaxis.range});
  }

  look(range) {
    this.range = {x: range.x.slice(), y: range.y.slice()};
    this.hideCard();
    const {xaxis, yaxis, annotations} = this.layout();
    return Plotly.relayout(this.plot, {"xaxis.range": xaxis.range, "yaxis.range": yaxis.range, "xaxis.dtick": xaxis.dtick, "yaxis.dtick": yaxis.dtick, annotations});
  }

  zoom(factor) {
    const around = ([low, high]) => [(low + high) / 2 - ((high - low) / 2) * factor, (low + high) / 2 + ((high - low) / 2) * factor];
    return this.look({x: around(this.range.x), y: around(this.range.y)});
  }

  seeAll() {
    const {xaxis, yaxis} = this.panel.figure.layout;
    return this.look({x: xaxis.range, y: yaxis.range});
  }

  caseOf(point) {
    const number = point?.customdata;
    if (number === undefined || !["point", "flag"].includes(point.data.meta.role)) return null;
    return {panel: point.data.meta.other ? this.other : this.panel, number};
  }

  hover(point) {
    const of = this.caseOf(point);
    if (of) this.showCard(of, point.x, point.y);
  }

  // Cases for the arrow keys, by their intensity at the innermost level shown.
  casesInOrder() {
    const first = new Map();
    for (const trace of this.data) {
      if (trace.meta.role !== "point" || trace.meta.other) continue;
      trace.x.forEach((x, i) => { const number = trace.customdata[i]; if (!first.has(number) || x < first.get(number).x) first.set(number, {number, x, y: trace.y[i]}); });
    }
    return [...first.values()].sort((a, b) => a.x - b.x || a.y - b.y);
  }

  key(event) {
    const steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}, zooms = {"+": 1 / ZOOM, "=": 1 / ZOOM, "-": ZOOM};
    if (event.key in steps && this.stops.length) {
      this.at = (this.at + steps[event.key] + this.stops.length) % this.stops.length;
      const {number, x, y} = this.stops[this.at];
      this.showCard({panel: this.panel, number}, x, y);
    } else if ((event.key === "Enter" || event.key === " ") && this.cardOf) this.pin(this.cardOf);
    else if (event.key === "Escape") this.hideCard();
    else if (event.key in zooms) this.zoom(zooms[event.key]);
    else if (event.key === "0") this.seeAll();
    else return;
    event.preventDefault();
  }

  showCard(of, x, y) {
    this.cardOf = of;
    const list = element("dl", {}, ...of.panel.cases[of.number].card.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
    const origin = this.panels.some((one) => one.number === 1) ? [element("p", {class: "notes"}, of.panel.file)] : [];
    this.card.replaceChildren(...origin, list, element("p", {class: "notes"}, "click or Enter pins it"));
    this.card.hidden = this.ring.hidden = false;
    const {l, t, w, h} = this.plot._fullLayout._size, scale = scaleOf(this.plot.layout, w, h);
    const px = l + scale.x(Math.log10(x)), py = t + scale.y(Math.log10(y));
    Object.assign(this.ring.style, {left: `${px - 13}px`, top: `${py - 13}px`});
    const {offsetWidth: width, offsetHeight: height} = this.card;
    const left = px + 20 + width < this.plot.clientWidth ? px + 20 : Math.max(0, px - width - 20);
    Object.assign(this.card.style, {left: `${left}px`, top: `${Math.max(0, Math.min(py - height / 2, this.plot.clientHeight - height))}px`});
  }

  hideCard() {
    this.cardOf = null;
    this.card.hidden = this.ring.hidden = true;
  }

  pin(of) {
    if (!this.pins.some((one) => one.panel === of.panel && one.number === of.number)) this.pins.push({...of});
    this.drawPins();
  }

  // Pinned cases are columns, what is told of them rows.
  drawPins() {
    this.pinned.replaceChildren();
    if (!this.pins.length) return;
    const cards = this.pins.map((one) => new Map([["file", one.panel.file], ...one.panel.cases[one.number].card]));
    const names = [...new Set(cards.flatMap((card) => [...card.keys()]))];
    const heads = this.pins.map((one, index) => element("th", {scope: "col"}, `${one.panel.cases[one.number].kernel} `,
      element("button", {type: "button", class: "unpin", "aria-label": `unpin case ${index + 1}`, onclick: () => { this.pins.splice(index, 1); this.drawPins(); }}, "unpin")));
    const row = (name) => element("tr", {class: new Set(cards.map((card) => card.get(name))).size > 1 ? "differs" : ""},
      element("th", {scope: "row"}, name), ...cards.map((card) => element("td", {}, card.get(name) || "")));
    this.pinned.append(element("h3", {}, `Pinned: ${this.pins.length} case${this.pins.length === 1 ? "" : "s"} beside each other`),
      element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Pinned cases, table"},
        element("table", {}, element("thead", {}, element("tr", {}, element("td", {}), ...heads)), element("tbody", {}, ...names.map(row)))));
  }

  // Cases that took time and have no place: a bar each by its share of the time.
  drawStrip() {
    const {kernel, phase} = this.state, MOST = 12;
    const rows = this.panel.strip.filter((one) => (!kernel || one.kernel === kernel) && (!phase || (phase === "-" ? !one.phase : one.phase === phase)));
    this.strip.replaceChildren();
    if (!rows.length) return;
    const known = rows.filter((one) => one.share !== null), largest = Math.max(...known.map((one) => one.share), 1e-9);
    const items = rows.slice(0, MOST).map((one) => {
      const bar = element("span", {class: "bar", "aria-hidden": "true"});
      bar.style.width = `${one.share === null ? 0 : (6 * one.share) / largest}em`;
      const share = one.share === null ? "" : `, ${(100 * one.share).toPrecision(3)} % of its time`;
      return element("li", {}, element("span", {class: "barbox"}, bar), ` ${one.label}: ${(1e3 * one.seconds).toPrecision(3)} ms${share} (${one.why})`);
    });
    const rest = rows.length - MOST;
    this.strip.append(element("h3", {}, `${rows.length} case${rows.length === 1 ? "" : "s"} that took time and ha${rows.length === 1 ? "s" : "ve"} no place above`),
      element("ul", {}, ...items, ...(rest > 0 ? [element("li", {class: "notes"}, `and ${rest} more (see the table)`)] : [])));
  }

  saveSvg() {
    return Plotly.toImage(this.plot, {format: "svg", width: this.plot.clientWidth, height: this.plot.clientHeight})
      .then((url) => saved(`roofline-${slugOf(this.panel.title)}.svg`, decodeURIComponent(url.slice(url.indexOf(",") + 1)), "image/svg+xml"));
  }

  saveCsv() {
    const head = ["file", "node", "team", "kernel", "phase", "case", "flavor", "precision", "gflops", "time_share", "level", "ai", "ai_lo", "ai_hi", "bytes_source"];
    const rows = this.panel.cases.filter((one) => this.keeps(one)).flatMap((one) => one.points.filter(([level]) => this.state.levels.has(level)).map(
      ([level, low, ai, high, source]) => [this.panel.file, this.panel.node, this.panel.team, one.kernel, one.phase, one.label, one.flavor, one.precision,
        one.gflops, one.share, level, ai, low, high, source]));
    saved(`roofline-${slugOf(this.panel.title)}.csv`, csvOf([head, ...rows]), "text/csv");
  }
}

// A trace with the points of those cases alone that are kept.
function filtered(trace, kept) {
  const of = trace.customdata;
  if (!of || kept.every(Boolean)) return trace;
  const pick = (values) => values.filter((_, index) => kept[of[index]]);
  const copy = {...trace, x: pick(trace.x), y: pick(trace.y), customdata: pick(of)};
  if (Array.isArray(trace.marker?.size)) copy.marker = {...trace.marker, size: pick(trace.marker.size)};
  return copy;
}
