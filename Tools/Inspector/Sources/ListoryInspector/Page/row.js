// The panel of a row: its content, which commits made it as it is, why it is where it is, and its history.
//
// Always holds: a part that the server cannot answer says why, and the others are shown.

import { ask, parse } from "./server.js";
import { commitLine, fact, inParts, versionButton } from "./commit.js";
import { rowText } from "./rows.js";
import { fill, foreign, foreignLines, idText, json, make } from "./text.js";

const part = 50;

/** A part of the panel, or why it is missing. */
async function section(title, body) {
  const children = await body().catch((error) => [make("p", { class: "faint" }, foreign(error.message))]);
  return make("section", {}, make("h3", {}, title), children);
}

async function historyView(app, subject) {
  let before = null;
  return inParts(app, make("ol", { class: "history", "aria-label": "History" }), async () => {
    const answer = await ask("history", { id: JSON.stringify(subject.id), section: subject.isSection || null, before, limit: part });
    before = answer.next;
    return {
      elements: answer.changes.map((change) => make("li", {},
        commitLine(app, change, " ", make("span", { class: "kinds" }, change.kinds.join(", "))))),
      hasMore: answer.next != null,
    };
  });
}

async function blameView(app, subject) {
  const { commits } = await ask("blame", { id: JSON.stringify(subject.id) });
  if (!commits) return [make("p", { class: "faint" }, "The row is not in the newest version.")];
  const words = { inserted: "Inserted", updated: "Updated", toggled: "Checked", outlined: "Indented", moved: "Moved" };
  return [make("dl", { class: "facts blame" }, Object.entries(words).map(([name, word]) =>
    fact(word, commits[name] ? commitLine(app, commits[name]) : name === "inserted" ? "before the log begins" : null)))];
}

/** Why the row is where it is in the view that `app.view` describes. */
async function explanation(app, subject) {
  const { text, commits } = await ask("why", { id: JSON.stringify(subject.id), at: app.at, ...app.view });
  if (!text.length) return [make("p", { class: "faint" }, "It had not been inserted yet.")];
  const versions = new Set(Object.values(commits).map(({ version }) => `${version}`));
  // The commits that a sentence names lead to their versions.
  const words = (sentence) => sentence.split(/(?<=\b(?:with|by|Before) )(\d+)/).map((word, index) =>
    (index % 2 === 1 && versions.has(word) ? versionButton(app, Number(word)) : foreign(word)));
  return [make("ul", { class: "why" }, text.map((sentence) => make("li", {}, words(sentence))))];
}

/** The parts of a view, as the server names them. */
const viewFields = {
  search: ["Search", "words"], filter: ["Only rows with", "done=true"], group: ["Sections by", "done"],
  sort: ["Sorted by", "title"], limit: ["At most", "50"],
};
const patterns = { filter: ".*=.*", limit: "[0-9]{1,15}" };
const viewFlags = {
  descending: "Backwards", unchecked: "Without checked rows", outline: "Without rows below collapsed ones",
};

/** Why a row is where it is, in the list or in a view of it that the app shows. The view stays for other rows. */
async function whyView(app, subject) {
  const explain = () => explanation(app, subject).catch((error) => [make("p", { class: "faint" }, foreign(error.message))]);
  const answer = make("div", {}, await explain());
  const view = app.view ?? {};
  const submit = async (event) => {
    event.preventDefault();
    app.view = Object.fromEntries(new FormData(event.target));
    // It is not about to be written any more, so the panel may be filled again.
    for (const field of event.target.elements) {
      [field.defaultValue, field.defaultChecked] = [field.value, field.checked];
    }
    fill(answer, await explain());
  };
  const form = make("form", { class: "editor view", onsubmit: submit },
    Object.entries(viewFields).map(([name, [label, example]]) => make("label", {}, label,
      make("input", { name, value: view[name], placeholder: example, pattern: patterns[name], title: `Like ${example}`,
        autocomplete: "off", spellcheck: "false" }))),
    Object.entries(viewFlags).map(([name, label]) => make("label", { class: "check" },
      make("input", { type: "checkbox", name, value: "true", checked: view[name] === "true" }), label)),
    make("div", { class: "buttons" }, make("button", {}, "Explain")));
  return [answer, make("details", { open: Object.values(view).some((value) => value) }, make("summary", {}, "In a view"), form)];
}

