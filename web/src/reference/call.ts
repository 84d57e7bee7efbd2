import { local } from "../ui/storage.ts";
import type { Operation } from "./document.ts";

/** What somebody filled in for a call. */
export interface Filled {
  /** By the parameter's place and name, such as `query page`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Who a call is made by. */
export type Caller = { readonly kind: "session" | "nobody" } | { readonly kind: "token"; readonly token: string };

/** A call as it goes out. */
export interface OutgoingCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An answer as the page shows it. */
export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  readonly isCut: boolean;
}

/** As in the console's api.ts: whose session this browser has, or one of `unowned`. */
const hint = "zonewright.session";
const unowned: ReadonlySet<string | null> = new Set([null, "1", "leaving"]);
const lock = "zonewright.refresh";
/** More of an answer would stall the page. */
const maxShown = 200_000;

export const keyOf = (parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`;

/** Required parameters that are still empty. */
export function missingIn({ parameters }: Operation, filled: Filled): string[] {
  return parameters
    .filter((parameter) => parameter.required === true && (filled.parameters[keyOf(parameter)] ?? "") === "")
    .map(({ name }) => name);
}

/** The call that the fields make. Path parameters that are still empty stay in braces. */
export function outgoing(operation: Operation, filled: Filled): OutgoingCall {
  const value = (place: string, name: string) => filled.parameters[`${place} ${name}`] ?? "";
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (braced, name: string) => {
    const given = value("path", name);
    return given === "" ? braced : encodeURIComponent(given);
  });
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { in: place, name } of operation.parameters) {
    const given = value(place, name);
    if (given === "") continue;
    if (place === "query") query.append(name, given);
    if (place === "header") headers[name] = given;
  }
  const hasBody = operation.body !== null && filled.body.trim() !== "";
  if (hasBody) headers["Content-Type"] = "application/json";
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  return { method: operation.method, url: path + search, headers, body: hasBody ? filled.body : null };
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The call for a shell. The token is named, never printed. */
export function asCurl(call: OutgoingCall, isOpen: boolean): string {
  const options = [
    ...(isOpen ? [] : [`-H "Authorization: Bearer $TOKEN"`]),
    ...Object.entries(call.headers).map(([name, text]) => `-H ${quoted(`${name}: ${text}`)}`),
    ...(call.body === null ? [] : [`-d ${quoted(call.body)}`]),
  ];
  const method = call.method === "GET" ? "" : `-X ${call.method} `;
  return [`curl ${method}${quoted(location.origin + call.url)}`, ...options].join(" \\\n  ");
}

/** Whether the console has a session in this browser. */
export function mayHaveSession(): boolean {
  return local.getItem(hint) !== null;
}

/** The service gave no access token; the message is what it said. */
export class NoSession extends Error {}

/** Somebody else is signed in to the console than at the last call: the next call is made as them. */
export class OtherUser extends Error {}

let accessToken: string | null = null;
/** The id of the user whom the calls are made by, once it is known. */
let owner: string | null = null;

/** The id of the user that an access token is for: a claim of the JWT (RFC 7519 §4.1.2), unverified. */
function userOf(token: string): string | null {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    return (JSON.parse(atob(payload)) as { sub?: string }).sub ?? null;
  } catch {
    return null;
  }
}

/** Has the cookie renew the session. Returns an access token. @throws NoSession if there is none */
async function renewed(): Promise<string> {
  const headers = { "content-type": "application/json" };
  const renew = async () => await fetch("/api/auth/refresh", { method: "POST", headers, body: "{}" });
  // All pages of a browser share one cookie: one renews it at a time.
  const response = await ("locks" in navigator ? navigator.locks.request(lock, renew) : renew());
  // A proxy may answer with a page of its own.
  const answer = (await response.json().catch(() => ({}))) as { accessToken?: string; detail?: string };
  if (answer.accessToken === undefined)
    throw new NoSession(answer.detail ?? `${response.status} ${response.statusText}`);
  return answer.accessToken;
}

/**
 * The access token of the console's session, from the cookie that renews it.
 * @throws NoSession if there is none
 * @throws OtherUser if it is not that of the calls before
 */
async function sessionToken(): Promise<string> {
  const token = await renewed();
  const user = userOf(token);
  const isOther = owner !== null && user !== owner;
  owner = user;
  accessToken = isOther ? null : token;
  if (isOther) throw new OtherUser();
  return token;
}

/** Whether another tab may have signed somebody else in while the token is valid: then the cookie says whose the session is. */
function isOthers(): boolean {
  const now = local.getItem(hint);
  return now !== owner && !unowned.has(now);
}

async function tokenOf(caller: Caller): Promise<string | null> {
  if (caller.kind === "nobody") return null;
  if (caller.kind === "token") return caller.token;
  if (isOthers()) accessToken = null;
  return accessToken ?? (await sessionToken());
}

/** Whose the session of the console is. */
export interface SessionUser {
  username: string;
  role: string;
}

/** Reads whose session the next call would be made with. Null if there is none, or it cannot be read. */
export async function sessionUser(): Promise<SessionUser | null> {
  try {
    // The first one read is the one whom calls are made by. Of another the next call says so, and is not made.
    const known = isOthers() ? null : accessToken;
    const token = known ?? (await (owner === null ? sessionToken() : renewed()));
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch("/api/auth/me", { headers, credentials: "omit", cache: "no-store" });
    return response.ok ? ((await response.json()) as SessionUser) : null;
  } catch {
    return null;
  }
}

/** Makes the call, and reads as much of the answer as can be shown. @throws Error if there is no answer, no session, or another user's. */
export async function send(call: OutgoingCall, caller: Caller): Promise<Received> {
  const token = await tokenOf(caller);
  const began = performance.now();
  const response = await fetch(call.url, {
    method: call.method,
    headers: { ...call.headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
    body: call.body,
    credentials: "omit",
    cache: "no-store",
  });
  if (response.status === 401 && caller.kind === "session" && token === accessToken) {
    // It has ended meanwhile. What the cookie renews may be somebody else's by now.
    return await send(call, { kind: "token", token: await sessionToken() });
  }
  const text = await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - began),
    headers: [...response.headers].filter(([name]) => shownHeaders.test(name)),
    text: pretty(text).slice(0, maxShown),
    isCut: text.length > maxShown,
  };
}

/** Those that say something about the answer; the others are the same for each. */
const shownHeaders =
  /^(?:content-type|etag|location|link|retry-after|ratelimit.*|idempotency.*|deprecation|sunset|x-request-id)$/;

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
