import type { EarlyAnswer } from "./early-answers.ts";

/**
 * Runs before the console has arrived: shows the name of the zone, renews the session, and asks for what the first page shows. The console
 * takes these answers instead of asking again. A file of its own without imports, so that it is small. The console asks again for what
 * fails here.
 */

/** As in api.ts. */
const hint = "zonewright.session";
/** Reads what the console stored. Where the browser blocks storage, touching it throws, or it is null. */
function stored(key: string): string | null {
  try {
    return (localStorage as Storage | null)?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

/** As in theme.ts. */
const theme = stored("zonewright.theme");
const lock = "zonewright.refresh";
const refresh = "/api/auth/refresh";

let isLoading = false;
/** What the console has asked for itself in the meantime needs no answer from here. */
const asked = (globalThis.zonewrightAsked ??= new Set());
const answers = new Map<string, EarlyAnswer>();
globalThis.zonewrightEarly = answers;

/** Makes a call as the client makes it: its address is the key to the answer. */
function query(procedure: string, input: object, token: string): Promise<Response> | null {
  const address = `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
  if (asked.has(address)) return null;
  const response = fetch(address, { headers: { authorization: `Bearer ${token}` } });
  // Who takes it hears of a failure.
  response.catch(() => undefined);
  answers.set(address, { token, response });
  return response;
}

/** What an answer contains, without using it up. */
async function read(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  if (!response.ok) throw new Error(String(response.status));
  return await response.clone().json();
}

async function renew(): Promise<string> {
  const headers = { "content-type": "application/json" };
  const post = async () => await fetch(refresh, { method: "POST", headers, body: "{}" });
  // Tabs share one refresh cookie, so only one of them may renew it at a time.
  const response = "locks" in navigator ? navigator.locks.request(lock, post) : post();
  answers.set(refresh, { token: null, response });
  return ((await read(response)) as { accessToken: string }).accessToken;
}

/** The zone and the page of the address. */
const [, zone, page] = /^\/d\/([^/]+)(?:\/(\w+))?/.exec(location.pathname) ?? [];

/** Shows the frame of a zone's page with its name, where the console will show them, until it shows anything. Styled by early.css. */
function showName(name: string): void {
  const root = document.getElementById("root");
  if (!root) return;
  const frame = document.createElement("div");
  frame.id = "early";
  frame.ariaBusy = "true";
  const heading = document.createElement("h1");
  heading.textContent = name;
  const head = document.createElement("header");
  head.append(heading);
  frame.append(document.createElement("i"), head);
  root.before(frame);
  new MutationObserver((_, observer) => {
    if (root.textContent === "") return;
    observer.disconnect();
    frame.remove();
  }).observe(root, { childList: true, subtree: true });
}

async function askEarly(): Promise<void> {
  // Throws for an address that is no valid text. The console says what is wrong with it.
  if (zone !== undefined) showName(decodeURIComponent(zone));
  const token = await renew();
  void query("auth.me", { json: null, meta: { values: ["undefined"], v: 1 } }, token);
  if (zone !== undefined) {
    const found = query("domains.list", { json: { name: decodeURIComponent(zone), limit: 1 } }, token);
    if (!found) return loadFiles();
    const { result } = (await read(found)) as { result: { data: { json: { domains: { id: string }[] } } } };
    for (const { id } of result.data.json.domains) {
      void query("domains.get", { json: { id } }, token);
      if (page === "records") void query("records.list", { json: { id, page: 1, limit: 500 } }, token);
    }
  }
  loadFiles();
}

const content = document.querySelector('meta[name="zonewright-pages"]')?.getAttribute("content") ?? "{}";
const pages = JSON.parse(content) as Readonly<Record<string, readonly string[]>>;

function load(name: string): void {
  for (const file of pages[name] ?? []) {
    const link = document.createElement("link");
    const isStyle = file.endsWith(".css");
    link.rel = isStyle ? "preload" : "modulepreload";
    if (isStyle) link.as = "style";
    // As the page asks for it later: else it would be loaded twice.
    link.crossOrigin = "anonymous";
    link.href = `/${file}`;
    document.head.append(link);
  }
}

/**
 * Loads the files of the first page, whose code asks for them only once it runs. Their names are in the page (early-script.ts). A browser
 * has few connections: the calls go first.
 */
function loadFiles(): void {
  if (isLoading) return;
  isLoading = true;
  const [start = ""] = /^\/(?:d\/)?/.exec(location.pathname) ?? [];
  if (start !== "/" || location.pathname === "/") load(start);
}

// As in language.ts, which finds the language of those who prefer another one that there is not.
load((stored("zonewright.language") ?? navigator.language).slice(0, 2));

// A return from an identity provider begins a new session.
if (stored(hint) !== null && !/[?&](?:ticket|pending_token)=/.test(location.search)) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  askEarly().catch(loadFiles);
}
