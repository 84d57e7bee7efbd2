import type { OnReauthentication } from "./reauthentication.ts";
import type { Fetch } from "./request.ts";
import type { Session } from "./session.ts";

/** What {@link createClient} takes. */
export interface ClientOptions {
  /** Where Zonewright is, without `/api` or `/trpc`: `https://dns.example.com`, or with a proxy's prefix `https://example.com/dns`. */
  url: string | URL;
  /**
   * A personal token, instead of a session. It is sent as it is while nobody is signed in. Leave it out, or give null, for none: an
   * undefined one, such as a variable that is not set, is an error.
   */
  token?: string | null | undefined;
  /**
   * A session to go on with, as `onSessionChange` told of it. `"cookie"` is for browsers: the refresh token stays in its
   * HttpOnly cookie, also after `signIn`, and a reloaded page goes on where it was.
   */
  session?: Session | "cookie" | null | undefined;
  /**
   * How often a call is repeated when the server asks for it: after 429 and 503 with a `Retry-After` of up to ten seconds. Queries are, and
   * mutations of domains, records and snapshots: these carry an `Idempotency-Key`, so that the service carries them out once, and are
   * repeated after a lost connection, too. Other mutations never are. Default: 2.
   */
  retries?: number | undefined;
  /**
   * Seconds after which a call without an answer fails as TIMEOUT, its repetitions included; 0: never. Streams have none. A mutation that
   * timed out may have been carried out. Default: 120.
   */
  timeoutSeconds?: number | undefined;
  /** Used instead of the global `fetch`: for cookies of another origin, a proxy, tracing. */
  fetch?: Fetch | undefined;
  /** Told of each change: after sign-in and renewal the session, after sign-out or a refused renewal null. */
  onSessionChange?: ((session: Session | null) => void) | undefined;
  /**
   * Asks the person to confirm who they are, when a call is refused with REAUTHENTICATION_REQUIRED. Calls that are refused meanwhile wait for the same
   * prompt. Once it has confirmed the session, or signed the same user in again, each is repeated, once. If it confirms nothing, or throws,
   * they fail with their refusal. It must not wait for a call that needs a confirmation itself.
   */
  onReauthentication?: OnReauthentication | undefined;
}

/** The same, checked, with what was left out. */
export interface Settings {
  /** Without a slash at its end. */
  url: string;
  token: string | null;
  session: Session | "cookie" | null;
  retries: number;
  timeoutSeconds: number;
  fetch: Fetch;
  onSessionChange: (session: Session | null) => void;
  onReauthentication: OnReauthentication | null;
}

/** @throws TypeError for what would only fail later, or in some calls; it repeats nothing that may be secret */
export function settingsOf(options: ClientOptions): Settings {
  const { token = null, session = null, retries = 2, fetch, onSessionChange = () => undefined } = options;
  const { timeoutSeconds = 120 } = options;
  if ("token" in options && options.token === undefined) {
    throw new TypeError("token: this is undefined; set the variable that it comes from, or leave the option out.");
  }
  // setTimeout takes no more than 2^31-1 milliseconds.
  if (!(timeoutSeconds >= 0 && timeoutSeconds <= 2_147_483)) {
    throw new TypeError("timeoutSeconds: give a number of seconds from 0 (never) to 2147483.");
  }
  if (token !== null && session !== null) {
    throw new TypeError("Give a token or a session, not both: calls go out as one user.");
  }
  if (token !== null && !/^[!-~]+$/.test(token)) {
    throw new TypeError("token: this is empty, or has characters that no token has; check where it comes from.");
  }
  if (session !== null && session !== "cookie" && !isSession(session)) {
    throw new TypeError('session: give back what onSessionChange told of, as an object, or "cookie".');
  }
  return {
    url: addressOf(options.url),
    token,
    session,
    retries,
    timeoutSeconds,
    // The global one is looked up at each call: whoever replaces it later means this client, too.
    fetch: fetch ?? ((address, init) => globalThis.fetch(address, init)),
    onReauthentication: options.onReauthentication ?? null,
    onSessionChange: (changed) => onSessionChange(changed),
  };
}

function addressOf(given: string | URL): string {
  const url = parsed(given);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new TypeError("url: give the whole address of the service, such as https://dns.example.com.");
  }
  const { username, password, search, hash, origin, pathname } = url;
  if (username !== "" || password !== "") {
    throw new TypeError("url: leave the username and the password out; sign in with them, or give a token.");
  }
  if (search !== "" || hash !== "") throw new TypeError("url: leave out what begins with ? or #.");
  const path = pathname.replace(/\/+$/, "");
  if (path.endsWith("/trpc")) throw new TypeError("url: give the address of the service itself, without /trpc.");
  return origin + path;
}

function parsed(url: string | URL): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

function isSession(value: unknown): value is Session {
  if (typeof value !== "object" || value === null) return false;
  const { accessToken, refreshToken } = value as Partial<Session>;
  return typeof accessToken === "string" && (refreshToken === null || typeof refreshToken === "string");
}
