// The panel of changes: each row that differs between two versions, before and after.
//
// Always holds: the versions are those that are side by side; otherwise this one and the one before it.

import { ask } from "./server.js";
import { inParts, playbackView, rowButton, versionButton } from "./commit.js";
import { rowText } from "./rows.js";
import { counted, difference, foreign, foreignLines, idText, make } from "./text.js";

const part = 100;

const placeText = (side) => (side ? `[${[side.at ?? side.section].flat().join(", ")}]` : "");

/** A change of a row or a section. */
function changeView(app, change) {
  // An updated row has its place in both versions, which says nothing if it is the same.
  const place = [...new Set([placeText(change.old), placeText(change.new)])].filter(Boolean);
  const tag = make("span", { class: `kind ${change.kind}` }, change.kind);
  const where = make("span", { class: "faint" }, place.join(" → "));
  const row = change.new ?? change.old;
  if (!row.at) {
    const titles = [...new Set([change.old, change.new].filter(Boolean).map(({ title, id }) => title || idText(id)))];
    return make("li", {}, tag, " section ", titles.map((title, index) => [index ? " → " : "", foreign(title)]), " ", where);
  }
  const texts = [change.old, change.new].map((side) => side && rowText(side));
  const isText = change.kind === "updated" && texts[0] !== texts[1];
  // A text and the reason why there is none have no difference to mark.
  const isMarked = isText && !change.old.unreadable && !change.new.unreadable;
  const [old, young] = isMarked ? difference(texts[0], texts[1]) : [null, null];
  const body = isText
    ? [foreignLines(texts[0], { marked: old, className: "old" }), foreignLines(texts[1], { marked: young, className: "new" })]
    : foreignLines(rowText(row), { className: change.kind === "deleted" ? "old" : change.kind === "inserted" ? "new" : "" });
  const isChecked = change.kind === "updated" && change.old.checked !== change.new.checked
    ? make("span", { class: "tag" }, change.new.checked ? "checked" : "not checked any more") : null;
  return make("li", {}, tag, " ", rowButton(app, row.id), " ", where, isChecked, body);
}

/** The panel. */
export async function changesPanel(app) {
  const to = app.at;
  const from = app.other ?? Math.max(app.info.oldest, to - 1);
  let skip = 0;
  let count = 0;
  const list = await inParts(app, make("ul", { class: "changes" }), async () => {
    const answer = await ask("diff", { from, to, skip, limit: part });
    skip += answer.changes.length;
    count = answer.count;
    return { elements: answer.changes.map((change) => changeView(app, change)), hasMore: skip < answer.count };
  });
  return [
    make("h2", {}, "From ", versionButton(app, from), ` to ${to}`),
    make("p", { class: "faint" }, count ? counted(count, "change") : "Both versions have the same rows."),
    list,
    playbackView(app, from, to),
  ];
}
