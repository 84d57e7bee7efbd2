/** What the page remembers while the browser is at an identity provider: the return carries neither the provider nor the page. */
interface Journey {
  providerId: string;
  next: string;
  /** Who is expected to come back, if they were signed in before; null for anybody. */
  userId: string | null;
}

const key = "zonewright.external";

/** Remembers where to go after the return, until the return or for as long as the tab is open. */
export function beginExternal(journey: Journey): void {
  sessionStorage.setItem(key, JSON.stringify(journey));
}

/**
 * Leaves for an identity provider, and remembers where to go after the return.
 * @param options.userId who signs in again; the provider is then asked to prove anew who they are
 */
export function leaveForProvider(providerId: string, next: string, { userId = null }: { userId?: string | null } = {}) {
  beginExternal({ providerId, next, userId });
  const authorize = `/api/auth/oauth/${encodeURIComponent(providerId)}/authorize`;
  location.assign(userId === null ? authorize : `${authorize}?prompt=login`);
}

/** What was remembered, once. */
export function endExternal(): Journey | null {
  const stored = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (stored === null) return null;
  const { providerId, next, userId = null } = JSON.parse(stored) as Partial<Journey>;
  const own = typeof next === "string" && /^\/(?!\/)/.test(next);
  return { providerId: String(providerId), next: own ? next : "/", userId };
}

/** How an identity provider sent the browser back. */
export type ExternalReturn =
  | { kind: "ticket"; ticket: string }
  | { kind: "needsInvite"; pendingToken: string }
  | { kind: "bound"; providerId: string }
  | { kind: "error"; code: string };

/** Reads the outcome from the address of the page, or null. One-time values must then leave the address. */
export function externalReturn(search: string): ExternalReturn | null {
  const query = new URLSearchParams(search);
  const ticket = query.get("ticket");
  if (ticket) return { kind: "ticket", ticket };
  const pendingToken = query.get("pending_token");
  if (query.has("needs_invite") && pendingToken) return { kind: "needsInvite", pendingToken };
  if (query.has("bound")) return { kind: "bound", providerId: query.get("provider_id") ?? "" };
  const code = query.get("error");
  return code ? { kind: "error", code } : null;
}

let arrival: ExternalReturn | null = null;
let led: ExternalReturn | null = null;

/** Takes a return out of the page's address, so that no history, log or screenshot has its one-time values. Call it before the first page. */
export function takeReturn(): void {
  if (location.pathname !== "/") return;
  arrival = externalReturn(location.search);
  if (arrival) history.replaceState(history.state, "", "/");
}

/** How the browser came back, once: for the page that leads on. */
export function leadOn(): ExternalReturn | null {
  if (arrival === null) return null;
  led = arrival;
  arrival = null;
  return led;
}

/** The same for the page that it leads to. */
export function arrived(): ExternalReturn | null {
  return led;
}
