import { EgressError } from "../../net/egress-error.ts";
import { retryAfterSeconds } from "../../net/retry-after.ts";
import { ProviderError, type ProviderEnvironment } from "../provider.ts";
import { longestPauseOfDrift, VendorAccounts, type AccountGate, type Purpose, type Quota } from "./accounts.ts";
import { messageIn, shownText } from "./text.ts";

export interface VendorRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  /** A function where each try is signed anew. */
  headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  body?: string;
  /** After how long it may not be sent any more, for a signature that was made before; without end when left out. */
  staleAfterMilliseconds?: number;
  /** Whether it may change something there: then a try whose end is unknown is not repeated. POST alone does not say so. */
  changes: boolean;
}

export interface VendorAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** What a process lends to the calls of a connection. */
export type VendorEnvironment = Pick<ProviderEnvironment, "egress" | "accounts" | "purpose">;

export interface Vendor {
  /** As people know it: `Cloudflare`. */
  name: string;
  /** Where its API is. */
  address: string;
  environment: VendorEnvironment;
  /** Credentials that no message may carry. They tell its accounts apart too. */
  secrets: readonly string[];
  /** What an account may call at the vendor's own address. Elsewhere the answers alone tell. */
  quotas?: { address: string; limits: readonly Quota[] };
  /** How long one try may take; 20 seconds when left out. */
  tryMilliseconds?: number;
  /** Whether an answer means "too many calls, nothing was done"; status 429 always does. */
  throttles?: (answer: VendorAnswer) => boolean;
}

/** For how long a vendor may still carry out a call to which no answer came. None documents it: longer than any call of theirs takes. */
export const lateSeconds = 30;
const tryMilliseconds = 20_000;
/** For a call with its repetitions and its wait for a turn: of a person, and of work in the background. */
const patienceMilliseconds = { person: 60_000, import: 2 * 3_600_000, drift: 2 * 3_600_000 };
const mostTries = 5;
const firstPauseMilliseconds = 500;
const longestBackOffMilliseconds = 60_000;
const maxBytes = 32 * 1024 * 1024;
/** Characters of what a vendor says of a failure of its own. */
const longestFailure = 200;
/** No account is left alone for longer, in milliseconds: who asks for years means something else, and may change their mind. */
const longestPause = 24 * 3_600_000;

/** Calls to a vendor's public API: deadlines, limits on rates honoured by all calls to an account, failures told as what they mean for the zone. */
export class VendorCalls {
  readonly name: string;
  readonly #vendor: Vendor;
  readonly #accounts: VendorAccounts;
  readonly #gate: AccountGate;
  readonly #purpose: Purpose;

  constructor(vendor: Vendor) {
    const { address, environment, quotas, secrets } = vendor;
    this.name = vendor.name;
    this.#vendor = vendor;
    this.#purpose = environment.purpose ?? "person";
    this.#accounts = environment.accounts ?? new VendorAccounts();
    const isTheirs = quotas !== undefined && new URL(address).origin === new URL(quotas.address).origin;
    this.#gate = this.#accounts.gate(address, secrets, isTheirs ? quotas.limits : []);
  }

