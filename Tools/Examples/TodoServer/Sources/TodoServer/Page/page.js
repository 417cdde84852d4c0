// The page: shows the rows that the server sends, and asks it for edits.
//
// Always holds: the page changes only what the server has sent; an edit is shown when its commit arrives. Text of rows is
// only ever set as text, never as HTML.

import { arrange, played } from "./rows.js";

const element = (id) => document.getElementById(id);
const list = element("list");
const status = element("status");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The rows that are shown, and the elements that show them, by id. */
let rows = [];
const elements = new Map();
/** The id of the row that the keys are for. */
let chosen = null;
/** The id of the row whose title is being edited. */
let renamed = null;

// MARK: The server

let source = null;
/** The id of the last event, which names the rows that are shown. */
let known = "";

function listen() {
  source?.close();
  source = new EventSource(`events?since=${encodeURIComponent(known)}`);
  source.addEventListener("rows", (event) => {
    const message = JSON.parse(event.data);
    known = event.lastEventId;
    show(message.rows, message);
    say(count());
  });
  source.addEventListener("changes", (event) => {
    const message = JSON.parse(event.data);
    known = event.lastEventId;
    show(played(rows, message), message);
    say(message.name && !message.isOwn ? `${count()} Someone else: ${message.name}` : count());
  });
  source.onerror = () => {
    say("Not connected. Trying again …", true);
    // The browser connects again by itself, unless the server has refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}

// A browser has only six connections to a server, so that tabs that nobody sees leave theirs to others.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source.close();
  else listen();
});

async function ask(path, body = {}) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    say(answer.error.message, true);
  } catch {
    say("The server cannot be reached.", true);
  }
  return null;
}

function say(text, isProblem = false) {
  status.textContent = text;
  status.classList.toggle("problem", isProblem);
}

function count() {
  const done = rows.filter((row) => row.isDone).length;
  return `${rows.length} to-do${rows.length === 1 ? "" : "s"}, ${done} done.`;
}

// MARK: The rows

function show(next, { buttons }) {
  const before = new Map();
  for (const [id, item] of elements) before.set(id, item.getBoundingClientRect().top);
  const origin = list.getBoundingClientRect().top;
  const focus = document.activeElement?.closest?.("li")?.dataset.id;
  const position = rows.findIndex((row) => row.id === chosen);

  rows = next;
  const ids = new Set(rows.map((row) => row.id));
  for (const [id, item] of elements) if (!ids.has(id)) leave(id, item, before.get(id) - origin);
  const items = rows.map((row) => {
    const item = elements.get(row.id) ?? make(row);
    fill(item, row);
    return item;
  });
  arrange(list, items, elements.get(renamed));
  if (!ids.has(chosen)) chosen = rows[Math.min(Math.max(position, 0), rows.length - 1)]?.id ?? null;
  for (const [id, item] of elements) {
    item.tabIndex = id === chosen ? 0 : -1;
    animate(item, before.get(id));
  }
  // Moving an element in the page takes the focus from it.
  if (focus && focus !== renamed) elements.get(ids.has(focus) ? focus : chosen)?.focus();
  element("empty").hidden = rows.length > 0;
  label(element("undo"), "Undo", buttons.undo);
  label(element("redo"), "Redo", buttons.redo);
}

function label(button, word, name) {
  button.disabled = name == null;
  button.title = name == null ? `Nothing to ${word.toLowerCase()}` : `${word} ${name}`;
}

function make(row) {
  const item = document.createElement("li");
  const check = document.createElement("input");
  const title = document.createElement("span");
  const remove = document.createElement("button");
  item.dataset.id = row.id;
  check.type = "checkbox";
  check.tabIndex = remove.tabIndex = -1;
  title.className = "title";
  remove.className = "delete";
  remove.textContent = "✕";
  remove.setAttribute("aria-label", "Delete");
  check.addEventListener("click", (event) => {
    event.preventDefault(); // It is checked when the commit arrives.
    toggle(row.id);
  });
  title.addEventListener("dblclick", () => rename(row.id));
  remove.addEventListener("click", () => ask("delete", { id: row.id }));
  item.addEventListener("focusin", () => choose(row.id, false));
  item.append(check, title, remove);
  elements.set(row.id, item);
  return item;
}

