// The page: which version is shown, what is chosen, and how the parts follow.
//
// Always holds: the page shows what the server has sent, and nothing else; of several versions that were asked for quickly,
// the last one is shown; the link of the page leads back to what it shows.

import { ask, exec, follow, parse } from "./server.js";
import { counted, element, fill, foreign, make, number, time, visible } from "./text.js";
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
/** The filter of the log, also while it is still being loaded. */
let filter = {};
/** The rows that are shown, and how often commits had been replaced before they were asked for. */
let source = null;
let replacements = 0;

const list = new Windowed(element("list"), { fill: fillLine, choose: chooseLine, attempt });
const otherList = new Windowed(element("other-list"), { fill: fillLine, choose: chooseLine, attempt });
const logList = new Windowed(element("log"), {
  fill: (line, commit, log) => (commit || log.isComplete ? fillCommit(line, commit)
    : fill(line, make("span", { class: "faint" }, `Looking at version ${number(log.reached)} …`))),
  choose: (commit) => go(commit.version),
  loaded: countLog,
  attempt,
});
const timeline = new Timeline(element("timeline"), (version) => go(version));

// MARK: Messages

/** Says what went wrong, until the user does something else; nothing for "nothing any more". */
function problem(text = "") { fill(element("problem"), text === "" ? "" : foreign(text)); }

/** What screen readers are told next: what was done, and what is shown. */
let telling = null;
let done = [];
let place = [];
let placeText = "";

function tell() {
  clearTimeout(telling);
  telling = setTimeout(() => {
    fill(element("status"), done, done.length && place.length ? " " : "", place);
    [done, place] = [[], []];
  }, 400);
}

/** Tells screen readers what was done. It stays until something else is shown. */
function say(text) { done = [text]; tell(); }

/** Tells screen readers what is shown, when it has been so for a moment, and once. */
function sayPlace(...parts) {
  const text = make("span", {}, parts).textContent;
  if (text === placeText) return;
  [place, placeText] = [parts, text];
  tell();
}

let running = 0;

/** Runs what may be refused, and never fails. The page says that it is busy meanwhile. */
async function attempt(body) {
  running += 1;
  element("main").setAttribute("aria-busy", "true");
  try {
    return await body();
  } catch (error) {
    if (error.status === undefined) reportError(error);
    problem(error.message);
    return undefined;
  } finally {
    running -= 1;
    if (running === 0) element("main").setAttribute("aria-busy", "false");
  }
}

// MARK: The version

/** What is to be shown next, what is being loaded, and the work of showing. */
let wanted = null;
let going = null;
let showing = null;

/** Shows what the user asks for: a version, by its number or a name; see `show`. */
function go(at, { isStep = false } = {}) {
  pause();
  problem();
  return show({ at, isStep });
}

/**
 * Shows a version, and one beside it. Of calls that come while something is loaded, the last one counts; what it does not
 * mention is as the calls before it wanted it. So everything that is shown belongs together.
 *
 * @param next `at`, a version; `beside`, another one, or null for none; `isStep`, whether the browser's history gets an entry;
 *   `duration` of the motion, in milliseconds.
 * @returns whether the last one could be shown, when nothing is wanted any more.
 */
function show(next) {
  wanted = { ...wanted, ...next };
  showing ??= showWanted().finally(() => { showing = null; });
  return showing;
}

async function showWanted() {
  let isShown = false;
  while (wanted !== null) {
    const next = going = wanted;
    wanted = null;
    const before = performance.now();
    isShown = await attempt(async () => { await showVersions(next); return true; }) ?? false;
    if (isShown) {
      performance.measure("version", { start: before, detail: app.at });
      writeLink(next.isStep);
    } else {
      pause();
      // The controls show again what the lists show. There is always something to look at.
      if (source) placeShown();
      else if (next.beside != null) wanted ??= { at: next.at };
      else if (next.at !== "head") wanted ??= { at: "head" };
    }
  }
  going = null;
  return isShown;
}

/** Whether versions that are shown may be other commits by now. */
const isReplaced = () => source !== null && replacements !== app.info.replacements;

