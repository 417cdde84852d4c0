// The log: commits, the newest first, filtered as by `listory log`.
//
// Always holds: without a filter, the place of a commit follows from its version, so any part of a long log is shown at
// once; with a filter, commits come as they are found.

import { ask } from "./server.js";
import { causeText, fill, foreign, make, number, shortTime } from "./text.js";

/** How many commits are asked for at a time. */
const part = 100;

/** The names of the filters, as in a question and in a link. */
export const filterNames = ["text", "name", "kind", "cause", "row", "section", "origin", "from", "to", "since", "until"];

/** All commits. */
export class WholeLog {
  #parts;
  #loading = new Map();

  /** @param earlier the log before new commits came: what was loaded stays true, unless commits were replaced. */
  constructor({ oldest, version: newest, replacements }, earlier = null) {
    Object.assign(this, { oldest, newest, replacements, total: newest - oldest, isComplete: true });
    const isSame = earlier instanceof WholeLog && earlier.oldest === oldest && earlier.replacements === replacements;
    this.#parts = isSame ? earlier.#parts : new Map();
  }

  index(version) { return this.newest - version; }

  item(index) {
    const version = this.newest - index;
    return this.#parts.get(Math.floor(version / part))?.get(version);
  }

  key(commit) { return `${commit.version}`; }

  async load(first, end) {
    const waits = [];
    for (let place = first; place < end;) {
      const version = this.newest - place;
      const name = Math.floor(version / part);
      if (this.item(place) === undefined) waits.push(this.#loadPart(name));
      place += version - name * part + 1;
    }
    await Promise.all(waits);
  }

  #loadPart(name) {
    if (!this.#loading.has(name)) {
      this.#loading.set(name, this.#fetch(name).finally(() => this.#loading.delete(name)));
    }
    return this.#loading.get(name);
  }

  async #fetch(name) {
    const commits = this.#parts.get(name) ?? new Map();
    const lowest = Math.max(name * part, this.oldest + 1);
    let before = Math.min((name + 1) * part - 1, this.newest) + 1;
    while (before > lowest) {
      const answer = await ask("log", { before, limit: before - lowest });
      for (const commit of answer.commits) commits.set(commit.version, commit);
      if (answer.next == null || answer.next >= before) break;
      before = answer.next;
    }
    this.#parts.set(name, commits);
  }
}

/** The commits that a filter lets through. The last line, until all were looked at, says how far the search is. */
export class FilteredLog {
  #commits = [];
  #next;
  #loading = null;

  constructor(filter, { oldest, version: newest, replacements }) {
    Object.assign(this, { filter, oldest, newest, replacements });
    this.#next = newest + 1;
  }

  get isComplete() { return this.#next == null; }
  get total() { return this.#commits.length + (this.isComplete ? 0 : 1); }
  get found() { return this.#commits.length; }
  /** Whether a bound moves with the newest version: then the log does not grow, it is asked for anew. */
  get isRelative() { return [this.filter.from, this.filter.to].some((name) => /^head(~|$)/.test(name ?? "")); }
  /** The version down to which everything was looked at. */
  get reached() { return this.#next; }

  index(version) { return this.#commits.findIndex((commit) => commit.version === version); }

  item(index) { return this.#commits[index]; }

  key(commit) { return `${commit.version}`; }

  /** The nearest version on one side of another that is let through, of those that can be read; looked for as long as it is wanted. */
  async neighbour(version, isOlder, isWanted) {
    if (!isOlder) {
      while (!this.isComplete && this.#next > version + 1 && isWanted()) await this.#more();
      return this.#commits.findLast((commit) => commit.version > version && !commit.unreadable)?.version;
    }
    for (;;) {
      const found = this.#commits.find((commit) => commit.version < version && !commit.unreadable);
      if (found || this.isComplete || !isWanted()) return found?.version;
      await this.#more();
    }
  }

  async load(first, end) {
    if (end > this.#commits.length && !this.isComplete) await this.#more();
  }

  /** Looks further back. */
  #more() {
    this.#loading ??= ask("log", { ...this.filter, before: this.#next, limit: part }).then((answer) => {
      this.#commits.push(...answer.commits);
      this.#next = answer.next ?? null;
    }).finally(() => { this.#loading = null; });
    return this.#loading;
  }

  /** Puts new commits at the beginning. */
  async grow(newest) {
    const found = [];
    let before = newest + 1;
    while (before > this.newest + 1) {
      const answer = await ask("log", { ...this.filter, before, limit: part });
      found.push(...answer.commits.filter((commit) => commit.version > this.newest));
      if (answer.next == null) break;
      before = answer.next;
    }
    this.#commits.unshift(...found);
    this.newest = newest;
  }
}

/** A sign for each word of `listory log --stat`. */
const signs = {
  inserted: "+", deleted: "−", moved: "↕", updated: "~", checked: "✓", indented: "⇥", collapsed: "▸",
  "sections inserted": "+§", "sections deleted": "−§", "sections moved": "↕§", "sections renamed": "~§", annotations: "※",
};

/** How much a commit has changed: +1 −2. */
const countsText = (counts = {}) => Object.entries(counts).map(([word, count]) =>
  make("span", { class: `count ${word.split(" ").at(-1)}`, title: `${count} ${word}` },
    `${signs[word] ?? `${word} `}${number(count)}`, make("span", { class: "hidden" }, ` ${word} `)));

/** Draws a commit into an element. */
export function fillCommit(element, commit) {
  if (!commit) return fill(element, make("span", { class: "faint" }, "…"));
  const version = make("span", { class: "version" }, `${commit.version}`);
  if (commit.unreadable) return fill(element, version, foreign(`Cannot be read: ${commit.unreadable}`, { class: "title bad" }));
  fill(
    element,
    version,
    foreign(commit.name || causeText(commit), { class: commit.name ? "title" : "title faint" }),
    commit.cause !== "edit" && commit.name ? make("span", { class: "tag" }, causeText(commit)) : null,
    commit.origin ? foreign(commit.origin, { class: "tag origin" }) : null,
    make("span", { class: "counts" }, countsText(commit.counts)),
    shortTime(commit.time));
}
