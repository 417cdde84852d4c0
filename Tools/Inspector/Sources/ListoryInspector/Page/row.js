// The panel of a row: its content, which commits made it as it is, why it is where it is, and its history.
//
// Always holds: a part that the server cannot answer says why, and the others are shown.

import { ask } from "./server.js";
import { commitLine, fact, inParts, versionButton } from "./commit.js";
import { foreign, foreignLines, idText, json, make } from "./text.js";

const part = 50;

/** A part of the panel, or why it is missing. */
async function section(title, body) {
  const children = await body().catch((error) => [make("p", { class: "faint" }, foreign(error.message))]);
  return make("section", {}, make("h3", {}, title), children);
}

async function historyView(app, subject) {
  let before = null;
  return inParts(app, make("ol", { class: "history", "aria-label": "History" }), async () => {
    const answer = await ask("history", { id: idText(subject.id), section: subject.isSection || null, before, limit: part });
    before = answer.next;
    return {
      elements: answer.changes.map((change) => make("li", {},
        commitLine(app, change, " ", make("span", { class: "kinds" }, change.kinds.join(", "))))),
      hasMore: answer.next != null,
    };
  });
}

async function blameView(app, subject) {
  const { rows } = await ask("blame", { id: idText(subject.id) });
  if (!rows.length) return [make("p", { class: "faint" }, "The row is not in the newest version.")];
  const words = { inserted: "Inserted", updated: "Updated", toggled: "Checked", outlined: "Indented", moved: "Moved" };
  return [make("dl", { class: "facts blame" }, Object.entries(words).map(([name, word]) =>
    fact(word, rows[0][name] ? commitLine(app, rows[0][name]) : name === "inserted" ? "before the log begins" : null)))];
}

async function whyView(app, subject) {
  const { text, commits } = await ask("why", { id: idText(subject.id), at: app.at });
  if (!text.length) return [make("p", { class: "faint" }, "It had not been inserted yet.")];
  const versions = new Set(Object.values(commits).map(({ version }) => `${version}`));
  // The commits that a sentence names lead to their versions.
  const words = (sentence) => sentence.split(/(?<=\b(?:with|by|Before) )(\d+)/).map((word, index) =>
    (index % 2 === 1 && versions.has(word) ? versionButton(app, Number(word)) : foreign(word)));
  return [make("ul", { class: "why" }, text.map((sentence) => make("li", {}, words(sentence))))];
}

/** A form that edits the content of a row as JSON. */
function editor(app, id, content) {
  const field = make("textarea", { rows: 5, spellcheck: "false", "aria-label": "Content as JSON" });
  field.value = json(content);
  return make("form", { class: "editor", onsubmit: (event) => {
    event.preventDefault();
    try { JSON.parse(field.value); } catch (error) { return app.problem(`The content is not JSON: ${error.message}`); }
    // The text as it is, so that numbers keep their digits.
    return app.exec(`{"update":{"id":${JSON.stringify(id)},"content":${field.value}}}`, "The row is updated.");
  } }, field, make("div", { class: "buttons" }, make("button", { class: "main" }, "Save")));
}

function buttons(app, row, at) {
  const button = (text, request, done) => make("button", { type: "button", disabled: request === null,
    onclick: () => app.exec(JSON.stringify(request), done) }, text);
  const [section, item] = at;
  const move = (to) => (to < 0 ? null : { move: { id: row.id, to: [section, to] } });
  return make("div", { class: "buttons" },
    button(row.checked ? "Uncheck" : "Check", { toggle: { id: row.id } }, "The row is checked or not."),
    button("Up", move(item - 1), "The row is moved up."),
    button("Down", move(item + 1), "The row is moved down."),
    button("Delete", { delete: { id: row.id } }, "The row is deleted."));
}

/** Brings the row or section of an old version back. */
const restoreButton = (app, { id, isSection }) => make("div", { class: "buttons" }, make("button", { type: "button",
  onclick: () => app.exec(JSON.stringify({ [isSection ? "restoreSection" : "restoreRow"]: { id, version: app.at } }),
    `The ${isSection ? "section" : "row"} is as in version ${app.at}.`) },
  isSection ? "Restore the section" : "Restore the row"));

async function contentView(app, subject) {
  const place = { id: idText(subject.id), at: app.at };
  const { line } = await ask("find", place);
  if (line == null) return [make("p", { class: "faint" }, "The row is not there.")];
  const { at, row } = await ask("row", place);
  const canEdit = app.info.canWrite && app.at === app.info.version;
  return [
    make("dl", { class: "facts" },
      fact("Place", `[${at.join(", ")}]`),
      fact("Checked", row.checked ? "yes" : "no"),
      fact("Depth", row.depth ? `${row.depth}${row.collapsed ? ", collapsed" : ""}` : null)),
    foreignLines(json(row.content)),
    canEdit ? [buttons(app, row, at), make("details", {}, make("summary", {}, "Edit"), editor(app, row.id, row.content))] : null,
    app.info.canWrite && !canEdit ? restoreButton(app, subject) : null,
  ].flat();
}

/** The panel. */
export async function rowPanel(app) {
  const subject = app.subject;
  if (!subject) return [make("h2", {}, "No row is chosen"), make("p", {}, "Choose a row or a section of the list.")];
  const title = make("h2", {}, subject.isSection ? "Section " : "Row ", foreign(idText(subject.id)));
  const filter = make("button", { type: "button",
    onclick: () => app.filter({ [subject.isSection ? "section" : "row"]: idText(subject.id) }) }, "Its commits in the log");
  const parts = subject.isSection
    ? [section("History", () => historyView(app, subject)),
      app.info.canWrite && app.at < app.info.version ? restoreButton(app, subject) : null]
    : [section(`In version ${app.at}`, () => contentView(app, subject)),
      section("Blame", () => blameView(app, subject)),
      section("Why", () => whyView(app, subject)),
      section("History", () => historyView(app, subject))];
  return [title, ...await Promise.all(parts), make("div", { class: "buttons" }, filter)];
}
