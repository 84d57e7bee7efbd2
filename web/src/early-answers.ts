/** What was asked for before the console ran, by its address. */
export interface EarlyAnswer {
  /** Whose answer it is; null for the renewal of the session, which has no token yet. */
  token: string | null;
  response: Promise<Response>;
}

declare global {
  /** Set by early.ts. */
  var zonewrightEarly: Map<string, EarlyAnswer> | undefined;
  /** The addresses that the console has asked for since. An answer stands only for the first call: a later one wants to know what is new. */
  var zonewrightAsked: Set<string> | undefined;
}

const asked = (globalThis.zonewrightAsked ??= new Set());

/** After this time an answer no longer stands for what the service would say now. */
const freshSeconds = 20;

let isOver = false;
setTimeout(() => {
  isOver = true;
  globalThis.zonewrightEarly?.clear();
  asked.clear();
}, freshSeconds * 1_000);

/**
 * Takes the answer to a call that early.ts made already, once, and only for the same session. What failed there is asked for again.
 * @returns null if there is none
 */
export function takeEarly(url: string, init: RequestInit | undefined): Promise<Response> | null {
  const { pathname, search, origin } = new URL(url, location.origin);
  if (isOver || origin !== location.origin) return null;
  const address = pathname + search;
  const isFirst = !asked.has(address);
  asked.add(address);
  const early = globalThis.zonewrightEarly?.get(address);
  if (!early || !isFirst) return null;
  const authorization = new Headers(init?.headers).get("authorization");
  if (authorization !== (early.token === null ? null : `Bearer ${early.token}`)) return null;
  globalThis.zonewrightEarly?.delete(address);
  return early.response.catch(async () => await fetch(url, init));
}
