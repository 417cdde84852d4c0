// Makes elements. Everything that a store holds is hostile text: it becomes a text node, in an element that isolates its
// direction, and characters that nobody sees get a visible mark.
//
// Always holds: no text is ever read as HTML; a long text is clipped, with a button that shows all of it.

/** An element. Attributes that are false or null are left out; a name with "on" is an event; children may be texts. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  fill(made, ...children);
  return made;
}

/** Replaces the children of an element. Those that are null or false are left out. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(2).filter((child) => child != null && child !== false && child !== ""));
}

/** The element with an id. */
export const element = (id) => document.getElementById(id);

/** Control and format characters, line and paragraph separators, halves of characters. Not the joiner inside of emoji. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?!\u200d)\p{Cf}/gu;
/** In a text of several lines, line ends and tabs are seen. */
const unseenInLines = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?!\u200d)\p{Cf}/gu;

const mark = (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;

/** How many marks become elements of their own; more would make the page slow. */
const markLimit = 500;

/** Texts and marks for a text of others. */
function parts(text, pattern) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (found.length > 2 * markLimit) break;
    if (match.index > end) found.push(text.slice(end, match.index));
    found.push(make("span", { class: "control" }, mark(match[0])));
    end = match.index + match[0].length;
  }
  found.push(text.slice(end).replace(pattern, mark));
  return found;
}

/** A text of others, for attributes. */
export const visible = (text) => String(text).replace(unseen, mark);

/** A text of others, on one line. */
export const foreign = (text, attributes = {}) => make("bdi", attributes, parts(String(text), unseen));

/** How much of a long text is shown at first. */
const shownLength = 1500;

/** A text of others, on as many lines as it has. `marked` is the range that differs from another text. */
export function foreignLines(text, { marked = null, className = "" } = {}) {
  const block = make("pre", { class: `content ${className}`, dir: "auto" });
  const fill = (end) => {
    const shown = text.slice(0, end);
    if (marked && marked[1] > marked[0] && marked[0] < end) {
      block.replaceChildren(
        ...parts(shown.slice(0, marked[0]), unseenInLines),
        make("mark", {}, parts(shown.slice(marked[0], marked[1]), unseenInLines)),
        ...parts(shown.slice(marked[1]), unseenInLines));
    } else {
      block.replaceChildren(...parts(shown, unseenInLines));
    }
  };
  fill(shownLength);
  if (text.length > shownLength) {
    const all = make("button", { type: "button", class: "link", onclick: () => { fill(text.length); all.remove(); } },
      `Show all ${number(text.length)} characters`);
    return make("div", {}, block, all);
  }
  return block;
}

/** A JSON value as text that can be read. */
export const json = (value) => JSON.stringify(value, null, 2) ?? "";

/** The ranges in which two texts differ: what is between their common beginning and their common end. */
export function difference(old, young) {
  const limit = Math.min(old.length, young.length);
  let start = 0;
  while (start < limit && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < limit - start && old[old.length - 1 - end] === young[young.length - 1 - end]) end += 1;
  return [[start, old.length - end], [start, young.length - end]];
}

/** An id as people read it. */
export const idText = (id) => (typeof id === "string" ? id : id?.$uuid ?? id?.rawJSON ?? String(id));

const numbers = new Intl.NumberFormat("en");

/** A number with separators. */
export const number = (value) => numbers.format(value);

/** A number of things. */
export const counted = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

const pad = (value) => String(value).padStart(2, "0");

/** A time in the user's zone. */
export function time(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text ?? "";
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} `
    + `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const days = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });

/** An element for a time, to the minute and without the year. All of it is in its title. */
export function shortTime(text) {
  const date = new Date(text);
  const short = Number.isNaN(date.getTime()) ? "" : `${days.format(date)} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
  return make("time", { class: "faint", datetime: text, title: time(text) }, short);
}

/** Words for the cause of a commit. */
export function causeText(commit) {
  const target = commit.of ?? commit.to;
  return target == null ? commit.cause : `${commit.cause} ${commit.to == null ? "of" : "to"} ${target}`;
}
