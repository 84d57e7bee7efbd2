import { renewalTime } from "./access-token.ts";
import { isZonewrightError } from "./errors.ts";

/** What keeps a user signed in. Whoever holds it is that user: store it accordingly. */
export interface Session {
  /** Good for 15 minutes. */
  accessToken: string;
  /** Good for one renewal; null where the browser keeps it in its HttpOnly cookie. */
  refreshToken: string | null;
}

/** An access token in use, and the sign-in that it comes from. */
export interface Credential {
  token: string;
  signIn: number;
}

export interface SessionOptions {
  /** `"cookie"`: there may be one in the browser's cookie. */
  initial: Session | "cookie" | null;
  onChange: (session: Session | null) => void;
  /** Trades a refresh token, or with null the cookie's, for new tokens. */
  renew: (refreshToken: string | null) => Promise<{ accessToken: string; refreshToken: string }>;
}

/** The session of one client: renewed in time, by one request however many calls wait for it. */
export class SessionKeeper {
  readonly #options: SessionOptions;
  /** Whether all sessions of this client stay in the cookie. */
  readonly #alwaysInCookie: boolean;
  /** The refresh token is the browser's alone: other tabs rotate it too, so that a copy of ours would grow stale. */
  #inCookie: boolean;
  #session: Session | null;
  /** The cookie was not asked yet. */
  #unopened: boolean;
  #renewAt: number;
  /** Counts sign-ins and sign-outs: a call must not be repeated as somebody else. */
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

  /** Which sign-in this is: another one may be somebody else's. */
  get signIn(): number {
    return this.#signIn;
  }

  /** Whether there is anything to sign out of. */
  get mayExist(): boolean {
    return this.#session !== null || this.#unopened;
  }

  /** Takes over the tokens of a sign-in, whose refresh token may be in the cookie only; null: signed out. */
  replace(tokens: Session | null): void {
    this.#inCookie = this.#alwaysInCookie || tokens?.refreshToken === null;
    this.#signIn += 1;
    this.#renewal = null;
    this.#take(tokens);
  }

  /** The access token to call with, renewed if its end is near; null for nobody. */
  async credential(): Promise<Credential | null> {
    if (this.#unopened) await this.#renewed();
    // A renewal that fails for the moment is no reason not to try the old token.
    else if (this.#session && Date.now() >= this.#renewAt) await this.#renewed().catch(() => undefined);
    return this.#session && { token: this.#session.accessToken, signIn: this.#signIn };
  }

  /** What to repeat a call with after a 401; null when the session is over. */
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
    const tokens = await this.#options.renew(this.#session?.refreshToken ?? null).catch((error: unknown) => {
      if (isRefusal(error)) return null;
      throw error;
    });
    if (signIn !== this.#signIn) return;
    if (tokens === null) this.#signIn += 1;
    this.#take(tokens);
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

/** Whether the server said no for good; anything else, such as a lost connection, may go better later. */
function isRefusal(error: unknown): boolean {
  return isZonewrightError(error) && ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN"].includes(error.code);
}