  /**
   * Sends a request once the account has room for it. What was refused for its rate is sent again after the pause that the vendor asks
   * for, and so is a reading call that came to nothing.
   * @returns any answer below 500 that is no refusal for its rate.
   * @throws ProviderError with effect `unknown` when a changing call may have been carried out
   */
  async send(request: VendorRequest): Promise<VendorAnswer> {
    const ends =
      this.#time() + Math.min(patienceMilliseconds[this.#purpose], request.staleAfterMilliseconds ?? Infinity);
    for (let tries = 1; ; tries++) {
      const wait = await this.#gate.enter(this.#purpose, ends - this.#time());
      if (wait > 0) throw this.#tooMany(wait);
      const attempt = await this.#try(request, tries);
      if ("answer" in attempt) return attempt.answer;
      if ("closedMilliseconds" in attempt) {
        this.#gate.close(attempt.closedMilliseconds);
        const tired = this.#purpose !== "import" && tries >= mostTries;
        if (tired || this.#time() >= ends) throw this.#tooMany(attempt.closedMilliseconds);
        continue;
      }
      const { failure, pauseMilliseconds } = attempt;
      if (pauseMilliseconds === null || tries >= mostTries || this.#time() + pauseMilliseconds > ends) throw failure;
      if (this.#purpose === "drift" && pauseMilliseconds > longestPauseOfDrift) throw failure;
      await this.#accounts.pause(pauseMilliseconds);
    }
  }

  /** Waits until a call may be sent, for those that age from before they are. @throws ProviderError */
  async untilOpen(): Promise<void> {
    const wait = await this.#gate.untilOpen(this.#purpose, patienceMilliseconds[this.#purpose]);
    if (wait > 0) throw this.#tooMany(wait);
  }

  /** A failure in the vendor's words, on one line, without credentials. */
  error(
    reason: string,
    effect: "none" | "unknown",
    options: { zoneMissing?: boolean; pauseMilliseconds?: number | null; cause?: unknown } = {},
  ): ProviderError {
    return new ProviderError(`${this.name}: ${this.plain(reason)}`, effect, options);
  }

  /** An answer that is not in the form of the vendor's API: something else is at the address. */
  notItsApi(effect: "none" | "unknown", cause?: unknown): ProviderError {
    const reason = "what answers there is not its API, or a version that is not understood; check the address.";
    return this.error(reason, effect, { cause });
  }

  /** Text of the vendor's as it may be shown. */
  plain(text: string): string {
    return shownText(text, this.#vendor.secrets);
  }

  #time(): number {
    return this.#accounts.now().getTime();
  }

  #tooMany(milliseconds: number): ProviderError {
    const reason = `it takes no more calls for the moment; try again in ${inWords(milliseconds)}.`;
    return this.error(reason, "none", { pauseMilliseconds: milliseconds });
  }

  async #try(request: VendorRequest, tries: number): Promise<Attempt> {
    const { method, url, headers, body, changes } = request;
    const doubled = Math.min(firstPauseMilliseconds * 2 ** (tries - 1), longestBackOffMilliseconds);
    const backOff = Math.ceil(doubled * (0.5 + Math.random()));
    let answer: VendorAnswer;
    try {
      const response = await this.#vendor.environment.egress.guardedFetch(url, {
        reach: "public",
        method,
        headers: typeof headers === "function" ? headers() : headers,
        ...(body === undefined ? {} : { body }),
        deadlineMilliseconds: this.#vendor.tryMilliseconds ?? tryMilliseconds,
        maxBytes,
      });
      answer = { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const failure = this.error(error.message, error.sent && changes ? "unknown" : "none", { cause: error });
      const again = !changes && ["timeout", "cut", "connect"].includes(error.failure);
      return { failure, pauseMilliseconds: again ? backOff : null };
    }
    const asked = this.#askedPause(answer.headers);
    if (answer.status === 429 || this.#vendor.throttles?.(answer)) {
      // Who says "at once" time and again is not believed.
      return { closedMilliseconds: asked !== null && tries < mostTries ? asked : Math.max(asked ?? 0, backOff) };
    }
    if (answer.status >= 500) {
      const told = shownText(messageIn(answer.text), this.#vendor.secrets, longestFailure);
      const reason = `it failed (${answer.status})${told === "" ? "." : `: ${told}`}`;
      // After a short one it is asked again here: what fails then is no matter of waiting.
      const pause = asked !== null && asked > longestPauseOfDrift ? asked : null;
      const failure = this.error(reason, changes ? "unknown" : "none", { pauseMilliseconds: pause });
      return { failure, pauseMilliseconds: changes ? null : (asked ?? backOff) };
    }
    return { answer };
  }

  /** The pause that an answer asks for, in milliseconds, a day at the most; null where it asks for none. */
  #askedPause(headers: Headers): number | null {
    const seconds = retryAfterSeconds(headers, new Date(this.#time()));
    const asked = seconds === null ? rateLimitReset(headers, this.#time()) : seconds * 1_000;
    return asked === null ? null : Math.min(asked, longestPause);
  }
}

type Attempt =
  | { answer: VendorAnswer }
  /** The account takes no calls for so long; nothing was done. */
  | { closedMilliseconds: number }
  /** A pause of null: not to be repeated. */
  | { failure: ProviderError; pauseMilliseconds: number | null };

/** The pause until a limit on rates has room again, in milliseconds: some say it in seconds, some as a time of Unix. Null without one. */
function rateLimitReset(headers: Headers, now: number): number | null {
  const reset = Number(headers.get("ratelimit-reset") ?? Number.NaN);
  if (!(reset >= 0)) return null;
  return reset > 1e9 ? Math.max(0, reset * 1_000 - now) : reset * 1_000;
}

function inWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  if (seconds < 120) return seconds === 1 ? "a second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
