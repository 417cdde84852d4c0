// A list of which only the lines in sight are elements, whatever its length. All lines are equally high.
//
// Always holds: an element keeps its key while it is in sight, so that a line can be seen to move; the elements are in the
// order of the lines; a screen reader is told how many lines there are and which one this is.

import { make } from "./text.js";

/** Browsers have a limit for the height of an element. A longer list scrolls faster than the fingers. */
const heightLimit = 8_000_000;
/** How many lines are drawn beyond both edges. */
const spare = 6;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** A source without lines. */
const empty = { total: 0, index: () => -1, item: () => undefined, key: () => "", load: async () => {} };

export class Windowed {
  #scroller;
  #fill;
  #choose;
  #loaded;
  #attempt;
  #space = make("div", { role: "presentation", class: "space" });
  #source = empty;
  /** What is in sight: the element, the item and the place of each, by key. */
  #lines = new Map();
  #lineHeight = 1;
  #chosen = { key: null, index: 0 };
  /** The place that keys have gone to, while its item is loaded. */
  #goal = null;
  /** How many sources were to be shown: of several, the last one counts. */
  #number = 0;
  #count = 0;
  #isScheduled = false;
  #mark = () => "";

  /**
   * @param scroller an element with the role "listbox".
   * @param fill draws an item of a source into an element; without an item, one that is not there yet.
   * @param choose is told which item the user has chosen.
   * @param loaded is told that items were loaded.
   * @param attempt calls a function that may be refused, and returns nothing then.
   */
  constructor(scroller, { fill, choose, loaded = () => {}, attempt }) {
    this.#scroller = scroller;
    this.#fill = fill;
    this.#choose = choose;
    this.#loaded = loaded;
    this.#attempt = attempt;
    scroller.append(this.#space);
    scroller.addEventListener("scroll", () => this.#schedule(), { passive: true });
    scroller.addEventListener("keydown", (event) => this.#key(event));
    scroller.addEventListener("click", (event) => {
      const found = [...this.#lines.values()].find((line) => line.element.contains(event.target));
      if (found?.item) this.#pick(found.index);
    });
    new ResizeObserver(() => { this.#measure(); this.#layOut(); this.#schedule(); }).observe(scroller);
    this.#measure();
  }

  get source() { return this.#source; }
  /** The item that is chosen, if it is in sight. */
  get chosen() { return this.#lines.get(this.#chosen.key)?.item; }

  #measure() {
    const probe = make("div", { class: "line", "aria-hidden": "true" });
    this.#space.append(probe);
    this.#lineHeight = probe.getBoundingClientRect().height || 24;
    probe.remove();
  }

  // MARK: Places

  #layOut(total = this.#source.total) {
    this.#space.style.height = `${Math.min(total * this.#lineHeight, heightLimit)}px`;
  }

  /** How far the lines scroll for each pixel. */
  #ratio(total = this.#source.total) {
    const height = total * this.#lineHeight;
    const sight = this.#scroller.clientHeight;
    return height > heightLimit ? (height - sight) / (heightLimit - sight) : 1;
  }

  /** The lines in sight, and some more. */
  sight(total = this.#source.total) {
    const height = this.#scroller.clientHeight;
    const offset = Math.min(
      this.#scroller.scrollTop * this.#ratio(total), Math.max(0, total * this.#lineHeight - height));
    const first = Math.max(0, Math.floor(offset / this.#lineHeight) - spare);
    return [first, Math.min(total, Math.ceil((offset + height) / this.#lineHeight) + spare)];
  }

  /** Scrolls as little as makes a line visible. */
  reveal(index) {
    const top = index * this.#lineHeight;
    const ratio = this.#ratio();
    const height = this.#scroller.clientHeight;
    const offset = this.#scroller.scrollTop * ratio;
    if (top < offset) this.#scroller.scrollTop = top / ratio;
    else if (top + this.#lineHeight > offset + height) {
      this.#scroller.scrollTop = Math.ceil((top + this.#lineHeight - height) / ratio);
    }
    this.#draw();
  }

  // MARK: Drawing

  /**
   * Shows other lines, when those in sight are there.
   *
   * @param mark the class of an item: what has happened to it.
   * @param isGone whether an item that was there was deleted, so that it is seen to vanish.
   * @param duration of the motion, in milliseconds; 0 for none.
   * @param grown how many lines there are more at the beginning; the others stay where they are, unless the first one is in sight.
   */
  async show(source, { mark = () => "", isGone = () => false, duration = 0, grown = 0 } = {}) {
    this.#number += 1;
    const mine = this.#number;
    await source.load(...this.sight(source.total));
    if (mine !== this.#number) return;
    const moves = duration > 0 && !calm.matches;
    const before = new Map();
    const top = this.#scroller.scrollTop;
    if (moves) for (const [key, line] of this.#lines) before.set(key, line);
    const places = new Map([...before].map(([key, line]) => [key, line.y - top]));
    this.#source = source;
    this.#mark = mark;
    for (const line of this.#lines.values()) line.isStale = true;
    this.#layOut();
    if (grown > 0 && top > 0) this.#scroller.scrollTop = top + grown * this.#lineHeight / this.#ratio();
    this.#draw();
    this.#schedule();
    if (!moves) return;
    const now = this.#scroller.scrollTop;
    for (const [key, line] of this.#lines) {
      if (places.has(key)) {
        const distance = places.get(key) - (line.y - now);
        if (Math.abs(distance) > 0.5) {
          line.element.animate(
            [{ transform: `translateY(${line.y + distance}px)` }, { transform: `translateY(${line.y}px)` }],
            { duration, easing: "ease-out" });
        }
      } else if (line.item && mark(line.item) === "inserted") {
        line.element.animate([{ opacity: 0 }, { opacity: 1 }], { duration });
      }
      if (line.item && mark(line.item) === "updated") {
        line.element.animate([{ backgroundColor: "var(--flash)" }, {}], { duration: 2 * duration });
      }
    }
    for (const [key, line] of before) {
      if (!this.#lines.has(key) && line.item && isGone(line.item)) this.#leave(line, places.get(key) + now, duration);
    }
  }

  /** Draws everything in sight again, because there are other items, or what could not be loaded may be there now. */
  refresh() {
    for (const line of this.#lines.values()) line.isStale = true;
    this.#layOut();
    this.#loaded();
    this.#schedule();
  }

  #leave({ element }, y, duration) {
    element.setAttribute("aria-hidden", "true");
    element.removeAttribute("role");
    element.classList.add("deleted");
    element.style.transform = `translateY(${y}px)`;
    this.#space.append(element);
    element.animate([{ opacity: 1 }, { opacity: 0 }], { duration }).onfinish = () => element.remove();
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
      const [first, end] = this.sight();
      const source = this.#source;
      for (let index = first; index < end; index += 1) {
        if (source.item(index) === undefined) return this.#attempt(() => this.#load(source, first, end));
      }
      return undefined;
    });
  }

  async #load(source, first, end) {
    await source.load(first, end);
    if (source !== this.#source) return;
    this.#layOut();
    this.#draw();
    this.#loaded();
    // A search goes on while there is room for what it finds.
    if (source.isComplete === false) this.#schedule();
  }

  #draw() {
    const [first, end] = this.sight();
    const { total } = this.#source;
    const top = this.#scroller.scrollTop;
    const offset = Math.min(top * this.#ratio(), Math.max(0, total * this.#lineHeight - this.#scroller.clientHeight));
    const drawn = new Map();
    let previous = null;
    for (let index = first; index < end; index += 1) {
      const item = this.#source.item(index);
      const key = item === undefined ? `?${index}` : this.#source.key(item);
      const line = this.#lines.get(key) ?? { element: this.#make(), isStale: true };
      if (line.isStale || line.item !== item || item === undefined) {
        line.element.className = `line ${item === undefined ? "waiting" : this.#mark(item)}`;
        this.#fill(line.element, item, this.#source);
      }
      const isChosen = key === this.#chosen.key;
      if (isChosen) this.#chosen.index = index;
      Object.assign(line, { item, index, isStale: false, y: index * this.#lineHeight - offset + top });
      const { element } = line;
      element.style.transform = `translateY(${line.y}px)`;
      element.classList.toggle("chosen", isChosen);
      element.setAttribute("aria-selected", isChosen);
      element.setAttribute("aria-posinset", index + 1);
      element.setAttribute("aria-setsize", total);
      const place = previous ? previous.nextSibling : this.#space.firstChild;
      if (place !== element) this.#space.insertBefore(element, place);
      previous = element;
      drawn.set(key, line);
    }
    for (const [key, { element }] of this.#lines) if (!drawn.has(key)) element.remove();
    this.#lines = drawn;
    const active = drawn.get(this.#chosen.key)?.element.id;
    if (active) this.#scroller.setAttribute("aria-activedescendant", active);
    else this.#scroller.removeAttribute("aria-activedescendant");
  }

  #make() {
    this.#count += 1;
    return make("div", { role: "option", id: `${this.#scroller.id}-${this.#count}` });
  }

  // MARK: Choosing

  /** Marks the item of a key as chosen. If its place is given, its line becomes visible, unless that is not wanted. */
  setChosen(key, index = null, reveals = true) {
    this.#chosen = { key, index: index ?? this.#chosen.index };
    if (index == null || !reveals) this.#draw();
    else this.reveal(index);
  }

  async #pick(index) {
    const { total } = this.#source;
    if (total === 0) return;
    const place = Math.min(Math.max(index, 0), total - 1);
    this.#goal = place;
    await this.#attempt(() => this.#source.load(place, place + 1));
    if (this.#goal !== place) return;
    this.#goal = null;
    const item = this.#source.item(place);
    if (item === undefined) return;
    this.setChosen(this.#source.key(item), place);
    this.#choose(item, place);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / this.#lineHeight) - 1);
    const [first] = this.sight();
    // Without a choice, the keys begin at what is in sight.
    const from = this.#goal ?? (this.#chosen.key === null ? first - 1 : this.#chosen.index);
    const places = {
      ArrowUp: from - 1, ArrowDown: from + 1, PageUp: from - page, PageDown: from + page, Home: 0, End: Infinity,
    };
    if (!(event.key in places)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#pick(places[event.key]);
  }
}
