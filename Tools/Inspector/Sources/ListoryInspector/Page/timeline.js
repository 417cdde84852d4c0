// The timeline: how many commits were made when, the branches, the bookmarks, and where we are. The slider below it has the
// same scale, and is what keys and screen readers use.
//
// Always holds: the same pixel means the same version in the picture and on the slider.

/** Half of the width of the slider's thumb: its middle does not reach the ends. */
const inset = 8;
const barHeight = 34;
const laneHeight = 5;
const laneLimit = 6;

export class Timeline {
  #canvas;
  #data = null;
  #state = { at: 0, other: null, bookmarks: [] };

  /** @param scrub is told which version was pointed at. */
  constructor(canvas, scrub) {
    this.#canvas = canvas;
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - inset) / (box.width - 2 * inset);
      const { oldest, newest } = this.#range;
      scrub(Math.round(oldest + Math.min(Math.max(share, 0), 1) * (newest - oldest)));
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); point(event); });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) point(event); });
    new ResizeObserver(() => this.draw()).observe(canvas);
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => this.draw());
    }
  }

  get #range() { return { oldest: (this.#data?.first ?? 1) - 1, newest: this.#data?.last ?? 0 }; }

  /** Shows an answer of the server. */
  show(data) {
    this.#data = data;
    this.#data.rates = rates(data);
    this.#data.lanes = lanes(data.branches ?? []);
    this.#canvas.style.height = `${barHeight + 16 + this.#data.lanes.count * laneHeight}px`;
    this.draw();
  }

  /** Shows where we are. */
  mark(state) {
    Object.assign(this.#state, state);
    this.draw();
  }

  draw() {
    const canvas = this.#canvas;
    const [width, height, scale] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
    if (!this.#data || width === 0) return;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const { oldest, newest } = this.#range;
    const span = Math.max(1, newest - oldest);
    const x = (version) => inset + (Math.max(version, oldest) - oldest) / span * (width - 2 * inset);

    // Density: a bar for each bucket, as high as commits were frequent.
    const { buckets, rates: heights } = this.#data;
    buckets.forEach((bucket, index) => {
      const [left, right] = [x(bucket.first - 1), x(bucket.last)];
      const isPast = bucket.last <= this.#state.at;
      context.fillStyle = colour(isPast ? "bar-past" : "bar");
      const high = 2 + heights[index] * (barHeight - 2);
      context.fillRect(left, barHeight - high, Math.max(right - left - (right - left > 3 ? 1 : 0), 0.5), high);
    });

    // Branches: a line from where each begins to where it ends.
    const { lanes: placed } = this.#data;
    for (const { branch, start, lane } of placed.all) {
      const y = barHeight + 4 + lane * laneHeight;
      context.strokeStyle = colour(branch.current ? "accent" : "branch");
      context.lineWidth = branch.current ? 2 : 1.5;
      context.beginPath();
      context.moveTo(x(start), y);
      context.lineTo(x(branch.tip), y);
      context.stroke();
      context.fillStyle = context.strokeStyle;
      context.beginPath();
      context.arc(x(branch.tip), y, 2.5, 0, 2 * Math.PI);
      context.fill();
    }

    // Times, as many as have room.
    context.fillStyle = colour("faint");
    context.font = `11px ${style.fontFamily}`;
    const bottom = height - 2;
    let free = -Infinity;
    let day = "";
    const known = moments(this.#data);
    for (const { version, date } of known) {
      const text = label(date, day, known);
      const half = context.measureText(text).width / 2;
      const middle = Math.min(Math.max(x(version), half + 2), width - half - 2);
      if (text === "" || middle - half < free) continue;
      context.textAlign = "center";
      context.fillText(text, middle, bottom);
      free = middle + half + 20;
      day = date.toDateString();
    }

    // Where we are, what it is compared with, bookmarks.
    const line = (version, name, dash) => {
      context.strokeStyle = colour(name);
      context.lineWidth = 1.5;
      context.setLineDash(dash);
      context.beginPath();
      context.moveTo(x(version), 0);
      context.lineTo(x(version), bottom - 10);
      context.stroke();
      context.setLineDash([]);
    };
    for (const version of this.#state.bookmarks) {
      context.fillStyle = colour("accent");
      context.beginPath();
      context.moveTo(x(version) - 4, 0);
      context.lineTo(x(version) + 4, 0);
      context.lineTo(x(version), 6);
      context.fill();
    }
    if (this.#state.other !== null) line(this.#state.other, "accent", [3, 3]);
    line(this.#state.at, "accent", []);
  }
}

/** How frequent the commits of each bucket were, from 0 to 1, on a logarithmic scale; 0 if it is not known when it began or ended. */
function rates({ buckets }) {
  let before = null;
  const found = buckets.map((bucket) => {
    if (bucket.time === null) return null;
    const [start, end] = [before, { version: bucket.last, time: Date.parse(bucket.time) }];
    before = end;
    // A clock may have gone back.
    return start && Math.log((end.version - start.version) / Math.max((end.time - start.time) / 1000, 0.001));
  });
  const sorted = found.filter((rate) => rate !== null).sort((a, b) => a - b);
  const low = sorted[0];
  const high = sorted[Math.floor((sorted.length - 1) * 0.98)];
  const heights = found.map((rate) => (rate === null ? 0
    : high > low ? 0.15 + 0.85 * Math.min(Math.max((rate - low) / (high - low), 0), 1) : 0.5));
  // Of the first commit it is not known how long after another it came.
  heights[0] = heights[1] ?? 0.5;
  return heights;
}

/** Puts branches below each other where they would overlap: the current one first. */
function lanes(branches) {
  if (branches.length < 2) return { count: 0, all: [] };
  const order = [...branches].sort((a, b) => b.current - a.current || b.tip - a.tip);
  const ends = [];
  const all = [];
  for (const branch of order) {
    // The others leave the current one, which has been there from the beginning.
    const start = branch.current ? 0 : branch.fork;
    let lane = ends.findIndex((taken) => taken.every(([from, to]) => branch.tip < from || start > to));
    if (lane < 0) lane = ends.length;
    if (lane >= laneLimit) continue;
    (ends[lane] ??= []).push([start, branch.tip]);
    all.push({ branch, start, lane });
  }
  return { count: Math.min(ends.length, laneLimit), all };
}

/** The versions of which the time is known. */
const moments = ({ buckets }) => buckets.filter((bucket) => bucket.time !== null)
  .map((bucket) => ({ version: bucket.last, date: new Date(bucket.time) }));

const dayFormat = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const yearFormat = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", year: "numeric" });
const minuteFormat = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** A time in few words: the day where it changes; the minute too, unless the log lasts for many days. */
function label(date, day, known) {
  const isLong = known.at(-1).date - known[0].date > 4 * 86_400_000;
  const isNewDay = date.toDateString() !== day;
  if (isLong) return isNewDay ? (day === "" ? yearFormat : dayFormat).format(date) : "";
  const words = [isNewDay ? (day === "" ? yearFormat : dayFormat).format(date) : "", minuteFormat.format(date)];
  return words.filter(Boolean).join(" ");
}
