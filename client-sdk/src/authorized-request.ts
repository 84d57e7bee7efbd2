import { abortedError } from "./errors.ts";
import type { Send } from "./request.ts";
import type { SessionKeeper } from "./session.ts";

export interface Sender {
  fetch: Send;
  session: SessionKeeper;
  /** The personal token, used while no session exists. */
  token: string | null;
}

/** Sends a call as the signed-in user. After a 401, renews the session and repeats the call once. */
export async function authorizedRequest<A extends { readonly status: number }>(
  sender: Sender,
  url: string,
  init: RequestInit,
  send: (fetch: Send, url: string, init: RequestInit) => Promise<A>,
): Promise<A> {
  const { fetch, session } = sender;
  const { signal } = init;
  const credential = await untilAborted(session.credential(), signal);
  const answer = await send(fetch, url, withBearer(init, credential?.token ?? sender.token));
  if (answer.status !== 401 || !credential) return answer;
  const renewed = await untilAborted(session.credentialAfter(credential), signal);
  return renewed ? await send(fetch, url, withBearer(init, renewed.token)) : answer;
}

/** Returns headers as an object with names in lower case. Most are objects already: to load `Headers` costs Node more than a call. */
export function plainHeaders(headers: RequestInit["headers"]): Record<string, string> {
  const given = headers ?? {};
  const isPlain = Object.getPrototypeOf(given) === Object.prototype;
  const entries = isPlain ? Object.entries(given as Record<string, string>) : [...new Headers(given)];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the request with `Authorization: Bearer`, or unchanged without a token. */
export function withBearer(init: RequestInit, token: string | null): RequestInit {
  if (token === null) return init;
  return { ...init, headers: { ...plainHeaders(init.headers), authorization: `Bearer ${token}` } };
}

/** Waits for a shared promise until the signal aborts. */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return await shared;
  let onAbort: (() => void) | undefined;
  const abortion = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(abortedError(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([shared, abortion]);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}
