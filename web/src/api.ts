import { QueryClient, type QueryKey } from "@tanstack/react-query";
import {
  createClient,
  isZonewrightError,
  type Client,
  type OnReauthentication,
  type Session,
} from "@zonewright/client";
import { takeEarly } from "./early-answers.ts";
import { forPeople } from "./ui/for-people.ts";
import { local } from "./ui/storage.ts";
import { words } from "./words/words.ts";

/**
 * Whether this browser may hold a session cookie, and whose: the id of the user, or `1` until a page knows it. The cookie itself is invisible to
 * scripts, and asking without one is an error.
 */
export const hint = "zonewright.session";

/**
 * `left`: somebody signed out on purpose, here or in another tab. `ended`: the service ended the session. `other`: somebody else signed in, in
 * another tab.
 */
type SessionChange = "started" | "ended" | "left" | "other";

type SessionListener = (change: SessionChange) => void;
/** What the hint says just before it goes, so that other tabs know that it went on purpose. */
export const leaving = "leaving";
/** What it says while nobody knows whose session it is. */
const unknown = "1";
/** This tab: whose pages it shows, null before a sign-in, and whether it is signing out, which reports the end itself. */
export const tab = { shownTo: null as string | null, isLeaving: false };
const sessionListeners = new Set<SessionListener>();
/** The dialog is loaded after the first page; a call that needs it earlier waits for it. */
let reauthenticate: OnReauthentication | null = null;
const dialogLoaded = Promise.withResolvers<undefined>();

/** Whether to try the session cookie. */
export function mayHaveSession(): boolean {
  return local.getItem(hint) !== null;
}

/** Calls back when a session starts or ends, in this tab or another. Returns the function that stops it. */
export function onSession(listener: SessionListener): () => void {
  sessionListeners.add(listener);
  return () => sessionListeners.delete(listener);
}

/**
 * Says whose pages this tab shows, and to whom the session of this browser belongs. Tabs that show somebody else's hear of it. Returns the
 * function that ends it.
 */
export function showTo(userId: string): () => void {
  tab.shownTo = userId;
  if (mayHaveSession()) local.setItem(hint, userId);
  return () => {
    tab.shownTo = null;
  };
}

/** Whether a hint names somebody else than this tab shows its pages to. */
export function isOther(value: string | null): boolean {
  return tab.shownTo !== null && value !== null && ![tab.shownTo, unknown, leaving].includes(value);
}

export function report(change: SessionChange): void {
  for (const listener of sessionListeners) listener(change);
}

function sessionChanged(session: Session | null): void {
  const before = local.getItem(hint);
  if (session !== null && before === null) {
    local.setItem(hint, unknown);
    report("started");
  } else if (session === null && isOther(before)) {
    report("other");
  } else if (session === null && before !== null && !tab.isLeaving) {
    local.removeItem(hint);
    report(before === leaving ? "left" : "ended");
  }
}

addEventListener("storage", ({ key, oldValue, newValue }) => {
  if (key !== hint || newValue === leaving) return;
  if (isOther(newValue)) report("other");
  else report(newValue !== null ? "started" : oldValue === leaving ? "left" : "ended");
});

/**
 * Tabs share one refresh cookie, so only one of them may renew it at a time. The first calls of a page are answered already. Where cookies
 * are blocked, so are locks.
 */
const oneRenewal: typeof fetch = async (address, init) => {
  const url = address instanceof Request ? address.url : String(address);
  const early = takeEarly(url, init);
  if (early) return await early;
  const ask = async () => await fetch(address, init);
  if (!url.endsWith("/api/auth/refresh") || !("locks" in navigator) || !navigator.cookieEnabled) return await ask();
  return await navigator.locks.request("zonewright.refresh", ask);
};

/** How the client sends: `session/same-key.ts` replaces it after the first page. */
export const sending = { send: oneRenewal };

/** Shows the dialog that confirms a session when the service asks for it. */
export function setReauthentication(ask: OnReauthentication): void {
  reauthenticate = ask;
  dialogLoaded.resolve(undefined);
}

/** The one client of the console. */
export const client: Client = createClient({
  url: location.origin,
  session: "cookie",
  fetch: async (url, init) => await sending.send(url, init),
  onSessionChange: sessionChanged,
  onReauthentication: async (request) => {
    await dialogLoaded.promise;
    await reauthenticate?.(request);
  },
});

/** How long a page waits after the client's own attempts, before it reads again what failed for a while. */
const healAfterSeconds = 5;

/** Whether the same call may succeed later: a lost network, a limit, a provider or a service that is away. */
export function isTemporary(error: unknown): boolean {
  return isZonewrightError(error) && (error.status === null || error.status === 429 || error.status >= 500);
}

/**
 * Milliseconds until what failed for a while is read again; false for other failures, and if nothing failed. A query with an interval of its
 * own begins with this.
 */
export function healing(error: unknown): number | false {
  return isTemporary(error) && isZonewrightError(error)
    ? Math.max(error.retryAfterSeconds ?? 0, healAfterSeconds) * 1_000
    : false;
}

/** A cache in which what is outdated is read again even while it is read for the first time: the answer on its way may be from before. */
class Queries extends QueryClient {
  override async invalidateQueries<Key extends QueryKey>(
    ...[filters, options]: Parameters<typeof QueryClient.prototype.invalidateQueries<Key>>
  ): Promise<void> {
    if (filters?.refetchType !== "none") {
      // The base class leaves a first reading alone, and then takes its answer for the latest.
      for (const query of this.getQueryCache().findAll({ ...filters, type: "active", fetchStatus: "fetching" })) {
        if (query.state.data === undefined) void query.cancel({ silent: true });
      }
    }
    await super.invalidateQueries(filters, options);
  }
}

/** The cache of answers. The client repeats calls itself; what fails even so is read again until it is there. */
export const queries = new Queries({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 10_000,
      refetchOnWindowFocus: "always",
      refetchInterval: ({ state: { error } }) => healing(error),
    },
    mutations: { retry: false },
  },
});

/** The sentence for a person about anything that was thrown. */
export function messageOf(error: unknown): string {
  if (isZonewrightError(error)) {
    if (error.status === null) return words.ui.noAnswer;
    if (error.code === "UNEXPECTED_ANSWER") return words.ui.proxyAnswer;
    const message = forPeople(error.message);
    return error.status === 500 && error.requestId ? `${message} ${words.ui.requestId}: ${error.requestId}` : message;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The sentence about one field, or null. */
export function issueOf(error: unknown, field: string): string | null {
  if (!isZonewrightError(error)) return null;
  const issue = error.issues?.find(({ path }) => path[0] === field);
  return issue === undefined ? null : forPeople(issue.message);
}
