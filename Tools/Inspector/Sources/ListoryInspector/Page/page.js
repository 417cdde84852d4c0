// The page: which version is shown, what is chosen, and how the parts follow.
//
// Always holds: the page shows what the server has sent, and nothing else; of several versions that were asked for quickly,
// the last one is shown; the link of the page leads back to what it shows.

import { ask, exec, follow, parse } from "./server.js";
import { counted, element, fill, foreign, idText, make, number, time } from "./text.js";
import { Windowed } from "./windowed.js";
import { fillLine, marks, RowSource } from "./rows.js";
import { FilteredLog, fillCommit, filterNames, WholeLog } from "./log.js";
import { Timeline } from "./timeline.js";
import { commitPanel } from "./commit.js";
import { rowPanel } from "./row.js";
import { changesPanel } from "./changes.js";
import { Bookmarks, bookmarksPanel, branchesPanel, exportPanel, findPanel, trashPanel } from "./panels.js";

const panels = {
  commit: commitPanel, row: rowPanel, changes: changesPanel, find: findPanel, trash: trashPanel,
  branches: branchesPanel, bookmarks: bookmarksPanel, export: exportPanel,
};

/** Versions so near to each other that their changes are marked. */
const nearVersions = 100;

/** What the panels see of the page. */
const app = {
  /** The last answer about the store. */
  info: null,
  /** The version that is shown, and the one beside it. */
  at: 0,
  other: null,
  /** Whether new versions are shown when they come. */
  isFollowing: true,
  /** The row or section that is chosen. */
  subject: null,
  words: "",
  trashWords: "",
  /** What is exported, and the condition of a test. */
  format: "lines",
  condition: "",
  showsBatches: false,
  commitName: "",
  bookmarks: null,
  go, chooseRow, filter: setFilter, exec: edit, attempt, problem, showPanel, bookmark, bookmarksChanged,
};

let tab = "commit";
let filter = {};
let log = null;
let source = null;

const list = new Windowed(element("list"), { fill: fillLine, choose: chooseLine });
const otherList = new Windowed(element("other-list"), { fill: fillLine, choose: chooseLine });
const logList = new Windowed(element("log"), {
  fill: (line, commit) => (commit || log?.isComplete !== false ? fillCommit(line, commit)
    : fill(line, make("span", { class: "faint" }, `Looking at version ${number(log.reached)} …`))),
  choose: (commit) => go(commit.version),
});
const timeline = new Timeline(element("timeline"), (version) => go(version));

// MARK: Messages

/** Says what went wrong; nothing for "nothing any more". */
function problem(text = "") { fill(element("problem"), text === "" ? "" : foreign(text)); }

let saying = null;

/** Tells screen readers what is shown, when it has been so for a moment. */
function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => fill(element("status"), text), 400);
}

let running = 0;

/** Runs what may be refused. The page says that it is busy meanwhile. */
async function attempt(body) {
  running += 1;
  element("main").setAttribute("aria-busy", "true");
  try {
    return await body();
  } catch (error) {
    if (error.status === undefined) throw error;
    problem(error.status === 401 ? "This browser has no key to the store. Open the link that the program has printed."
      : error.message);
    return undefined;
  } finally {
    running -= 1;
    if (running === 0) element("main").setAttribute("aria-busy", "false");
  }
}

// MARK: The version

/** What is being loaded, and what is to be shown after it. */
let going = null;
let wanted = null;

/**
 * Shows a version: a number, or a name of one.
 *
 * @param isStep whether the browser's history gets an entry.
 */
async function go(version, { isStep = false, duration = 220 } = {}) {
  wanted = { version, isStep, duration };
  if (going !== null) return;
  while (wanted !== null) {
    [going, wanted] = [wanted, null];
    const { version: name, isStep: isEntry, duration: time } = going;
    const before = performance.now();
    const isShown = await attempt(async () => { await showVersion(name, time); return true; });
    if (!isShown) { pause(); break; }
    performance.measure("version", { start: before, detail: app.at });
    writeLink(isEntry);
  }
  going = null;
}