async function showVersions({ at, beside, duration = 220 }) {
  const from = app.at;
  const { info } = app;
  const isOther = isReplaced();
  if (isOther) {
    at ??= Math.min(from, info.version);
    beside ??= app.other && Math.min(app.other, info.version);
  }
  const [next, other] = await Promise.all([
    at === undefined ? source : RowSource.at(at, ...list.sight(source?.total ?? 0)),
    beside === undefined ? app.other !== null && otherList.source : beside !== null && RowSource.at(beside, 0, 60),
  ]);
  const isNear = source && !isOther && next.version !== from && Math.abs(next.version - from) <= nearVersions;
  const found = other ? await marks(other.version, next.version) : isNear ? await marks(from, next.version) : null;
  // Before the lines are drawn: a list that is hidden has no height, so it would have too few of them.
  showSides(next, other, found?.isComplete);
  const mark = found ? (line) => found.marks.after(line) : undefined;
  await Promise.all(other ? [list.show(next, { mark }), otherList.show(other, { mark: (line) => found.marks.before(line) })]
    : [list.show(next, { mark, isGone: (line) => found?.marks.before(line) === "deleted", duration: found ? duration : 0 })]);
  Object.assign(app, { at: next.version, other: other ? other.version : null });
  [source, replacements] = [next, info.replacements];
  versionShown();
}

/** The parts that tell which version is shown. */
function versionShown() {
  placeShown();
  if (!player) refreshPanel();
}

/** Makes room for two lists, or for one. */
function showSides(one, other, isMarked = true) {
  element("other-side").hidden = element("this-title").hidden = element("compare-end").hidden = !other;
  element("sides").classList.toggle("two", Boolean(other));
  element("this-title").textContent = `Version ${one.version}`;
  element("other-title").textContent = `Version ${other?.version}${isMarked ? "" : ": too many changes to mark them"}`;
}

/** Writes into a field, unless somebody is writing there. */
function write(field, text) {
  if (field === document.activeElement && field.value !== field.defaultValue) return;
  field.value = field.defaultValue = text;
}

/** What somebody has written into a field, which may be written again by the page. */
function taken(field) {
  field.defaultValue = field.value;
  return field.value.trim();
}

/** As above, without the panel. */
function placeShown() {
  const { at, info } = app;
  app.isFollowing = at === info.version;
  element("main").dataset.version = at;
  write(element("version"), `${at}`);
  write(element("other"), `${app.other ?? ""}`);
  fill(element("head"), `of ${number(info.version)}`);
  // Keys on the slider come faster than versions.
  if (wanted?.at === undefined) element("slider").value = at;
  element("rows-count").textContent =
    `${counted(source.rows, "row")} in ${counted(source.sections, "section")}`;
  element("live").hidden = at === info.version;
  for (const [id, isEnd] of [["first", at <= info.oldest], ["back", at <= info.oldest], ["forward", at >= info.version],
    ["last", at >= info.version]]) element(id).setAttribute("aria-disabled", isEnd);
  markTimeline();
  showCommitName();
}

function markTimeline() {
  timeline.mark({ at: app.at, other: app.other, bookmarks: app.bookmarks.all.map(({ version }) => version) });
}

/** The version whose commit is in sight in the log. */
let revealed = null;

/** Shows which commit of the log has made the version. The log scrolls to it only when the version is another one. */
async function showCommitName() {
  const { at } = app;
  const isLast = wanted?.at === undefined;
  const { source: log } = logList;
  const index = at > app.info.oldest ? log.index(at) : -1;
  const commit = await attempt(async () => {
    if (at <= app.info.oldest) return null;
    if (index < 0) return (await ask("log", { before: at + 1, limit: 1 })).commits[0];
    await log.load(index, index + 1);
    return log.item(index);
  });
  if (app.at !== at || commit === undefined) return;
  if (isLast && log === logList.source) {
    logList.setChosen(`${at}`, index < 0 ? null : index, revealed !== at);
    revealed = at;
  }
  app.commitName = commit?.name ?? "";
  fill(element("commit-name"), commit?.unreadable ? make("span", { class: "bad" }, "The commit cannot be read.")
    : commit ? [foreign(commit.name), " ", make("time", { class: "faint", datetime: commit.time }, time(commit.time))]
      : make("span", { class: "faint" }, at === 0 ? "before the first commit" : "before the log begins"));
  const words = `Version ${at} of ${app.info.version}`;
  element("slider").setAttribute("aria-valuetext", `${words}${app.commitName && `, ${visible(app.commitName)}`}`);
  if (player) sayPlace();
  else if (isLast) sayPlace(words, app.commitName ? [", ", foreign(app.commitName)] : "", `, ${counted(source.rows, "row")}`);
}

/** How often the user has asked for something that ends the search for a version. */
let wishNumber = 0;

