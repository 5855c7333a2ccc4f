// Unpacks plotly.js and the data, draws the figures, and follows the theme and the printer.
"use strict";

// Colours of the figures on a dark ground: the same hues, lighter.
const DARK = {"#ffffff": "#15181d", "#222222": "#e8e8e8", "#e4e4e4": "#343a42", "#8a8a8a": "#9aa3ad", "#0072B2": "#4aa8e8", "#009E73": "#1fc79a",
              "#D55E00": "#ff8a3d", "#CC79A7": "#ec9ccb", "#E69F00": "#f2b632", "#000000": "#ffffff", "#c8c8c8": "#6b7480"};
const darkByHand = () => document.documentElement.dataset.theme;
let printing = false;

function isDark() {
  if (printing) return false;
  return darkByHand() ? darkByHand() === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const themed = (color) => (isDark() && DARK[color]) || color;

function themedAll(value) {
  if (typeof value === "string") return themed(value);
  if (Array.isArray(value)) return typeof value[0] === "number" ? value.slice() : value.map(themedAll);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, themedAll(inner)]));
  return value;
}

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// A figure besides the roofline: with what it shows in a sentence, a button for its SVG, and its numbers as a table.
class Chart {
  constructor(place, chart) {
    this.chart = chart;
    this.plot = element("div", {class: "canvas", role: "img", "aria-label": `${chart.title}. ${chart.says} Its numbers are in the table behind it.`});
    const numbers = element("details", {}, element("summary", {}, "The numbers of this figure"));
    numbers.addEventListener("toggle", () => { if (numbers.open && numbers.children.length === 1) this.tabulate(numbers); });
    const save = element("button", {type: "button", onclick: () => this.save()}, "Save SVG");
    place.append(element("section", {class: "chart", id: `chart-${chart.name}`}, element("h2", {}, chart.title),
      element("div", {class: "tools"}, element("span", {}, chart.says), save), this.plot, numbers));
    this.draw();
    new ResizeObserver(() => requestAnimationFrame(() => { if (this.plot.clientWidth && this.plot.clientWidth !== this.width) this.draw(); })).observe(place);
  }

  draw() {
    const {data, layout} = themedAll(this.chart.figure);
    this.width = layout.width = this.plot.clientWidth;
    return Plotly.react(this.plot, data, layout, {displayModeBar: false});
  }

  save() {
    const {clientWidth: width, clientHeight: height} = this.plot;
    return Plotly.toImage(this.plot, {format: "svg", width, height})
      .then((url) => saved(`${slugOf(this.chart.title)}.svg`, decodeURIComponent(url.slice(url.indexOf(",") + 1)), "image/svg+xml"));
  }

  tabulate(place) {
    const rows = this.chart.figure.data.flatMap((trace) => trace.x.map((x, index) => [trace.name, trace.type === "bar" ? trace.y[index] : x, trace.type === "bar" ? x : trace.y[index]]));
    const {xaxis, yaxis} = this.chart.figure.layout, heads = ["", xaxis.title?.text || "", yaxis.title?.text || ""];
    const line = (tag, cells) => element("tr", {}, ...cells.map((text) => element(tag, {}, String(text))));
    place.append(element("div", {class: "scroll"}, element("table", {}, element("thead", {}, line("th", heads)), element("tbody", {}, ...rows.map((row) => line("td", row))))));
  }
}

function themeButton(redraw) {
  const button = element("button", {type: "button", id: "theme", "aria-pressed": String(isDark()), onclick: () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    button.setAttribute("aria-pressed", String(isDark()));
    redraw();
  }}, "Dark");
  return button;
}

async function start() {
  for (const table of document.querySelectorAll(".scroll table")) new DataTable(table);
  const place = document.getElementById("interactive");
  if (!place) return;
  if (typeof DecompressionStream === "undefined") {
    place.hidden = false;
    place.textContent = "This browser is too old for the interactive figures; the figures below say the same.";
    return;
  }
  const data = JSON.parse(await unpacked("plumbline-data"));
  document.head.append(element("script", {type: "text/javascript"}, await unpacked("plumbline-plotly")));
  place.hidden = false;
  const drawn = [];
  const redraw = () => drawn.forEach((figure) => figure.draw());
  place.append(themeButton(() => { window.plumbline.roofline?.buildControls(); redraw(); }));
  window.plumbline = {};
  if (data.files.some((file) => file.panels.length)) drawn.push((window.plumbline.roofline = new Roofline(place, data.files)));
  for (const chart of data.charts) drawn.push(new Chart(place, chart));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  for (const [event, on] of [["beforeprint", true], ["afterprint", false]]) addEventListener(event, () => { printing = on; redraw(); });
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  const place = document.getElementById("interactive");
  place.hidden = false;
  place.textContent = `The interactive figures cannot be drawn (${error.message}); the figures below say the same.`;
  document.documentElement.dataset.ready = "failed";
});
