// What the page asks the server.
//
// Always holds: numbers that JavaScript cannot hold exactly are kept digit by digit; a refusal is a `Refusal` with the
// server's own words.

/** A request that was refused. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** Keeps the digits of large numbers, such as ids of 64 bits. */
const exact = (_, value, context) =>
  typeof value === "number" && context?.source && Number.isInteger(value) && !Number.isSafeInteger(value) && JSON.rawJSON
    ? JSON.rawJSON(context.source) : value;

/** Reads JSON. Most answers have no large number, and are read faster without looking for one. */
export const parse = (text) => (/\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text));

async function answer(response) {
  const text = await response.text();
  if (response.ok) return parse(text);
  let error = {};
  try { error = JSON.parse(text).error ?? {}; } catch { /* It was not the server that has answered. */ }
  throw new Refusal(response.status, error.code, error.message ?? `The server has answered ${response.status}.`);
}

async function request(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "unreachable", "The server cannot be reached. Is the program still running?");
  }
}

/** The address of a question. Members that are null or empty are left out; an array is asked as several. */
export function address(name, query = {}) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each != null && each !== "") words.append(key, each);
  }
  const text = words.toString();
  return `/api/${name}${text && "?"}${text}`;
}

/** The answer to a question. */
export const ask = async (name, query, options) => answer(await request(address(name, query), options));

/** An answer that is a file. */
export async function askFile(name, query) {
  const response = await request(address(name, query));
  if (!response.ok) await answer(response);
  const [, title] = /filename="(.*)"/.exec(response.headers.get("Content-Disposition"));
  return new File([await response.blob()], title);
}

/** Makes an edit. The body is text, so that numbers in it stay as they are. */
export async function exec(body, token) {
  return answer(await request("/api/exec", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Listory-Token": token },
    body,
  }));
}

/** Calls back with each new version, also after the connection was lost. */
export function follow({ version, lost }) {
  let source = null;
  const connect = () => {
    source = new EventSource("/api/events");
    source.addEventListener("version", (event) => { lost(false); version(JSON.parse(event.data)); });
    source.addEventListener("end", () => { source.close(); lost(true); });
    source.onerror = () => {
      lost(true);
      // The browser connects again by itself, unless the server has refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (!document.hidden) connect(); }, 2000);
    };
  };
  // A browser has only six connections to a server, so tabs that nobody sees leave theirs to others.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source.close();
    else connect();
  });
  connect();
}
