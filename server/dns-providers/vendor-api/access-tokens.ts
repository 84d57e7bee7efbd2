import { createHash } from "node:crypto";
import { z } from "zod";
import type { ProviderError } from "../provider.ts";
import { VendorAccounts, type Purpose } from "./accounts.ts";
import type { VendorCalls, VendorEnvironment } from "./calls.ts";
import { maybe, messageIn, parsedJson } from "./text.ts";

const granted = z.object({ access_token: z.string().min(1), expires_in: maybe(z.coerce.number()) });

/** Seconds before its end at which a token is no longer used. */
const marginSeconds = 120;
/** How long a token is used whatever its end, so that a vendor with short ones is not asked forever. */
const leastSeconds = 10;
/** How long a token is used whose end the answer does not say (RFC 6749 §5.1). */
const usualSeconds = 600;

/** A token, and the seconds for which it may be used. */
interface Grant {
  value: string;
  seconds: number;
}

/** How tokens are requested. */
interface TokenSource {
  /** What the tokens depend on: where they are requested, and the credentials. */
  identity: readonly string[];
  /** @param now the clock: a request of several calls may take a while */
  request: (now: () => Date) => Promise<Grant>;
  /** Masks a secret in messages from now on. */
  mask: (secret: string) => void;
}

/** How tokens of OAuth 2.0 are requested. */
interface OauthSource {
  /** Calls to the token endpoint. */
  calls: VendorCalls;
  url: string;
  /** Returns the parameters of a request at a time. */
  form: (now: Date) => Readonly<Record<string, string>>;
  mask: TokenSource["mask"];
  /** Returns the failure for refused credentials. */
  refused: (message: string) => ProviderError;
}

/** Returns how tokens are requested by client credentials (RFC 6749 §4.4) or signed assertions (RFC 7523). */
export function oauthRequest({ calls, url, form, mask, refused }: OauthSource): TokenSource["request"] {
  return async (now) => {
    const parameters = form(now());
    for (const name of ["assertion", "client_secret"]) if (parameters[name] !== undefined) mask(parameters[name]);
    const answer = await calls.send({
      method: "POST",
      url,
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(parameters).toString(),
      changes: false,
    });
    if (answer.status >= 300) throw refused(`${calls.plain(messageIn(answer.text))} (${answer.status})`.trimStart());
    const parsed = granted.safeParse(parsedJson(answer.text));
    if (!parsed.success) throw calls.notItsApi("none");
    const { access_token: value, expires_in: seconds = usualSeconds } = parsed.data;
    return { value, seconds };
  };
}

interface Token {
  value: string;
  usableUntil: number;
}

/** A token that was requested, and its value once it is there. */
interface Held {
  token: Promise<Token>;
  /** For what it was requested: background work waits longer for it than a person. */
  purpose: Purpose;
  value?: string;
}

/** The tokens of this process, by what they depend on. */
const known = new WeakMap<VendorAccounts, Map<string, Held>>();

/** Tokens that a vendor hands out for some time, which all connections of this process share. */
export class AccessTokens {
  readonly #source: TokenSource;
  readonly #accounts: VendorAccounts;
  readonly #tokens: Map<string, Held>;
  readonly #key: string;
  readonly #purpose: Purpose;

  constructor(source: TokenSource, { accounts = new VendorAccounts(), purpose = "person" }: VendorEnvironment) {
    this.#purpose = purpose;
    this.#source = source;
    this.#accounts = accounts;
    this.#tokens = known.get(accounts) ?? new Map();
    known.set(accounts, this.#tokens);
    this.#key = createHash("sha256").update(JSON.stringify(source.identity)).digest("base64");
  }

  /** Returns a usable token. @throws ProviderError */
  async current(): Promise<string> {
    for (;;) {
      const shared = this.#tokens.get(this.#key);
      const isTooPatient = this.#purpose === "person" && shared?.purpose !== "person" && shared?.value === undefined;
      const held = shared && !isTooPatient ? shared : this.#requested();
      const { value, usableUntil } = await held.token;
      if (this.#now() < usableUntil) {
        this.#source.mask(value);
        return value;
      }
      this.#forget(held);
    }
  }

  /** Returns the header that carries a usable token (RFC 6750 §2.1). @throws ProviderError */
  async header(): Promise<{ authorization: string }> {
    return { authorization: `Bearer ${await this.current()}` };
  }

  /** Forgets a token that was refused, unless another one was requested since. */
  discard(refused: string): void {
    const held = this.#tokens.get(this.#key);
    if (held?.value !== undefined && refused.endsWith(held.value)) this.#forget(held);
  }

  #requested(): Held {
    const held: Held = { token: this.#request(), purpose: this.#purpose };
    this.#tokens.set(this.#key, held);
    held.token.then(
      ({ value }) => (held.value = value),
      () => this.#forget(held),
    );
    return held;
  }

  #forget(held: Held): void {
    if (this.#tokens.get(this.#key) === held) this.#tokens.delete(this.#key);
  }

  async #request(): Promise<Token> {
    const { value, seconds } = await this.#source.request(this.#accounts.now);
    return { value, usableUntil: this.#now() + Math.max(leastSeconds, seconds - marginSeconds) * 1_000 };
  }

  #now(): number {
    return this.#accounts.now().getTime();
  }
}
