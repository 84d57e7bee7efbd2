import { QueryClient } from "@tanstack/react-query";
import {
  createClient,
  isZonewrightError,
  type Client,
  type OnReauthentication,
  type Session,
} from "@zonewright/client";
import { words } from "./words/words.ts";

/** Whether this browser may hold a session cookie. The cookie itself is invisible to scripts, and asking without one is an error. */
const hint = "zonewright.session";

type SessionListener = (signedIn: boolean) => void;
const sessionListeners = new Set<SessionListener>();
/** The dialog is loaded after the first page; a call that needs it earlier waits for it. */
let reauthenticate: OnReauthentication | null = null;
const dialogLoaded = Promise.withResolvers<undefined>();

/** Whether to try the session cookie. */
export function mayHaveSession(): boolean {
  return localStorage.getItem(hint) !== null;
}

/** Calls back when a session starts or ends, in this tab or another. Returns the function that stops it. */
export function onSession(listener: SessionListener): () => void {
  sessionListeners.add(listener);
  return () => sessionListeners.delete(listener);
}

function sessionChanged(session: Session | null): void {
  const signedIn = session !== null;
  if (signedIn === mayHaveSession()) return;
  if (signedIn) localStorage.setItem(hint, "1");
  else localStorage.removeItem(hint);
  for (const listener of sessionListeners) listener(signedIn);
}

addEventListener("storage", (event) => {
  if (event.key !== hint) return;
  for (const listener of sessionListeners) listener(event.newValue !== null);
});

/** Tabs share one refresh cookie, so only one of them may renew it at a time. */
const oneRenewal: typeof fetch = async (address, init) => {
  const url = address instanceof Request ? address.url : String(address);
  if (!url.endsWith("/api/auth/refresh") || !("locks" in navigator)) return await fetch(address, init);
  return await navigator.locks.request("zonewright.refresh", async () => await fetch(address, init));
};

/** Shows the dialog that confirms a session when the service asks for it. */
export function setReauthentication(ask: OnReauthentication): void {
  reauthenticate = ask;
  dialogLoaded.resolve(undefined);
}

/** The one client of the console. */
export const client: Client = createClient({
  url: location.origin,
  session: "cookie",
  fetch: oneRenewal,
  onSessionChange: sessionChanged,
  onReauthentication: async (request) => {
    await dialogLoaded.promise;
    await reauthenticate?.(request);
  },
});

/** The cache of answers. The client repeats calls itself. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: "always" },
    mutations: { retry: false },
  },
});

/** The sentence for a person about anything that was thrown. */
export function messageOf(error: unknown): string {
  if (isZonewrightError(error)) {
    if (error.status === null) return words.ui.noAnswer;
    return error.code === "UNEXPECTED_ANSWER" ? words.ui.proxyAnswer : error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The sentence about one field, or null. */
export function issueOf(error: unknown, field: string): string | null {
  if (!isZonewrightError(error)) return null;
  return error.issues?.find(({ path }) => path[0] === field)?.message ?? null;
}
