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