async function showVersion(name, duration) {
  const next = await RowSource.at(name, ...list.sight(source?.total ?? 0));
  const from = app.at;
  const isNear = source && next.version !== from && Math.abs(next.version - from) <= nearVersions;
  const found = isNear && app.other === null ? await marks(from, next.version) : null;
  app.at = next.version;
  source = next;
  problem();
  if (app.other === null) {
    await list.show(next, found ? {
      mark: (line) => found.marks.after(line), isGone: (line) => found.marks.before(line) === "deleted", duration,
    } : {});
  } else {
    await showSides();
  }
  versionShown();
}

/** The parts that tell which version is shown. */
function versionShown() {
  placeShown();
  if (!player) showPanel();
}

/** As above, without the panel. */
function placeShown() {
  const { at, info } = app;
  app.isFollowing = at === info.version;
  element("version").value = at;
  fill(element("head"), `of ${number(info.version)}`);
  element("slider").value = at;
  element("rows-count").textContent =
    `${counted(source.rows, "row")} in ${counted(source.sections, "section")}`;
  element("this-title").textContent = `Version ${at}`;
  element("live").hidden = at === info.version;
  for (const [id, isEnd] of [["first", at <= info.oldest], ["back", at <= info.oldest], ["forward", at >= info.version],
    ["last", at >= info.version]]) element(id).setAttribute("aria-disabled", isEnd);
  markTimeline();
  showCommitName();
}

function markTimeline() {
  timeline.mark({ at: app.at, other: app.other, bookmarks: app.bookmarks.all.map(({ version }) => version) });
}

/** Shows which commit of the log has made the version. */
async function showCommitName() {
  const { at } = app;
  const index = log.index(at);
  if (index < 0 || at <= app.info.oldest) {
    logList.setChosen(`${at}`);
    app.commitName = "";
    if (at > app.info.oldest) await attempt(async () => nameCommit(at, await ask("commit", { version: at, limit: 1 })));
    else nameCommit(at, null);
    return;
  }
  await attempt(() => log.load(index, index + 1));
  if (app.at !== at) return;
  logList.setChosen(`${at}`, index);
  nameCommit(at, log.item(index));
}

function nameCommit(at, commit) {
  if (app.at !== at) return;
  app.commitName = commit?.name ?? "";
  fill(element("commit-name"), commit ? [foreign(commit.name), " ",
    make("time", { class: "faint", datetime: commit.time }, time(commit.time))]
    : make("span", { class: "faint" }, at === 0 ? "before the first commit" : "before the log begins"));
  const words = `Version ${at} of ${app.info.version}${commit?.name ? `, ${commit.name}` : ""}`;
  element("slider").setAttribute("aria-valuetext", words);
  say(player ? "" : `${words}, ${counted(source.rows, "row")}`);
}

/** One version back or forward, or to the next one that the filter lets through. */
async function step(count, isFiltered = false) {
  if (isFiltered && log instanceof FilteredLog) {
    const version = await attempt(() => log.neighbour(app.at, count < 0));
    return version === undefined ? undefined : go(version);
  }
  // Keys come faster than versions.
  const goal = (wanted ?? going)?.version;
  const from = typeof goal === "number" ? goal : app.at;
  return go(Math.min(Math.max(from + count, app.info.oldest), app.info.version));
}

// MARK: Playing

/** What plays, until it is paused. */
let player = null;

/** The longest pause between two versions, in milliseconds; the shortest one in which each is shown. */
const longestPause = 2000;
const shortestPause = 50;

async function play() {
  if (player) return pause();
  const mine = player = {};
  playing(true);
  if (app.at >= app.info.version) await go(app.info.oldest);
  while (player === mine && app.at < app.info.version) {
    const began = performance.now();
    const { pauseTime, count } = await pace();
    if (player !== mine) return undefined;
    await go(Math.min(app.at + count, app.info.version), { duration: Math.min(220, pauseTime * 0.8) });
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, pauseTime - (performance.now() - began))));
  }
  if (player === mine) pause();
  return undefined;
}

/** How long a version is shown, and how many versions later the next one is. */
async function pace() {
  const speed = element("speed").value;
  if (speed !== "recorded") {
    const pauseTime = 1000 / Number(speed);
    return pauseTime >= shortestPause ? { pauseTime, count: 1 }
      : { pauseTime: shortestPause, count: Math.round(shortestPause / pauseTime) };
  }
  const { at } = app;
  if (at <= app.info.oldest) return { pauseTime: 1000, count: 1 };
  const { commits } = await ask("log", { before: at + 2, limit: 2 });
  const between = commits.length === 2 ? Date.parse(commits[0].time) - Date.parse(commits[1].time) : 0;
  return { pauseTime: Math.min(Math.max(between, shortestPause), longestPause), count: 1 };
}

