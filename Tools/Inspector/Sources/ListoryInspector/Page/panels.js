// The smaller panels: rows found by words, the trash, branches, bookmarks, export.
//
// Always holds: bookmarks are links to places of the page; they are kept in the browser, for each store by itself.

import { ask, askFile, fileAddress } from "./server.js";
import { commitLine, inParts, versionButton } from "./commit.js";
import { rowTitle } from "./rows.js";
import { counted, foreign, idText, make, time } from "./text.js";

/** A form with one field for words. */
function wordsForm(label, words, search) {
  const field = make("input", { name: "words", value: words, autocomplete: "off", type: "search", "aria-label": label });
  return make("form", { class: "words", role: "search", onsubmit: (event) => {
    event.preventDefault();
    search(field.value.trim());
  } }, field, make("button", {}, "Find"));
}

/** A row as a button that chooses it. */
const rowLine = (app, row) => make("button", { type: "button", class: "link row", onclick: () => app.chooseRow(row.id) },
  make("span", { class: "box", "aria-hidden": "true" }, row.checked ? "☑" : "☐"),
  rowTitle(row), foreign(idText(row.id), { class: "id" }));

/** How many rows are looked for at a time. */
const foundCount = 100;

/** Rows of the version with some words. The search goes on by itself until there are some to show. */
export async function findPanel(app, isWanted) {
  const { at, words } = app;
  const title = make("h2", {}, `Find in version ${at}`);
  const form = wordsForm("Words in rows", words, (text) => { app.words = text; app.showPanel(); });
  if (!words) return [title, form];
  let from = 0;
  const list = await inParts(app, make("ul", { class: "found" }), async () => {
    const found = [];
    let next = from;
    do {
      const answer = await ask("search", { at, words, from: next, limit: foundCount - found.length });
      found.push(...answer.rows);
      next = answer.next;
    } while (next !== null && found.length < foundCount && isWanted());
    from = next;
    return {
      elements: found.map(({ row, at: place }) =>
        make("li", {}, rowLine(app, row), make("span", { class: "faint" }, `[${place.join(", ")}]`))),
      hasMore: from !== null,
    };
  });
  const isEmpty = from === null && !list.querySelector("li");
  return [title, form, isEmpty ? make("p", { class: "faint" }, "No row has these words.") : list];
}

/** How many deleted rows are asked for at a time, and at most; words find the others. */
const trashCount = 50;
const trashLimit = 1000;

/** Rows that were deleted and are not back. The search goes on by itself until there are some to show. */
export async function trashPanel(app, isWanted) {
  const title = make("h2", {}, "Trash");
  const form = wordsForm("Words in deleted rows", app.trashWords, (words) => { app.trashWords = words; app.showPanel(); });
  // The version at which the search has arrived, and the rows before it that are shown.
  let before = null;
  let shown = 0;
  const button = (text, request, done) => make("button", { type: "button",
    onclick: () => app.exec(JSON.stringify(request), done) }, text);
  const list = await inParts(app, make("ul", { class: "found trash" }), async () => {
    const found = [];
    let hasMore = false;
    let damage = null;
    // If one of the questions fails, the next search begins where this one did.
    let [from, skipped] = [before, shown];
    do {
      const limit = Math.min(skipped + trashCount - found.length, trashLimit);
      const { rows, more, next, unreadable } = await ask("trash", { words: app.trashWords, before: from, limit });
      found.push(...rows.slice(skipped));
      damage = unreadable;
      // An answer that ran out of time may end before the rows that are shown already.
      [from, skipped] = next === null ? [from, rows.length] : [next, Math.max(0, skipped - rows.length)];
      hasMore = next !== null || (more && skipped < trashLimit);
    } while (hasMore && found.length < trashCount && isWanted());
    [before, shown] = [from, skipped];
    const elements = found.map(({ row, section, title: name, last, deleted }) => make("li", {},
      rowLine(app, row),
      make("span", { class: "faint" }, "in ", foreign(name || idText(section)), ", last in ", versionButton(app, last)),
      commitLine(app, deleted),
      app.info.canWrite ? make("div", { class: "buttons" },
        button("Put back", { restoreRow: { id: row.id, version: last } }, "The row is back."),
        button("Put the section back", { restoreSection: { id: section, version: last } }, "The section is back.")) : null));
    if (damage) elements.push(make("li", { class: "bad" }, foreign(`Those that were deleted earlier cannot be read: ${damage}`)));
    return { elements, hasMore };
  });
  const isEmpty = !list.querySelector("li");
  return [title, form, isEmpty ? make("p", { class: "faint" }, "No deleted row.") : list];
}

/** The branches of the history. */
export async function branchesPanel(app) {
  const { branches } = app.info;
  if (!branches) return [make("h2", {}, "Branches"), make("p", { class: "bad" }, "A commit at the end of a branch cannot be read.")];
  return [
    make("h2", {}, "Branches"),
    branches.length ? null : make("p", { class: "faint" }, "There is no history yet."),
    make("ul", { class: "found" }, branches.map((branch) => make("li", {},
      commitLine(app, { ...branch, version: branch.tip, cause: "edit" },
        branch.current ? [" ", make("span", { class: "tag" }, "current")] : null,
        make("div", { class: "faint" }, counted(branch.steps, "step"),
          branch.fork ? [", since version ", versionButton(app, branch.fork)] : null)),
      app.info.canWrite && !branch.current ? make("button", { type: "button", onclick: () =>
        app.exec(JSON.stringify({ go: branch.tip }), `The list is on the branch of version ${branch.tip}.`) }, "Go here") : null))),
  ];
}

