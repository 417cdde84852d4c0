// The rows of a version, as a source of lines and as elements.
//
// Always holds: a version never changes until commits are replaced, so what was loaded of it stays true; then the page makes
// another source.

import { ask } from "./server.js";
import { counted, fill, foreign, idText, make, number } from "./text.js";

/** How many lines are asked for at least. */
const part = 60;

/** The lines of a version: its sections, each with its rows below. */
export class RowSource {
  #lines = [];
  #loading = new Map();

  constructor(answer) {
    Object.assign(this, { version: answer.version, total: answer.total, rows: answer.rows, sections: answer.sections });
    this.#keep(answer);
  }

  /** The rows of a version, with those of a range of lines. */
  static async at(version, first, end) {
    const from = Math.max(0, first);
    const answer = await ask("rows", { at: version, from, limit: Math.min(500, Math.max(part, end - from)) });
    return new RowSource(answer);
  }

  #keep(answer) { answer.lines.forEach((line, index) => { this.#lines[answer.from + index] = line; }); }

  item(index) { return this.#lines[index]; }

  key(line) { return lineKey(line); }

  async load(first, end) {
    let from = first;
    while (from < end && this.#lines[from] !== undefined) from += 1;
    if (from >= end) return;
    const name = `${from}`;
    if (!this.#loading.has(name)) {
      const limit = Math.min(500, Math.max(part, end - from));
      const loading = ask("rows", { at: this.version, from, limit }).then((answer) => this.#keep(answer));
      this.#loading.set(name, loading.finally(() => this.#loading.delete(name)));
    }
    await this.#loading.get(name);
  }
}

/** Whether a line stands for one that is lost, even its id. */
const isLost = (line) => line.id === "unreadable" && (line.at ? Boolean(line.unreadable) : line.title === "");

/** What a line is known by. Sections and rows may have the same ids; the ids 7 and "7" are two; all lost ones have the same id. */
const lineKey = (line) => `${line.at ? "row" : "section"} ${JSON.stringify(line.id)}${isLost(line) ? ` ${line.at ?? line.section}` : ""}`;

/** What a row says, or why it cannot be read. */
export const rowText = (row) => (row.unreadable ? `Cannot be read: ${row.unreadable}` : row.title);

/** As an element. */
export const rowTitle = (row) => foreign(rowText(row), { class: row.unreadable ? "title bad" : "title" });

/** Draws a line into an element. */
export function fillLine(element, line) {
  if (!line) return fill(element);
  if (!line.at) {
    element.classList.add("section");
    return fill(
      element,
      foreign(line.title === "" ? idText(line.id) : line.title, { class: "title" }),
      make("span", { class: "faint" }, counted(line.count, "row")));
  }
  element.classList.toggle("done", line.checked);
  fill(
    element,
    make("span", { class: "box", "aria-hidden": "true" }, line.checked ? "☑" : "☐"),
    make("span", { class: "hidden" }, line.checked ? "Checked: " : ""),
    rowTitle(line),
    line.collapsed ? make("span", { class: "tag" }, "collapsed") : null,
    line.bytes > 300 ? make("span", { class: "faint" }, `${number(line.bytes)} bytes`) : null,
    foreign(idText(line.id), { class: "id" }));
  element.firstChild.style.marginInlineStart = `${Math.min(line.depth ?? 0, 12)}rem`;
}

/** What a changeset says of lines: their classes before and after it. */
export class LineMarks {
  #before = new Map();
  #after = new Map();

  constructor(changeset) {
    const { items = {}, sections = {} } = changeset ?? {};
    // A section is an index, a row two: "3" and "3,1".
    for (const changes of [sections, items]) {
      for (const [from, to] of changes.moved ?? []) {
        this.#before.set(String(from), "moved");
        this.#after.set(String(to), "moved");
      }
      for (const place of changes.updated ?? []) this.#after.set(String(place), "updated");
      for (const place of changes.deleted ?? []) this.#before.set(String(place), "deleted");
      for (const place of changes.inserted ?? []) this.#after.set(String(place), "inserted");
    }
  }

  static #place(line) { return String(line.at ?? line.section); }

  #mark(marks, line) {
    // Rows of a section that was inserted or deleted are not listed.
    const section = line.at && marks.get(String(line.at[0]));
    return section === "inserted" || section === "deleted" ? section : marks.get(LineMarks.#place(line)) ?? "";
  }

  before(line) { return this.#mark(this.#before, line); }

  after(line) { return this.#mark(this.#after, line); }
}

/** The changes between two versions; none if there are too many. */
export async function marks(from, to) {
  const answer = await ask("changes", { from, to });
  return { count: answer.count, marks: new LineMarks(answer.changeset), isComplete: answer.changeset !== null };
}