/** A form that makes an edit. `fields` are elements by their labels; `request` makes a text of what is written in them. */
function form(app, text, fields, request, done) {
  return make("form", { class: "editor", onsubmit: (event) => {
    event.preventDefault();
    let body = "";
    try { body = request(...Object.values(fields).map(({ value }) => value)); } catch (error) { return app.problem(error.message); }
    return app.exec(body, done);
  } }, Object.entries(fields).map(([label, field]) => make("label", {}, label, field)),
  make("div", { class: "buttons" }, make("button", { class: "main" }, text)));
}

const textField = () => make("input", { autocomplete: "off", spellcheck: "false" });

const contentField = (text) => make("textarea", { rows: 5, spellcheck: "false" }, text);

/** A content as it was written, so that numbers keep their digits. */
function contentText(text) {
  try { JSON.parse(text); } catch (error) { throw new Error(`The content is not JSON: ${error.message}`); }
  return text;
}

/** An id as JSON: what was written may be JSON, or any other text. */
function newID(text) {
  try { return JSON.stringify(parse(text)); } catch { return JSON.stringify(text); }
}

const editor = (app, { id, content }) => form(app, "Save", { "Content as JSON": contentField(json(content)) },
  (text) => `{"update":{"id":${JSON.stringify(id)},"content":${contentText(text)}}}`, "The row is updated.");

const newRow = (app, section) => form(app, "Insert", { Id: textField(), "Content as JSON": contentField('{"title": ""}') },
  (id, text) => `{"insert":{"id":${newID(id)},"content":${contentText(text)},"section":${JSON.stringify(section)}}}`,
  "The row is inserted.");

const newSection = (app) => form(app, "Insert", { Id: textField(), Title: textField() },
  (id, title) => `{"insertSection":{"id":${newID(id)},"title":${JSON.stringify(title)}}}`, "The section is inserted.");

const newTitle = (app, id) => form(app, "Rename", { "New title": textField() },
  (title) => `{"renameSection":{"id":${JSON.stringify(id)},"title":${JSON.stringify(title)}}}`, "The section is renamed.");

const folded = (title, body) => make("details", {}, make("summary", {}, title), body);

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
const restoreButton = (app, { id, isSection }, version) => make("div", { class: "buttons" }, make("button", { type: "button",
  onclick: () => app.exec(JSON.stringify({ [isSection ? "restoreSection" : "restoreRow"]: { id, version } }),
    `The ${isSection ? "section" : "row"} is as in version ${version}.`) },
  isSection ? "Restore the section" : "Restore the row"));

async function contentView(app, subject) {
  const version = app.at;
  const { at, row } = await ask("row", { id: JSON.stringify(subject.id), at: version });
  if (!at) return [make("p", { class: "faint" }, "The row is not there.")];
  const canEdit = app.info.canWrite && version === app.info.version;
  return [
    make("dl", { class: "facts" },
      fact("Place", `[${at.join(", ")}]`),
      fact("Checked", row.checked ? "yes" : "no"),
      fact("Depth", row.depth ? `${row.depth}${row.collapsed ? ", collapsed" : ""}` : null)),
    row.unreadable ? make("p", { class: "bad" }, foreign(rowText(row))) : foreignLines(json(row.content)),
    canEdit ? [buttons(app, row, at), folded("Edit", editor(app, row))] : null,
    app.info.canWrite && !canEdit ? restoreButton(app, row, version) : null,
  ].flat();
}

/** The panel. */
export async function rowPanel(app) {
  const { subject, at } = app;
  const canEdit = app.info.canWrite && at === app.info.version;
  if (!subject) {
    return [make("h2", {}, "No row is chosen"), make("p", {}, "Choose a row or a section of the list."),
      canEdit ? folded("Insert a section", newSection(app)) : null];
  }
  const title = make("h2", {}, subject.isSection ? "Section " : "Row ", foreign(idText(subject.id)));
  const filter = make("button", { type: "button",
    onclick: () => app.filter({ [subject.isSection ? "section" : "row"]: idText(subject.id) }) }, "Its commits in the log");
  const parts = subject.isSection
    ? [section("History", () => historyView(app, subject)),
      canEdit ? [folded("Rename", newTitle(app, subject.id)), folded("Insert a row", newRow(app, subject.id)),
        folded("Insert a section", newSection(app))] : app.info.canWrite ? restoreButton(app, subject, at) : null]
    : [section(`In version ${at}`, () => contentView(app, subject)),
      section("Blame", () => blameView(app, subject)),
      section("Why", () => whyView(app, subject)),
      section("History", () => historyView(app, subject))];
  return [title, ...(await Promise.all(parts)).flat(), make("div", { class: "buttons" }, filter)];
}
