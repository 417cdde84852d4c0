// What the page asks the server.
//
// Always holds: numbers that JavaScript cannot hold exactly are kept digit by digit; a refusal is a `Refusal` with the
// server's own words; addresses are relative, because the path of the page is a secret.

/** A request that was refused. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

/** Keeps numbers that JavaScript would print in another way, such as ids of 64 bits, and 1.0. */
const exact = (_, value, context) =>
  typeof value === "number" && context?.source && String(value) !== context.source && JSON.rawJSON
    ? JSON.rawJSON(context.source) : value;

/** Reads JSON. */
export const parse = (text) => JSON.parse(text, exact);

/** Waits for the network. What else goes wrong is thrown as it is. */
async function reach(body) {
  try {
    return await body;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "unreachable", "The server cannot be reached. Is the program still running?");
  }
}

async function answer(response) {
  const text = await reach(response.text());
  if (response.ok) return parse(text);
  let error = {};
  try { error = JSON.parse(text).error ?? {}; } catch { /* It was not the server that has answered. */ }
  throw new Refusal(response.status, error.code, error.message ?? `The server has answered ${response.status}.`);
}

const request = (path, options) => reach(fetch(path, options));

/** The address of a question. Members that are null or empty are left out; an array is asked as several. */
export function address(name, query = {}) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each != null && each !== "") words.append(key, each);
  }
  const text = words.toString();
  return `api/${name}${text && "?"}${text}`;
}

/** The answer to a question. */
export const ask = async (name, query, options) => answer(await request(address(name, query), options));

/** An answer that is a file. */
async function file(name, query) {
  const response = await request(address(name, query));
  if (!response.ok) await answer(response);
  return response;
}

/** An answer that is a small file. */
export async function askFile(name, query) {
  const response = await file(name, query);
  const [, title] = /filename="(.*)"/.exec(response.headers.get("Content-Disposition"));
  return new File([await reach(response.blob())], title);
}

/** The address of a file, if the server does not refuse it. */
export async function fileAddress(name, query) {
  const response = await file(name, query);
  await response.body.cancel();
  return address(name, query);
}

/** Makes an edit. The body is text, so that numbers in it stay as they are. */
export async function exec(body, token) {
  if (!JSON.rawJSON) throw new Refusal(0, "browser", "This browser would change long numbers. Edit with a newer one.");
  return answer(await request("api/exec", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Listory-Token": token },
    body,
  }));
}

/** Calls back with each new version, also after the connection was lost. */
export function follow({ version, lost }) {
  let source = null;
  let retry = null;
  let isLost = false;
  const tell = (value) => { if (value !== isLost) lost(isLost = value); };
  const connect = () => {
    clearTimeout(retry);
    source?.close();
    // A browser has only six connections to a server, so tabs that nobody sees leave theirs to others.
    if (document.hidden) return;
    const mine = source = new EventSource("api/events");
    const again = () => {
      mine.close();
      tell(true);
      if (mine === source) retry = setTimeout(connect, 2000);
    };
    mine.addEventListener("version", (event) => { tell(false); version(JSON.parse(event.data)); });
    mine.addEventListener("end", again);
    mine.addEventListener("error", again);
  };
  document.addEventListener("visibilitychange", connect);
  connect();
}
