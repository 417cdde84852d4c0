// The panel of a commit: what it is, its events with contents before and after, and how a table view plays it.
//
// Always holds: what is long is asked for in parts, and only when somebody wants to see it.

import { ask } from "./server.js";
import { causeText, counted, difference, foreign, foreignLines, idText, json, make, number, shortTime, time } from "./text.js";

/** How many events are asked for at a time. */
const part = 50;

/** A button that goes to the version of a commit. */
export const versionButton = (app, version, text = `${version}`) =>
  make("button", { type: "button", class: "link version", onclick: () => app.go(version, { isStep: true }),
    "aria-label": `Version ${version}` }, text);

/** A button that chooses a row. */
export const rowButton = (app, id, text = idText(id)) =>
  make("button", { type: "button", class: "link", onclick: () => app.chooseRow(id) }, foreign(text));

/** A line for a commit: version, name, who, more, when. */
export const commitLine = (app, commit, ...more) =>
  make("div", { class: "commit" },
    versionButton(app, commit.version),
    make("span", {}, foreign(commit.name || causeText(commit), { class: commit.name ? "" : "faint" }),
      commit.origin ? [" ", foreign(commit.origin, { class: "tag" })] : null, more),
    shortTime(commit.time));

/** A name and a value of a list of facts. */
export const fact = (name, ...value) => (value.some((each) => each != null && each !== "")
  ? [make("dt", {}, name), make("dd", {}, value)] : []);

/** A list that is asked for in parts, with a button for the next one. `load` returns its elements, and if there are more. */
export async function inParts(app, list, load) {
  const more = make("button", { type: "button", class: "more", onclick: () => app.attempt(next) }, "Show more");
  const next = async () => {
    more.disabled = true;
    const { elements, hasMore } = await load().finally(() => { more.disabled = false; });
    list.append(...elements);
    more.hidden = !hasMore;
  };
  await next();
  return make("div", {}, list, more);
}

/** Two contents, with what differs between them marked. */
export function beforeAndAfter(old, young) {
  const [oldText, youngText] = [json(old), json(young)];
  const [oldRange, youngRange] = difference(oldText, youngText);
  return make("div", { class: "pair" },
    make("div", {}, make("h5", {}, "Before"), foreignLines(oldText, { marked: oldRange, className: "old" })),
    make("div", {}, make("h5", {}, "After"), foreignLines(youngText, { marked: youngRange, className: "new" })));
}

/** The kinds of events in words. */
const kindText = (kind) => kind.replace(/([A-Z])/g, " $1").toLowerCase().replace("item", "row");

const placeText = (place) => `[${[place].flat().join(", ")}]`;

function eventView(app, { event, text, omitted }) {
  const [kind, fields] = Object.entries(event)[0];
  const body = [];
  const button = (id) => rowButton(app, id, `row ${idText(id)}`);
  const rowViews = (items, className) => items.map((item) => make("div", { class: "item" },
    button(item.id), item.checked ? make("span", { class: "tag" }, "checked") : null,
    foreignLines(json(item.content), { className })));
  switch (kind) {
  case "itemUpdated": body.push(button(fields.id), beforeAndAfter(fields.old, fields.new)); break;
  case "itemsInserted": body.push(...rowViews(fields.items, "new")); break;
  case "itemsDeleted": body.push(...rowViews(fields.items, "old")); break;
  case "sectionRenamed": body.push(beforeAndAfter(fields.old, fields.new)); break;
  case "itemsMoved": case "itemsIndented":
    body.push(make("p", {}, fields.ids.flatMap((id) => [button(id), " "])));
    break;
  case "itemToggled": case "itemCollapsed": body.push(button(fields.id)); break;
  case "annotated": body.push(foreignLines(json(fields.value))); break;
  default: body.push(foreignLines(text.join("\n")));
  }
  const place = fields.from === undefined ? fields.at === undefined ? "" : placeText(fields.at)
    : `${placeText(fields.from)} → ${placeText(fields.to)}`;
  const state = kind === "itemToggled" ? fields.checked ? "checked" : "not checked"
    : kind === "itemCollapsed" ? fields.collapsed ? "collapsed" : "expanded" : "";
  return make("li", { class: `event ${kind}` },
    make("h4", {}, kindText(kind), " ", make("span", { class: "faint" }, place, state && ` ${state}`)),
    body, omitted ? make("p", { class: "faint" }, `and ${counted(omitted, "row")} more`) : null);
}