/** One version back or forward, or to the next one that the filter lets through, unless the user asks for something else meanwhile. */
async function step(count, isFiltered = false) {
  // Keys come faster than versions.
  const goal = wanted?.at ?? going?.at;
  const from = typeof goal === "number" ? goal : app.at;
  const { source: log } = logList;
  if (!isFiltered || !(log instanceof FilteredLog)) {
    return go(Math.min(Math.max(from + count, app.info.oldest), app.info.version));
  }
  pause();
  const mine = wishNumber;
  const version = await attempt(() => log.neighbour(from, count < 0, () => mine === wishNumber));
  logList.refresh();
  return version === undefined || mine !== wishNumber ? undefined : go(version);
}

// MARK: Playing

/** What plays, until it is paused. */
let player = null;

/** The longest pause between two versions, in milliseconds; the shortest one in which each is shown. */
const longestPause = 2000;
const shortestPause = 50;

async function play() {
  if (player) return pause();
  wishNumber += 1;
  problem();
  const mine = player = {};
  playing(true);
  await showing;
  if (app.at >= app.info.version) await show({ at: app.info.oldest });
  while (player === mine && app.at < app.info.version) {
    const began = performance.now();
    const next = await attempt(pace);
    if (player !== mine) return undefined;
    if (!next) break;
    await show({ at: Math.min(app.at + next.count, app.info.version), duration: Math.min(220, next.pauseTime * 0.8) });
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next.pauseTime - (performance.now() - began))));
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
  // The time of a commit that cannot be read is not a number.
  const between = commits.length === 2 && Date.parse(commits[0].time) - Date.parse(commits[1].time) || 0;
  return { pauseTime: Math.min(Math.max(between, shortestPause), longestPause), count: 1 };
}

/** Ends what plays, and the search for a version. */
function pause() {
  wishNumber += 1;
  if (!player) return;
  player = null;
  playing(false);
  refreshPanel();
  showCommitName();
}