function fill(item, row) {
  item.classList.toggle("done", row.isDone);
  const check = item.querySelector("input[type=checkbox]");
  // After the event of a click, which would set it back.
  setTimeout(() => { check.checked = row.isDone; });
  check.setAttribute("aria-label", row.title);
  const title = item.querySelector("span.title");
  if (title) title.textContent = row.title;
}

// MARK: Motion

function animate(item, top) {
  if (calm.matches) return;
  const options = { duration: 220, easing: "ease-out" };
  if (top === undefined) {
    item.animate([{ opacity: 0, transform: "translateX(-1rem)" }, {}], options);
    return;
  }
  const distance = top - item.getBoundingClientRect().top;
  if (Math.abs(distance) > 0.5) item.animate([{ transform: `translateY(${distance}px)` }, {}], options);
}

function leave(id, item, top) {
  elements.delete(id);
  if (renamed === id) renamed = null;
  if (calm.matches) return item.remove();
  item.classList.add("leaving");
  item.style.top = `${top}px`;
  item.inert = true;
  list.append(item);
  const motion = item.animate([{}, { opacity: 0, transform: "translateX(1rem)" }], { duration: 180, easing: "ease-in" });
  motion.onfinish = () => item.remove();
}

// MARK: Gestures

const row = (id) => rows.find((row) => row.id === id);

function choose(id, focuses = true) {
  chosen = id;
  for (const [other, item] of elements) item.tabIndex = other === id ? 0 : -1;
  if (focuses) elements.get(id)?.focus();
}

function toggle(id) {
  const found = row(id);
  if (found) ask("toggle", { id, isDone: !found.isDone });
}

function rename(id) {
  const item = elements.get(id);
  const title = item?.querySelector("span.title");
  if (!title) return;
  const field = document.createElement("input");
  field.className = "title";
  field.maxLength = 500;
  field.value = row(id).title;
  renamed = id;
  title.replaceWith(field);
  field.select();
  field.focus();
  let isDone = false;
  const finish = (saves) => {
    if (isDone) return;
    isDone = true;
    renamed = null;
    field.replaceWith(title);
    title.textContent = row(id)?.title ?? "";
    const text = field.value.trim();
    if (saves && text && text !== row(id)?.title) ask("rename", { id, title: text });
    if (elements.has(id)) elements.get(id).focus();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") finish(true);
    if (event.key === "Escape") finish(false);
    event.stopPropagation();
  });
  field.addEventListener("blur", () => finish(true));
}

function move(id, step) {
  const at = rows.findIndex((row) => row.id === id);
  const to = at + step;
  if (at < 0 || to < 0 || to >= rows.length) return;
  // Down means before the row after the next one.
  ask("move", { id, before: rows[step < 0 ? to : to + 1]?.id ?? null });
}

element("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = element("title");
  const title = field.value.trim();
  if (title && await ask("insert", { title })) field.value = "";
});
element("undo").addEventListener("click", () => ask("undo"));
element("redo").addEventListener("click", () => ask("redo"));

list.addEventListener("keydown", (event) => {
  const at = rows.findIndex((row) => row.id === chosen);
  if (at < 0 || event.ctrlKey || event.metaKey) return;
  const steps = { ArrowUp: -1, ArrowDown: 1 };
  if (event.key in steps) {
    if (event.altKey) move(chosen, steps[event.key]);
    else choose(rows[Math.min(Math.max(at + steps[event.key], 0), rows.length - 1)].id);
  } else if (event.key === "Home") choose(rows[0].id);
  else if (event.key === "End") choose(rows[rows.length - 1].id);
  else if (event.key === " ") toggle(chosen);
  else if (event.key === "Enter" || event.key === "F2") rename(chosen);
  else if (event.key === "Delete" || event.key === "Backspace") ask("delete", { id: chosen });
  else return;
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const isText = event.target.matches?.("input:not([type=checkbox])");
  const key = event.key.toLowerCase();
  // In a field with text, undo is that of the field.
  if ((event.ctrlKey || event.metaKey) && (key === "z" || key === "y") && !(isText && event.target.value)) {
    event.preventDefault();
    ask(key === "y" || event.shiftKey ? "redo" : "undo");
  } else if (key === "n" && !isText && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    element("title").focus();
  } else if (event.key === "ArrowDown" && event.target === element("title") && chosen) {
    event.preventDefault();
    choose(chosen);
  }
});

listen();
