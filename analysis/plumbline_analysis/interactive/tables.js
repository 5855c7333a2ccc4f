// Tables: sorted by their heads, filtered by words, saved as CSV; long ones show a page at a time.
"use strict";

const ROWS_A_PAGE = 200;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function saved(name, text, type) {
  const link = element("a", {download: name});
  link.setAttribute("href", URL.createObjectURL(new Blob([text], {type})));
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.getAttribute("href")), 10000);
}

function csvOf(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

const slugOf = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

class DataTable {
  constructor(table) {
    this.table = table;
    this.title = [...document.querySelectorAll("h2")].filter((head) => head.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1)?.textContent || "table";
    this.heads = [...table.tHead.rows[0].cells];
    this.rows = [...table.tBodies[0].rows];
    this.cells = this.rows.map((row) => [...row.cells].map((cell) => cell.textContent));
    this.order = this.rows.map((_, index) => index);
    this.shown = this.order;
    this.page = 0;
    this.heads.forEach((head, column) => {
      const name = head.textContent;
      head.replaceChildren(element("button", {type: "button", class: "sort", title: `sort by ${name}`, onclick: () => this.sort(column)}, name));
      head.setAttribute("aria-sort", "none");
    });
    table.setAttribute("aria-label", this.title);
    const scroll = table.parentElement;
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", `${this.title}, table`);
    scroll.before(this.tools());
    this.render();
  }

  tools() {
    this.words = element("input", {type: "search", placeholder: "words that a row must have", oninput: () => this.filter()});
    this.count = element("span", {class: "count", role: "status"});
    this.back = element("button", {type: "button", onclick: () => this.turn(-1)}, "Previous rows");
    this.next = element("button", {type: "button", onclick: () => this.turn(1)}, "Next rows");
    const csv = element("button", {type: "button", class: "csv", onclick: () => this.save()}, "Save CSV");
    return element("div", {class: "tools"}, element("label", {}, "Filter ", this.words), csv, this.back, this.next, this.count);
  }

  sort(column) {
    const upwards = this.heads[column].getAttribute("aria-sort") !== "ascending";
    this.heads.forEach((head, index) => head.setAttribute("aria-sort", index !== column ? "none" : upwards ? "ascending" : "descending"));
    const numeric = this.heads[column].classList.contains("n"), sign = upwards ? 1 : -1;
    const key = (index) => (numeric ? (this.cells[index][column] === "" ? NaN : Number(this.cells[index][column])) : this.cells[index][column]);
    this.order.sort((a, b) => {
      const [left, right] = [key(a), key(b)];
      if (numeric && (Number.isNaN(left) || Number.isNaN(right))) return Number.isNaN(left) - Number.isNaN(right);  // absent ones at the end
      return sign * (numeric ? left - right : left.localeCompare(right, "en", {numeric: true}));
    });
    this.filter();
  }

  filter() {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = this.order.filter((index) => {
      const text = this.cells[index].join("\t").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    this.page = 0;
    this.render();
  }

  turn(pages) {
    this.page += pages;
    this.render();
  }

  render() {
    const from = this.page * ROWS_A_PAGE, to = Math.min(this.shown.length, from + ROWS_A_PAGE);
    this.table.tBodies[0].replaceChildren(...this.shown.slice(from, to).map((index) => this.rows[index]));
    const many = this.shown.length > ROWS_A_PAGE;
    this.back.hidden = this.next.hidden = !many;
    this.back.disabled = this.page === 0;
    this.next.disabled = to >= this.shown.length;
    const of = this.shown.length < this.rows.length ? ` of ${this.rows.length}` : "";
    this.count.textContent = `${many ? `rows ${from + 1} to ${to} of ` : ""}${this.shown.length}${of} row${this.rows.length === 1 ? "" : "s"}`;
  }

  save() {
    const heads = this.heads.map((head) => head.textContent);
    saved(`${slugOf(this.title)}.csv`, csvOf([heads, ...this.shown.map((index) => this.cells[index])]), "text/csv");
  }
}
