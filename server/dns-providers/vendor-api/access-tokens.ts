import { createHash } from "node:crypto";
import { z } from "zod";
import type { ProviderError } from "../provider.ts";
import { VendorAccounts } from "./accounts.ts";
import type { VendorCalls, VendorEnvironment } from "./calls.ts";
import { maybe, messageIn, parsedJson } from "./text.ts";

const granted = z.object({ access_token: z.string().min(1), expires_in: maybe(z.coerce.number()) });

/** Seconds before its end at which a token is no longer used. */
const marginSeconds = 120;
/** How long a token is used whose end the answer does not say (RFC 6749 §5.1). */
const usualSeconds = 600;

/** How tokens are requested. */
interface TokenSource {
  /** Calls to the token endpoint. */
  calls: VendorCalls;
  url: string;
  /** What the tokens depend on, credentials included. */
  identity: readonly string[];
  /** Returns the parameters of a request at a time. */
  form: (now: Date) => Readonly<Record<string, string>>;
  /** Masks a secret in messages from now on. */
  mask: (secret: string) => void;
  /** Returns the failure for refused credentials. */
  refused: (message: string) => ProviderError;
}

interface Token {
  value: string;
  usableUntil: number;
}

/** The tokens of this process, by what they depend on. */
const known = new WeakMap<VendorAccounts, Map<string, Promise<Token>>>();

/** Access tokens of OAuth 2.0, for client credentials (RFC 6749 §4.4) and signed assertions (RFC 7523): all connections of this process share them. */
export class AccessTokens {
  readonly #source: TokenSource;
  readonly #accounts: VendorAccounts;
  readonly #tokens: Map<string, Promise<Token>>;
  readonly #key: string;

  constructor(source: TokenSource, { accounts = new VendorAccounts() }: VendorEnvironment) {
    this.#source = source;
    this.#accounts = accounts;
    this.#tokens = known.get(accounts) ?? new Map();
    known.set(accounts, this.#tokens);
    this.#key = createHash("sha256")
      .update(JSON.stringify([source.url, ...source.identity]))
      .digest("base64");
  }

  /** Returns the header that carries a usable token. @throws ProviderError */
  async header(): Promise<{ authorization: string }> {
    const held = await this.#tokens.get(this.#key);
    const { value } = held && this.#now() < held.usableUntil ? held : await this.#renewed();
    this.#source.mask(value);
    return { authorization: `Bearer ${value}` };
  }

  /** Forgets a token that was refused. @returns whether there may be another one */
  discard(): boolean {
    return this.#tokens.delete(this.#key);
  }

  async #renewed(): Promise<Token> {
    const requested = this.#request();
    this.#tokens.set(this.#key, requested);
    try {
      return await requested;
    } catch (error) {
      if (this.#tokens.get(this.#key) === requested) this.#tokens.delete(this.#key);
      throw error;
    }
  }

  async #request(): Promise<Token> {
    const { calls, url, form, mask, refused } = this.#source;
    const parameters = form(this.#accounts.now());
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
    return { value, usableUntil: this.#now() + (seconds - marginSeconds) * 1_000 };
  }

  #now(): number {
    return this.#accounts.now().getTime();
  }
}