function playing(isPlaying) {
  element("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  element("play").classList.toggle("on", isPlaying);
}

// MARK: What is chosen

function chooseLine(line) {
  app.subject = { id: line.id, isSection: !line.at };
  for (const each of [list, otherList]) each.setChosen(source.key(line));
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
  const { subject } = app;
  if (!subject || subject.isSection || list.chosen) return;
  const shown = source;
  await attempt(async () => {
    const { id, line } = await ask("find", { id: JSON.stringify(subject.id), at: shown.version });
    if (line == null) return;
    await shown.load(line, line + 1);
    if (subject !== app.subject) return;
    // The events of a commit have UUIDs as texts, but a line has the id itself.
    app.subject = { id, isSection: false };
    otherList.setChosen(subjectKey());
    list.setChosen(subjectKey(), shown === source ? line : null);
  });
}

/** Shows a version beside this one, or none. */
async function compare(version) {
  problem();
  if (await show({ beside: version }) && app.other !== null) openTab("changes");
}

// MARK: The log

/** Filters the log as the user asks. */
async function setFilter(next) {
  problem();
  showPane("log");
  if (await filterLog(next)) writeLink();
}

/** Shows the commits that a filter lets through. If the filter is refused, the log stays as it was. */
function filterLog(next) {
  wishNumber += 1;
  filter = Object.fromEntries(Object.entries(next).filter(([, value]) => value));
  const form = element("filter");
  for (const name of filterNames) form.elements[name].value = filter[name] ?? "";
  if (Object.keys(filter).length > 0) showFilter(true);
  revealed = null;
  return showLog();
}

let logNumber = 0;

/** Shows the log, from the beginning or with what is new. Of several calls, the last one counts. */
function showLog() {
  logNumber += 1;
  const mine = logNumber;
  const { info } = app;
  const { source: log } = logList;
  return attempt(async () => {
    try {
      const isFiltered = Object.keys(filter).length > 0;
      const isGrowing = isFiltered ? log.filter === filter && log.replacements === info.replacements && !log.isRelative
        : log instanceof WholeLog;
      const before = log.total;
      if (isFiltered && isGrowing) await log.grow(info.version);
      if (mine !== logNumber) return false;
      const next = !isFiltered ? new WholeLog(info, log) : isGrowing ? log : new FilteredLog(filter, info);
      await logList.show(next, { grown: isGrowing ? next.total - before : 0 });
    } catch (error) {
      if (mine === logNumber) filter = log.filter ?? {};
      throw error;
    }
    if (mine !== logNumber) return false;
    element("filter-button").classList.toggle("on", Object.keys(filter).length > 0);
    countLog();
    if (source) showCommitName();
    return true;
  });
}

function countLog() {
  const { source: log } = logList;
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
  if (!source) return undefined;
  problem();
  writeLink();
  return showPanel();
}

/** Fills the panel again because something has changed, unless somebody is writing in it. */
function refreshPanel() {
  const isWritten = [...element("detail").querySelectorAll("input, textarea")].some((field) =>
    field === document.activeElement || field.value !== field.defaultValue
      || (field.type === "checkbox" && field.checked !== field.defaultChecked));
  if (!isWritten) showPanel();
}

let panelNumber = 0;

/** Fills the panel. Of several fillings, the last one counts. */
async function showPanel() {
  panelNumber += 1;
  const mine = panelNumber;
  const name = tab;
  const detail = element("detail");
  await attempt(async () => {
    const children = await panels[name](app, () => mine === panelNumber).catch((error) => {
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
async function edit(request, words) {
  pause();
  problem();
  await attempt(async () => {
    await exec(request, app.info.token);
    await learn();
    await show({ at: app.info.version });
    say(words);
    // Also if something was written in the panel: that is what was saved.
    await showPanel();
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
  pause();
  problem();
  app.subject = readSubject(words.get("chosen") ?? "");
  for (const each of [list, otherList]) each.setChosen(app.subject && subjectKey());
  tab = words.get("tab") in panels ? words.get("tab") : "commit";
  openTab(tab);
  showPane("rows");
  const filtering = filterLog(Object.fromEntries(filterNames.map((name) => [name, words.get(name)])));
  await show({ at: words.get("at") || "head", beside: words.get("beside") });
  // A filter that was refused has left no log.
  if (await filtering === undefined) await showLog();
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
/** The state of which log, timeline and rows were loaded last: an event that tells the same is no news. */
let known = {};
/** The rows that are still shown because those of the newest version could not be loaded. */
let outdated = null;

/**
 * Another version is there, or commits were replaced. Of many, the last one is shown. What cannot be loaded is asked for again
 * with the next event; each connection begins with one.
 */
async function news() {
  hasNews = true;
  if (isLearning) return;
  isLearning = true;
  while (hasNews) {
    hasNews = false;
    const head = app.info.version;
    const loaded = await attempt(async () => {
      await learn();
      const { info } = app;
      const hasLog = await showLog();
      await showTimeline();
      return hasLog && info;
    });
    // What the user has asked for meanwhile comes first.
    await showing;
    const shown = source;
    let isShown = true;
    if ((app.at === head || shown === outdated) && (app.at !== app.info.version || isReplaced()) && !player) {
      // Whoever has scrolled the log reads there.
      revealed = app.info.version;
      isShown = await show({ at: app.info.version });
      if (!isShown) outdated = shown;
    } else if (isReplaced()) {
      isShown = await show({});
    } else if (app.at === app.info.version) {
      // An edit of this page has shown its version already.
      placeShown();
    } else {
      versionShown();
    }
    if (loaded && isShown) known = loaded;
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
on("slider", "input", (event) => go(Number(event.target.value)));
on("jump", "submit", (event) => {
  event.preventDefault();
  go(taken(element("version")), { isStep: true });
});
on("compare", "submit", (event) => {
  event.preventDefault();
  compare(taken(element("other")) || Math.max(app.info.oldest, app.at - 1));
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
  ArrowLeft: (event) => step(-1, event.shiftKey),
  ArrowRight: (event) => step(1, event.shiftKey),
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

// The link to the list is not a link of the page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  element("list").focus();
});
addEventListener("popstate", () => { if (location.hash === "" || location.hash.includes("=")) readLink(); });

// MARK: Start

await attempt(async () => {
  await learn();
  document.title = `${app.info.name} – Listory`;
  fill(element("name"), foreign(app.info.name));
  element("name").title = app.info.path;
  app.bookmarks = new Bookmarks(app.info.path, () => {
    markTimeline();
    if (tab === "bookmarks") refreshPanel();
  });
  for (const [id, names] of [["kind", app.info.kinds], ["cause", app.info.causes]]) {
    element("filter").elements[id].append(...names.map((name) => make("option", { value: name }, name)));
  }
  await readLink();
  performance.mark("usable");
  await attempt(showTimeline);
  known = app.info;
  follow({
    version: ({ version, replacements }) => {
      if (version !== known.version || replacements !== known.replacements) news();
    },
    lost: (isLost) => {
      element("connection").textContent = isLost ? "Not connected" : "";
      if (isLost) return;
      problem();
      // What could not be loaded meanwhile.
      for (const each of [list, otherList, logList]) each.refresh();
    },
  });
});