/** The batches that lead from one version to another, with the verdict of the simulator. */
export async function batchesView(from, to) {
  const answer = await ask("batches", { from, to });
  const verdict = make("p", { class: answer.accepted ? "good" : answer.batches ? "bad" : "faint" },
    "Strict list view: ", foreign(answer.verdict));
  const batches = (answer.batches ?? []).map((batch, index) => make("li", {},
    make("h4", {}, batch.reload ? `Batch ${index + 1}: reload` : `Batch ${index + 1}`, " ",
      make("span", { class: "faint" }, `${counted(batch.operations.length, "operation")}, then ${counted(batch.rows, "row")}`)),
    batch.accepted ? null : make("p", { class: "bad" }, foreign(batch.verdict)),
    foreignLines(batch.operations.join("\n"))));
  return [verdict, batches.length ? make("ol", { class: "events" }, batches) : null];
}

/** The changeset between two versions in numbers. */
async function changesetView(from, to) {
  const { count, changeset } = await ask("changes", { from, to });
  if (!changeset) return make("p", {}, `${number(count)} changes, too many to list.`);
  const lines = Object.entries(changeset).flatMap(([what, changes]) => Object.entries(changes).map(([kind, places]) =>
    `${what} ${kind}: ${places.map((place) => (kind === "moved"
      ? `${placeText(place[0])} → ${placeText(place[1])}` : placeText(place))).join(" ")}`));
  return lines.length ? foreignLines(lines.join("\n")) : make("p", { class: "faint" }, "No row has changed.");
}

/** How a table view plays the way between two versions; asked for when it is opened. */
export function playbackView(app, from, to) {
  const body = make("div");
  const details = make("details", { open: app.showsBatches },
    make("summary", {}, "Changeset and batches of a table view"), body);
  let isAsked = false;
  const open = async () => {
    if (isAsked) return;
    isAsked = true;
    await app.attempt(async () => {
      const [changes, batches] = await Promise.all([changesetView(from, to), batchesView(from, to)]);
      body.replaceChildren(changes, ...batches.filter(Boolean));
    });
  };
  details.addEventListener("toggle", () => {
    app.showsBatches = details.open;
    if (details.open) open();
  });
  return details;
}

/** The panel. */
export async function commitPanel(app) {
  const version = app.at;
  if (version <= app.info.oldest) {
    return [make("h2", {}, `Version ${version}`),
      make("p", {}, version === 0 ? "The empty list, before the first commit." : "The log begins after this version.")];
  }
  let skip = 0;
  let commit = null;
  const load = async () => {
    const answer = await ask("commit", { version, skip, limit: part });
    commit ??= answer;
    skip += answer.events.length;
    return { elements: answer.events.map((event) => eventView(app, event)), hasMore: skip < answer.count };
  };
  const events = await inParts(app, make("ul", { class: "events" }), load);
  const button = (text, request, name) => make("button", { type: "button",
    onclick: () => app.exec(JSON.stringify(request), name) }, text);
  return [
    make("h2", {}, `Version ${version}`, commit.name ? [": ", foreign(commit.name)] : null),
    app.info.canWrite ? make("div", { class: "buttons" },
      button("Go here", { go: version }, `The list has the rows of version ${version}.`),
      button("Restore", { restore: version }, `Version ${version} is restored as a new version.`),
      button("Revert this commit", { revert: version }, `Version ${version} is reverted.`)) : null,
    make("dl", { class: "facts" },
      fact("When", make("time", { datetime: commit.time }, time(commit.time))),
      fact("Cause", causeText(commit)),
      fact("By", commit.origin ? foreign(commit.origin) : null),
      fact("After", commit.parent == null ? null : versionButton(app, commit.parent)),
      fact("Marks", [commit.continuesStep ? "continues the step before" : "", commit.tracking ?? "",
        commit.discardable ? "discardable" : ""].filter(Boolean).join(", ")),
      fact("Hash", make("code", {}, commit.hash)),
      fact("Size", `${number(commit.bytes)} bytes`)),
    make("h3", {}, counted(commit.count, "event")),
    events,
    playbackView(app, version - 1, version),
  ];
}