function pause() {
  if (!player) return;
  player = null;
  playing(false);
  showPanel();
  showCommitName();
}

function playing(isPlaying) {
  element("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  element("play").classList.toggle("on", isPlaying);
}

// MARK: What is chosen

function chooseLine(line) {
  app.subject = { id: line.id, isSection: !line.at };
  for (const each of [list, otherList]) each.setChosen(subjectKey());
  openTab("row");
  writeLink();
}

/** Chooses a row by its id, and shows where it is. */
async function chooseRow(id) {
  app.subject = { id, isSection: false };
  for (const each of [list, otherList]) each.setChosen(subjectKey());
  openTab("row");
  writeLink();
  await reveal();
}

/** Scrolls the list to the row that is chosen, if this version has it. */
async function reveal() {
  if (!app.subject || app.subject.isSection || list.chosen) return;
  await attempt(async () => {
    const { line } = await ask("find", { id: idText(app.subject.id), at: app.at });
    if (line == null) return;
    await source.load(line, line + 1);
    list.setChosen(subjectKey(), line);
  });
}

// MARK: Two versions

/** Shows a version beside this one, or none. */
async function compare(version) {
  await attempt(async () => {
    const next = version === null ? null : await RowSource.at(version, 0, 60);
    app.other = next?.version ?? null;
    // Before the lines are drawn: a list that is hidden has no height, so it would have too few of them.
    showsSides(next !== null);
    if (next === null) {
      await list.show(source);
    } else {
      openTab("changes");
      await showSides(next);
    }
    problem();
    versionShown();
    writeLink();
  });
}

/** Makes room for two lists, or for one. */
function showsSides(isOn) {
  element("other-side").hidden = element("this-title").hidden = element("compare-end").hidden = !isOn;
  element("sides").classList.toggle("two", isOn);
  element("other").value = isOn ? app.other : "";
  element("other-title").textContent = `Version ${app.other}`;
}

/** Fills both lists, with marks for what differs. */
async function showSides(other = otherList.source) {
  const found = await marks(app.other, app.at);
  element("compare").classList.toggle("unmarked", !found.isComplete);
  await Promise.all([
    otherList.show(other, { mark: (line) => found.marks.before(line) }),
    list.show(source, { mark: (line) => found.marks.after(line) }),
  ]);
}

// MARK: The log

async function setFilter(next) {
  filter = Object.fromEntries(Object.entries(next).filter(([, value]) => value));
  const form = element("filter");
  for (const name of filterNames) form.elements[name].value = filter[name] ?? "";
  const isOn = Object.keys(filter).length > 0;
  element("filter-button").classList.toggle("on", isOn);
  if (isOn) showFilter(true);
  showPane("log");
  await showLog(true);
  writeLink();
}

/** Shows the log, from the beginning or with what is new. */
async function showLog(isNew = false) {
  const { oldest, version } = app.info;
  const isFiltered = Object.keys(filter).length > 0;
  await attempt(async () => {
    if (isFiltered && log instanceof FilteredLog && !isNew) await log.grow(version);
    else log = isFiltered ? new FilteredLog(filter, oldest, version) : new WholeLog(oldest, version, log);
    await logList.show(log);
    problem();
    countLog();
    if (isNew && source) showCommitName();
  });
}

function countLog() {
  element("log-count").textContent = log instanceof FilteredLog
    ? `${counted(log.found, "commit")}${log.isComplete ? "" : " so far"}` : counted(log.total, "commit");
}

function showFilter(isOpen) {
  element("filter").hidden = !isOpen;
  element("filter-button").setAttribute("aria-expanded", isOpen);
}

// MARK: Panels

function openTab(name, focuses = false) {
  tab = name;
  for (const button of element("tabs").children) {
    const isOpen = button.dataset.tab === name;
    button.setAttribute("aria-selected", isOpen);
    button.tabIndex = isOpen ? 0 : -1;
    if (isOpen && focuses) button.focus();
  }
  element("detail").setAttribute("aria-labelledby", `tab-${name}`);
  if (source) writeLink();
  return showPanel();
}

let panelNumber = 0;

/** Fills the panel again. Of several fillings, the last one counts. */
async function showPanel() {
  // Nothing takes away what somebody is writing.
  if (document.activeElement.matches("#detail textarea, #detail [name=where]")) return;
  panelNumber += 1;
  const mine = panelNumber;
  const name = tab;
  const detail = element("detail");
  await attempt(async () => {
    const children = await panels[name](app).catch((error) => {
      if (error.status === undefined) throw error;
      return [make("p", { class: "faint" }, foreign(error.message))];
    });
    if (mine !== panelNumber) return;
    const isSame = detail.dataset.panel === name;
    const top = detail.scrollTop;
    const hadFocus = detail.contains(document.activeElement) && detail !== document.activeElement;
    fill(detail, ...children);
    if (hadFocus) detail.focus({ preventScroll: true });
    detail.dataset.panel = name;
    detail.dataset.version = app.at;
    detail.scrollTop = isSame ? top : 0;
  });
}

/** On a narrow page, one part is shown at a time. */
function showPane(name) {
  document.body.dataset.pane = name;
  for (const button of element("panes").children) button.setAttribute("aria-pressed", button.dataset.pane === name);
}

// MARK: Editing

/** Makes an edit, then shows the newest version. */
async function edit(request, done) {
  await attempt(async () => {
    const { version } = await exec(request, app.info.token);
    await learn();
    await go(version);
    say(done);
  });
}

function showUndo() {
  element("editing").hidden = !app.info.canWrite;
  for (const [id, step, word] of [["undo", app.info.undo, "Undo"], ["redo", app.info.redo, "Redo"]]) {
    fill(element(id), word, step?.name ? [" ", foreign(step.name)] : "");
    element(id).disabled = !step;
  }
}

// MARK: Links

/** What the link of the page says. */
function link() {
  const words = new URLSearchParams({ at: app.isFollowing ? "head" : app.at });
  if (app.other !== null) words.set("beside", app.other);
  if (app.subject) words.set("chosen", subjectKey());
  words.set("tab", tab);
  for (const [name, value] of Object.entries(filter)) words.set(name, value);
  return `#${words}`;
}

const subjectKey = () => `${app.subject.isSection ? "section" : "row"} ${JSON.stringify(app.subject.id)}`;

/** What a key such as "row 7" means; nothing for any other text. */
function readSubject(text) {
  const [, kind, id] = /^(row|section) (.+)$/s.exec(text) ?? [];
  try { return kind ? { id: parse(id), isSection: kind === "section" } : null; } catch { return null; }
}

let writing = null;

/** Writes the link, when nothing has changed for a moment: browsers allow only so many changes. */
function writeLink(isStep = false) {
  clearTimeout(writing);
  const write = () => {
    if (location.hash === link()) return;
    if (isStep) history.pushState(null, "", link());
    else history.replaceState(null, "", link());
  };
  if (isStep) write();
  else writing = setTimeout(write, 200);
}

/** Shows what a link says. */
async function readLink() {
  const words = new URLSearchParams(location.hash.slice(1));
  const at = words.get("at") || "head";
  filter = {};
  await setFilter(Object.fromEntries(filterNames.map((name) => [name, words.get(name)])));
  app.subject = readSubject(words.get("chosen") ?? "");
  if (app.subject) for (const each of [list, otherList]) each.setChosen(subjectKey());
  tab = words.get("tab") in panels ? words.get("tab") : "commit";
  openTab(tab);
  showPane("rows");
  await go(at);
  await compare(words.get("beside"));
  await reveal();
}

function bookmark(label) {
  app.bookmarks.add({ label: label || app.commitName, version: app.at, place: link().replace("at=head", `at=${app.at}`) });
  bookmarksChanged();
  say(`Version ${app.at} has a bookmark.`);
}

function bookmarksChanged() {
  markTimeline();
  if (tab === "bookmarks") showPanel();
}

// MARK: New versions

/** Asks what the store is now. */
async function learn() {
  app.info = await ask("state");
  const { info } = app;
  const slider = element("slider");
  [slider.min, slider.max] = [info.oldest, info.version];
  showUndo();
}

let isLearning = false;
let hasNews = false;

/** Another version is there. Of many, the last one is shown. */
async function news() {
  hasNews = true;
  if (isLearning) return;
  isLearning = true;
  while (hasNews) {
    hasNews = false;
    const wasFollowing = app.isFollowing && !player;
    await attempt(async () => {
      await learn();
      await showLog();
      await showTimeline();
    });
    // An edit of this page has shown its version already.
    if (app.at === app.info.version) placeShown();
    else if (wasFollowing) await go(app.info.version);
    else versionShown();
  }
  isLearning = false;
}

async function showTimeline() {
  const buckets = Math.max(50, Math.min(1000, Math.floor(element("timeline").clientWidth / 3)));
  timeline.show(await ask("timeline", { buckets }));
}

// MARK: Controls

const on = (id, name, body) => element(id).addEventListener(name, body);

on("first", "click", () => go(app.info.oldest));
on("back", "click", () => step(-1));
on("play", "click", play);
on("forward", "click", () => step(1));
on("last", "click", () => go(app.info.version));
on("live", "click", () => go(app.info.version));
on("slider", "input", (event) => { pause(); go(Number(event.target.value)); });
on("jump", "submit", (event) => {
  event.preventDefault();
  pause();
  go(element("version").value.trim(), { isStep: true });
});
on("compare", "submit", (event) => {
  event.preventDefault();
  compare(element("other").value.trim() || Math.max(app.info.oldest, app.at - 1));
});
on("compare-end", "click", () => compare(null));
on("undo", "click", () => edit('{"undo":1}', "Undone."));
on("redo", "click", () => edit('{"redo":1}', "Redone."));
on("filter-button", "click", () => showFilter(element("filter").hidden));
on("filter", "submit", (event) => {
  event.preventDefault();
  setFilter(Object.fromEntries(new FormData(event.target)));
});
on("filter", "reset", () => setFilter({}));
on("help", "click", () => element("keys").showModal());
on("tabs", "click", (event) => {
  const name = event.target.closest("button")?.dataset.tab;
  if (name) openTab(name);
});
on("tabs", "keydown", (event) => {
  const names = Object.keys(panels).filter((name) => !element(`tab-${name}`).hidden);
  const at = names.indexOf(tab);
  const places = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 };
  if (!(event.key in places)) return;
  event.preventDefault();
  event.stopPropagation();
  openTab(names.at(places[event.key] % names.length), true);
});
on("panes", "click", (event) => {
  const name = event.target.closest("button")?.dataset.pane;
  if (name) showPane(name);
});

