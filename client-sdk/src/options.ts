import type { OnReauthentication } from "./reauthentication.ts";
import type { Fetch } from "./request.ts";
import type { Session } from "./session.ts";

/** The options of {@link createClient}. */
export interface ClientOptions {
  /** The URL of Zonewright, without `/api` or `/trpc`: `https://dns.example.com`, or with a proxy's prefix `https://example.com/dns`. */
  url: string | URL;
  /**
   * A personal token, instead of a session. Omit it, or pass null, for none: undefined, such as a variable that is not set, is an
   * error.
   */
  token?: string | null | undefined;
  /**
   * A session to resume, as passed to `onSessionChange`. `"cookie"` is for browsers: the refresh token stays in its HttpOnly cookie, also
   * after `signIn`, so that a reloaded page is still signed in.
   */
  session?: Session | "cookie" | null | undefined;
  /**
   * How many times to retry a call after 429 or 503 with a `Retry-After` of up to ten seconds. This applies to queries, and to the mutations
   * whose endpoint takes an `Idempotency-Key`: those of domains, records and everything else that belongs to a domain, change requests,
   * assignments, notifications and applied templates. They carry a key, so that the service applies them once, and are also retried after a
   * lost connection. A 429 after a lost connection does not say whether the call was applied: the client then waits as long as `timeoutSeconds`
   * allows, or the call fails with NETWORK_ERROR. Other mutations are never retried. Default: 2.
   */
  retries?: number | undefined;
  /**
   * Seconds after which a call without a response fails with TIMEOUT, retries included; 0: never. Streams have no timeout. A mutation that
   * timed out may have been applied. Default: 120.
   */
  timeoutSeconds?: number | undefined;
  /** Replaces the global `fetch`, for cookies of another origin, a proxy or tracing. */
  fetch?: Fetch | undefined;
  /**
   * Called with the session after sign-in and renewal, and with null after sign-out or a refused renewal. With `"cookie"`, also with null if
   * another user has since signed in to this browser: no call is made as that user until the page creates a new client.
   */
  onSessionChange?: ((session: Session | null) => void) | undefined;
  /**
   * Asks the user to confirm the session when a call fails with REAUTHENTICATION_REQUIRED. Other calls that fail the same way wait for the same
   * prompt. After it has confirmed the session, or signed the same user in again, each call is retried once. If it confirms nothing or
   * throws, the calls fail with their own error. It must not wait for a call that needs a confirmation itself.
   */
  onReauthentication?: OnReauthentication | undefined;
}

/** The options, validated and with defaults. */
export interface Settings {
  /** Without a trailing slash. */
  url: string;
  token: string | null;
  session: Session | "cookie" | null;
  retries: number;
  timeoutSeconds: number;
  fetch: Fetch;
  onSessionChange: (session: Session | null) => void;
  onReauthentication: OnReauthentication | null;
}

/** Validates the options. @throws TypeError for what would otherwise fail later; it quotes nothing that may be secret */
export function settingsOf(options: ClientOptions): Settings {
  const { token = null, session = null, retries = 2, fetch, onSessionChange = () => undefined } = options;
  const { timeoutSeconds = 120 } = options;
  if ("token" in options && options.token === undefined) {
    throw new TypeError("token is undefined. Set the variable it comes from, or omit the option.");
  }
  // setTimeout takes at most 2^31-1 milliseconds.
  if (!(timeoutSeconds >= 0 && timeoutSeconds <= 2_147_483)) {
    throw new TypeError("timeoutSeconds must be a number from 0 (never) to 2147483.");
  }
  if (token !== null && session !== null) {
    throw new TypeError("Pass token or session, not both.");
  }
  if (token !== null && !/^[!-~]+$/.test(token)) {
    throw new TypeError("token is empty or contains invalid characters. Check where it comes from.");
  }
  if (session !== null && session !== "cookie" && !isSession(session)) {
    throw new TypeError('session must be the object passed to onSessionChange, or "cookie".');
  }
  return {
    url: addressOf(options.url),
    token,
    session,
    retries,
    timeoutSeconds,
    // Looks up the global one at each call, so that replacing it later affects this client, too.
    fetch: fetch ?? ((address, init) => globalThis.fetch(address, init)),
    onReauthentication: options.onReauthentication ?? null,
    onSessionChange: (changed) => onSessionChange(changed),
  };
}

function addressOf(given: string | URL): string {
  const url = parsed(given);
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new TypeError("url must be the full address of the service, such as https://dns.example.com.");
  }
  const { username, password, search, hash, origin, pathname } = url;
  if (username !== "" || password !== "") {
    throw new TypeError("url must not contain a username or password. Sign in with them, or pass a token.");
  }
  if (search !== "" || hash !== "") throw new TypeError("url must not contain a query or fragment (? or #).");
  const path = pathname.replace(/(?<!\/)\/+$/, "");
  const [, interfacePath] = /(\/(?:api|trpc))$/.exec(path) ?? [];
  if (interfacePath !== undefined)
    throw new TypeError(`url must be the address of the service itself, without ${interfacePath}.`);
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