/** Bookmarks, kept in the browser, where other pages of the same store have theirs too. */
export class Bookmarks {
  #name;
  #all = [];

  /** @param changed is told that another page has added or removed some. */
  constructor(path, changed) {
    this.#name = `bookmarks ${path}`;
    this.#read();
    addEventListener("storage", ({ key }) => {
      if (key !== this.#name) return;
      this.#read();
      changed();
    });
  }

  get all() { return this.#all; }

  add(bookmark) { this.#change((all) => [...all.filter(({ place }) => place !== bookmark.place), bookmark]); }

  remove(place) { this.#change((all) => all.filter((bookmark) => bookmark.place !== place)); }

  #read() {
    try { this.#all = JSON.parse(localStorage.getItem(this.#name)) ?? this.#all; } catch { /* Nothing is kept. */ }
  }

  /** Changes those that are kept now, not those that were when the page was opened. */
  #change(body) {
    this.#read();
    this.#all = body(this.#all).sort((a, b) => a.version - b.version);
    try { localStorage.setItem(this.#name, JSON.stringify(this.#all)); } catch { /* The browser keeps nothing. */ }
  }
}

/** Places to come back to. */
export async function bookmarksPanel(app) {
  const name = make("input", { name: "label", value: app.commitName, autocomplete: "off", "aria-label": "Name of the bookmark" });
  const form = make("form", { class: "words", onsubmit: (event) => {
    event.preventDefault();
    app.bookmark(name.value.trim());
  } }, name, make("button", { class: "main" }, "Bookmark this place"));
  return [
    make("h2", {}, "Bookmarks"), form,
    app.bookmarks.all.length ? null : make("p", { class: "faint" }, "A bookmark is a link: version, filter and row."),
    make("ul", { class: "found" }, app.bookmarks.all.map(({ label, version, place }) => make("li", {},
      make("a", { href: place }, `${version} `, foreign(label)),
      make("button", { type: "button", class: "link", "aria-label": `Remove the bookmark of version ${version}`,
        onclick: () => { app.bookmarks.remove(place); app.bookmarksChanged(); } }, "Remove")))),
  ];
}

const formats = {
  lines: "JSON lines of a range, as listory log --full prints them",
  test: "A test of a range, as listory extract writes it",
  store: "The whole log, as listory export writes it",
};

/** Saves a file, or says why there is none: a link would not say it. */
async function saveFile(app, button, query) {
  const words = button.textContent;
  app.problem();
  button.textContent = query.format === "test" ? "Looking for the shortest test …" : "Saving …";
  await app.attempt(async () => {
    if (query.format !== "test") {
      // So that it goes to the disk and not through the memory of the page.
      make("a", { href: await fileAddress("export", query), download: "" }).click();
      return;
    }
    const file = await askFile("export", query);
    const href = URL.createObjectURL(file);
    make("a", { href, download: file.name }).click();
    // The browser may read it a little later.
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  button.textContent = words;
}

/** Files to hand over. */
export async function exportPanel(app) {
  const from = make("input", { name: "from", value: Math.max(app.info.oldest + 1, Math.min(app.other ?? app.at, app.at)), size: 9, autocomplete: "off" });
  const to = make("input", { name: "to", value: Math.max(app.at, app.other ?? 0), size: 9, autocomplete: "off" });
  const condition = make("input", { name: "where", value: app.condition, placeholder: "row 7 in done", autocomplete: "off",
    spellcheck: "false", "aria-describedby": "condition-hint", oninput: () => { app.condition = condition.value; } });
  const keeps = make("input", { type: "checkbox", name: "keepContents" });
  const question = make("div", { class: "question", hidden: app.format !== "test" },
    make("label", {}, "What is true of bad versions", condition),
    make("p", { class: "faint", id: "condition-hint" },
      "As in listory bisect, such as: row 7 in done, or: count > 10. The version before the range is good, the last one bad."),
    make("label", { class: "check" }, keeps, "Keep contents; otherwise letters become x, and digits 0"));
  const choices = Object.entries(formats).map(([name, text]) => make("label", { class: "check" },
    make("input", { type: "radio", name: "format", value: name, checked: name === app.format, onchange: () => {
      app.format = name;
      question.hidden = name !== "test";
    } }), text));
  const save = make("button", { class: "main" }, "Save a file");
  return [make("h2", {}, "Export"), make("form", { class: "export", onsubmit: (event) => {
    event.preventDefault();
    const { format } = app;
    const range = format === "store" ? {} : { from: from.value, to: to.value };
    saveFile(app, save, { format, ...range, ...(format === "test" && { where: condition.value, keepContents: keeps.checked }) });
  } },
  make("div", { class: "range" }, make("label", {}, "From version ", from), make("label", {}, "to ", to)),
  choices, question, make("div", { class: "buttons" }, save)),
  make("p", { class: "faint" }, `The newest version is ${app.info.version}${app.info.time ? `, of ${time(app.info.time)}` : ""}.`)];
}
