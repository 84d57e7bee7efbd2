import { renewalTime, userIdOf } from "./access-token.ts";
import { isUnanswered, isZonewrightError } from "./errors.ts";
import { pause } from "./pause.ts";

/** The tokens of a signed-in user. They grant the user's access: store them as secrets. */
export interface Session {
  /** Valid for 15 minutes. */
  accessToken: string;
  /** Valid for one renewal; null if it is in the browser's HttpOnly cookie. */
  refreshToken: string | null;
}

/** An access token in use, and the sign-in it belongs to. */
export interface Credential {
  token: string;
  signIn: number;
}

export interface SessionOptions {
  /** `"cookie"`: the browser's cookie may hold one. */
  initial: Session | "cookie" | null;
  onChange: (session: Session | null) => void;
  /** Exchanges a refresh token, or with null the cookie's, for new tokens. */
  renew: (refreshToken: string | null) => Promise<{ accessToken: string; refreshToken: string }>;
}

/** The session of one client. Renews it in time, with one request for all waiting calls. */
export class SessionKeeper {
  readonly #options: SessionOptions;
  /** Whether all sessions of this client stay in the cookie. */
  readonly #alwaysInCookie: boolean;
  /** Only the browser holds the refresh token: other tabs rotate it, too, so a copy would become stale. */
  #inCookie: boolean;
  #session: Session | null;
  /** Whether the cookie has not been tried yet. */
  #unopened: boolean;
  #renewAt: number;
  /** Counts sign-ins and sign-outs: a call must not be retried as another user. */
  #signIn = 0;
  #renewal: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    const { initial } = options;
    this.#options = options;
    this.#session = initial === "cookie" ? null : initial;
    this.#unopened = initial === "cookie";
    this.#alwaysInCookie = initial === "cookie" || initial?.refreshToken === null;
    this.#inCookie = this.#alwaysInCookie;
    this.#renewAt = this.#session ? renewalTime(this.#session.accessToken, false) : Infinity;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** The number of the sign-in; another one may belong to another user. */
  get signIn(): number {
    return this.#signIn;
  }

  /** Whether the refresh token is only in the browser's cookie. */
  get inCookie(): boolean {
    return this.#inCookie;
  }

  /** Whether there is a session to end. */
  get mayExist(): boolean {
    return this.#session !== null || this.#unopened;
  }

  /** Stores the tokens of a sign-in, whose refresh token may be only in the cookie; null: signed out. */
  replace(tokens: Session | null): void {
    this.#inCookie = this.#alwaysInCookie || tokens?.refreshToken === null;
    this.#signIn += 1;
    this.#renewal = null;
    this.#take(tokens);
  }

  /** Returns the access token for a call, renewed if it expires soon, or null without a session. */
  async credential(): Promise<Credential | null> {
    if (this.#unopened) await this.#renewed();
    // If a renewal fails temporarily, the old token may still work.
    else if (this.#session && Date.now() >= this.#renewAt) await this.#renewed().catch(() => undefined);
    return this.#session && { token: this.#session.accessToken, signIn: this.#signIn };
  }

  /** Returns the token to retry a call with after a 401, or null if the session has ended. */
  async credentialAfter(refused: Credential): Promise<Credential | null> {
    if (refused.signIn === this.#signIn && refused.token === this.#session?.accessToken) await this.#renewed();
    if (refused.signIn !== this.#signIn || !this.#session) return null;
    return { token: this.#session.accessToken, signIn: this.#signIn };
  }

  async #renewed(): Promise<void> {
    const renewal = this.#renewal ?? this.#renew(this.#signIn);
    this.#renewal = renewal;
    try {
      await renewal;
    } finally {
      if (this.#renewal === renewal) this.#renewal = null;
    }
  }

  async #renew(signIn: number): Promise<void> {
    const user = userIdOf(this.#session?.accessToken);
    const tokens = await this.#options.renew(this.#session?.refreshToken ?? null).catch((error: unknown) => {
      if (isRefusal(error)) return null;
      throw error;
    });
    if (signIn !== this.#signIn) return;
    // The cookie belongs to the user who signed in last, perhaps another one in another tab.
    const isOther = tokens !== null && user !== null && userIdOf(tokens.accessToken) !== user;
    if (tokens === null || isOther) this.#signIn += 1;
    this.#take(isOther ? null : tokens);
  }

  #take(tokens: Session | null): void {
    this.#unopened = false;
    this.#session = tokens && {
      accessToken: tokens.accessToken,
      refreshToken: this.#inCookie ? null : tokens.refreshToken,
    };
    this.#renewAt = tokens ? renewalTime(tokens.accessToken, true) : Infinity;
    this.#options.onChange(this.#session && { ...this.#session });
  }
}

/** The server answers a refresh token that is used again within ten seconds as before. Later, it takes it for stolen and ends the session. */
const longestMilliseconds = 8_000;

/** Repeats a renewal whose answer was lost, after 0, 2 and 5 seconds: the server may have replaced the refresh token. */
export async function repeated<Tokens>(renew: () => Promise<Tokens>): Promise<Tokens> {
  const ends = Date.now() + longestMilliseconds;
  const waits = [0, 2, 3];
  for (;;) {
    try {
      return await renew();
    } catch (error) {
      const seconds = waits.shift();
      if (seconds === undefined || !isUnanswered(error) || Date.now() + seconds * 1000 > ends) throw error;
      await pause(seconds, null);
    }
  }
}

/** Returns whether the server refused permanently. Other failures, such as a lost connection, are temporary. */
function isRefusal(error: unknown): boolean {
  return isZonewrightError(error) && ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN"].includes(error.code);
}