const keys = {
  ArrowLeft: (event) => { pause(); step(-1, event.shiftKey); },
  ArrowRight: (event) => { pause(); step(1, event.shiftKey); },
  " ": play,
  "/": () => { showPane("log"); showFilter(true); element("filter").elements.text.focus(); },
  s: async () => { showPane("detail"); await openTab("find"); element("detail").querySelector("input")?.focus(); },
  c: () => { showPane("rows"); element("other").focus(); },
  m: () => bookmark(app.commitName),
  n: () => go(app.info.version),
  "?": () => element("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || element("keys").open) return;
  if (!element("single-keys").checked) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // In a field the keys are for the field, and a button is pressed by the space bar.
  if (event.target.matches("input, textarea, select") && !event.target.matches("[type=checkbox]")) return;
  if (key === " " && event.target.closest("button, summary, a, [type=checkbox]")) return;
  if (!(key in keys)) return;
  event.preventDefault();
  keys[key](event);
});

addEventListener("popstate", readLink);

// MARK: Start

await attempt(async () => {
  await learn();
  document.title = `${app.info.name} – Listory`;
  fill(element("name"), foreign(app.info.name));
  element("name").title = app.info.path;
  app.bookmarks = new Bookmarks(app.info.path);
  for (const [id, names] of [["kind", app.info.kinds], ["cause", app.info.causes]]) {
    element("filter").elements[id].append(...names.map((name) => make("option", { value: name }, name)));
  }
  await readLink();
  performance.mark("usable");
  await showTimeline();
  let known = app.info.version;
  follow({
    version: ({ version }) => { if (version !== known) { known = version; news(); } },
    lost: (isLost) => document.body.classList.toggle("lost", isLost),
  });
});
