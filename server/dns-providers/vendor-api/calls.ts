import type { Reach } from "../../platform/net/address-rules.ts";
import { EgressError, retryAfterSeconds } from "../../platform/net/egress-error.ts";
import type { ClientCertificate } from "../../platform/net/http-agent.ts";
import { ProviderError, type ProviderEnvironment } from "../provider.ts";
import {
  isTooLong,
  longestPauseOfRounds,
  VendorAccounts,
  type AccountGate,
  type CallsLeft,
  type Purpose,
  type Quota,
} from "./accounts.ts";
import { SecretMask } from "./secrets.ts";
import { messageIn, shownText } from "./text.ts";

export interface VendorRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  /** A function if each attempt needs its own signature. */
  headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  body?: string;
  /** Milliseconds after which it must not be sent, because it was signed beforehand or has a code that ends. No limit if left out. */
  staleAfterMilliseconds?: number;
  /** Whether it may change something. If its outcome is unknown, it is then not repeated. */
  changes: boolean;
  /**
   * Whether an answer means that the vendor is still busy with an earlier change of this zone, and did nothing. The call is then
   * repeated after a pause, which holds up no other calls to the account.
   */
  isBusy?: (answer: VendorAnswer) => boolean;
  /** Whether a refusal of a read may be a passing failure of the vendor. It is then repeated twice, and returned if it stays. */
  isSporadic?: (answer: VendorAnswer) => boolean;
}

export interface VendorAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** What a failure means for its caller; see {@link ProviderError}. */
interface FailureDetails {
  zoneMissing?: boolean;
  answered?: boolean;
  pauseMilliseconds?: number | null;
  cause?: unknown;
}

/** What the process provides for the calls of a connection. */
export type VendorEnvironment = Pick<ProviderEnvironment, "egress" | "accounts" | "purpose" | "onGate">;

export interface Vendor {
  /** The vendor's name for messages: `Cloudflare`. */
  name: string;
  /** The address of its API. */
  address: string;
  environment: VendorEnvironment;
  /** Credentials, which are masked in messages. They identify the account unless `account` does. */
  secrets: readonly string[];
  /** What calls with other credentials share a limit with, such as the id of an account. */
  account?: string;
  /** An account's quotas at the vendor's own address. At other addresses only 429 answers limit the rate. */
  quotas?: { address: string; limits: readonly Quota[] };
  /**
   * Further limits at that address that some calls of the account share, such as those to a zone: what they are counted by, and the quotas.
   * `account` if calls of several ones share a limit.
   */
  also?: readonly { by: string; account?: string; limits: readonly Quota[] }[];
  /**
   * The seconds in which a used-up limit is whole again, if it refills call by call. Calls then wait until there is room for one, not until
   * the reset that the vendor states. Default: a limit is used up until its reset.
   */
  refillSeconds?: number;
  /** Milliseconds that one attempt may take. Default: 20 seconds. */
  tryMilliseconds?: number;
  /** Which addresses its API may have. Default: public ones. */
  reach?: Reach;
  clientCertificate?: ClientCertificate;
  /** Whether an answer other than 429 means "too many calls, nothing was done". */
  throttles?: (answer: VendorAnswer) => boolean;
}

/**
 * Seconds during which a vendor may still carry out a call that got no answer. Undocumented; longer than any of their calls take.
 */
export const lateSeconds = 30;
const tryMilliseconds = 20_000;
/** Milliseconds for a call including retries and waiting. */
const patienceMilliseconds = { person: 60_000, import: 2 * 3_600_000, mirror: 2 * 3_600_000, drift: 2 * 3_600_000 };
const mostTries = 5;
/** Each after at most `longestBusyPauseMilliseconds`: for about a minute in all. */
const mostBusyTries = 12;
const longestBusyPauseMilliseconds = 8_000;
/** Repetitions of a read that is refused, although nothing may be wrong with it. */
const mostSporadic = 2;
const firstPauseMilliseconds = 500;
const longestBackOffMilliseconds = 60_000;
const maxBytes = 32 * 1024 * 1024;
/** Characters to show of a vendor's own failure message. */
const longestFailure = 200;
/** The longest pause to honor, in milliseconds: a vendor that asks for years means something else. */
const longestPause = 24 * 3_600_000;

/**
 * Makes calls to a vendor's public API: deadlines, rate limits shared by all calls to an account, and failures as ProviderErrors.
 */
export class VendorCalls {
  readonly name: string;
  readonly #vendor: Vendor;
  readonly #accounts: VendorAccounts;
  readonly #gate: AccountGate;
  readonly #narrower: readonly AccountGate[];
  readonly #purpose: Purpose;
  readonly #secretMask = new SecretMask();

  constructor(vendor: Vendor) {
    const { address, environment, quotas, secrets, also = [] } = vendor;
    this.name = vendor.name;
    this.#vendor = vendor;
    this.#purpose = environment.purpose ?? "person";
    this.#accounts = environment.accounts ?? new VendorAccounts();
    const isTheirs = quotas !== undefined && new URL(address).origin === new URL(quotas.address).origin;
    const identity = vendor.account === undefined ? secrets : [vendor.account];
    const gateOf = (by: readonly string[], limits: readonly Quota[]) =>
      this.#accounts.gate(address, by, isTheirs ? limits : []);
    this.#gate = gateOf(identity, quotas?.limits ?? []);
    environment.onGate?.(this.#gate);
    this.#narrower = also.map((limit) => {
      const gate = gateOf([...(limit.account === undefined ? identity : [limit.account]), limit.by], limit.limits);
      if (limit.account !== undefined) environment.onGate?.(gate);
      return gate;
    });
  }

  /**
   * Sends a request once the account has room for it. Rate-limited requests are retried after the pause that the vendor asks for;
   * failed reads are retried too.
   * @returns any answer below 500 that is not a rate limit.
   * @throws ProviderError with effect `unknown` if a changing call may have been carried out
   */
  async send(request: VendorRequest): Promise<VendorAnswer> {
    const ends =
      this.#time() + Math.min(patienceMilliseconds[this.#purpose], request.staleAfterMilliseconds ?? Infinity);
    for (let tries = 1; ; tries++) {
      if (this.#accounts.isStopped(this.#purpose))
        throw this.failure("was not called, because the service is stopping.", "none");
      for (const gate of [...this.#narrower, this.#gate]) {
        const wait = await gate.enter(this.#purpose, ends - this.#time());
        if (wait > 0) throw this.#tooMany(wait);
      }
      const attempt = await this.#try(request, tries);
      if ("answer" in attempt) {
        const isFinal = request.changes || tries > mostSporadic || !request.isSporadic?.(attempt.answer);
        if (isFinal || this.#time() >= ends) return attempt.answer;
        await this.#accounts.rest(this.#purpose, backOffAfter(tries));
        continue;
      }
      if ("closedMilliseconds" in attempt) {
        this.#gate.close(attempt.closedMilliseconds);
        const tired = this.#purpose !== "import" && tries >= mostTries;
        if (tired || this.#time() >= ends) throw this.#tooMany(attempt.closedMilliseconds);
        continue;
      }
      const { failure, pauseMilliseconds, isBusy = false } = attempt;
      const most = isBusy ? mostBusyTries : mostTries;
      if (pauseMilliseconds === null || tries >= most || this.#time() + pauseMilliseconds > ends) throw failure;
      if (isTooLong(this.#purpose, pauseMilliseconds)) throw failure;
      await this.#accounts.rest(this.#purpose, pauseMilliseconds);
    }
  }

  /**
   * Waits until a call may be sent; for requests that are signed beforehand and would expire while waiting. @throws ProviderError
   */
  async untilOpen(): Promise<void> {
    const wait = await this.#gate.untilOpen(this.#purpose, patienceMilliseconds[this.#purpose]);
    if (wait > 0) throw this.#tooMany(wait);
  }

  /** Returns a failure with someone else's message, on one line and without credentials. */
  error(reason: string, effect: "none" | "unknown", options: FailureDetails = {}): ProviderError {
    return new ProviderError(`${this.name}: ${this.plain(reason)}`, effect, options);
  }

  /** Returns a failure whose message begins with the vendor's name as its subject: `failed (500).` */
  failure(predicate: string, effect: "none" | "unknown", options: FailureDetails = {}): ProviderError {
    return new ProviderError(`${this.name} ${this.plain(predicate)}`, effect, options);
  }

  /** Returns the failure for an answer that is not in the form of the vendor's API. */
  notItsApi(effect: "none" | "unknown", cause?: unknown): ProviderError {
    const reason = "the answer does not look like its API. Check the address.";
    return this.error(reason, effect, { cause });
  }

  /** Returns a vendor's text in a form that may be shown. */
  plain(text: string): string {
    return shownText(text, this.#vendor.secrets, undefined, this.#secretMask);
  }

  #time(): number {
    return this.#accounts.now().getTime();
  }

  #tooMany(milliseconds: number): ProviderError {
    const reason = `accepts no more calls for now. Try again in ${inWords(milliseconds)}.`;
    return this.failure(reason, "none", { pauseMilliseconds: milliseconds });
  }

  async #try(request: VendorRequest, tries: number): Promise<Attempt> {
    const { method, url, headers, body, changes } = request;
    const { reach = "public", clientCertificate } = this.#vendor;
    const backOff = backOffAfter(tries);
    let answer: VendorAnswer;
    try {
      const response = await this.#vendor.environment.egress.guardedFetch(url, {
        reach,
        method,
        headers: typeof headers === "function" ? headers() : headers,
        ...(body === undefined ? {} : { body }),
        ...(clientCertificate && { clientCertificate }),
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
    const stated = statedLimit(answer.headers, this.#time());
    if (stated) this.#gate.state(stated);
    const requested = this.#requestedPause(answer);
    if (answer.status === 429 || this.#vendor.throttles?.(answer)) {
      // Pauses even if the vendor repeatedly asks for none.
      const least = requested ?? this.#refillMilliseconds(stated);
      return { closedMilliseconds: requested !== null && tries < mostTries ? requested : Math.max(least, backOff) };
    }
    if (request.isBusy?.(answer)) {
      const failure = this.failure("has not finished an earlier change of this zone. Try again later.", "none");
      return { failure, pauseMilliseconds: Math.min(backOff, longestBusyPauseMilliseconds), isBusy: true };
    }
    if (answer.status >= 500) {
      const detail = shownText(messageIn(answer.text), this.#vendor.secrets, longestFailure, this.#secretMask);
      const reason = `failed (${answer.status})${detail === "" ? "." : `: ${detail}`}`;
      // Short pauses were waited out here, so a failure after them is not about waiting.
      const pause = requested !== null && requested > longestPauseOfRounds ? requested : null;
      const failure = this.failure(reason, changes ? "unknown" : "none", { pauseMilliseconds: pause });
      return { failure, pauseMilliseconds: changes ? null : (requested ?? backOff) };
    }
    return { answer };
  }

  /** Returns the pause that an answer asks for, in milliseconds and at most a day; null if none. */
  #requestedPause({ status, headers }: VendorAnswer): number | null {
    const seconds = retryAfterSeconds(headers, new Date(this.#time()));
    // Some vendors say with every answer when their limit resets, or when it is whole.
    const saysLess = this.#vendor.refillSeconds !== undefined || (status !== 429 && callsLeft(headers) > 0);
    const reset = saysLess ? null : rateLimitReset(headers, this.#time());
    const requested = seconds === null ? reset : seconds * 1_000;
    return requested === null ? null : Math.min(requested, longestPause);
  }

  /** Returns after how many milliseconds a limit that refills has room for a call; 0 if that is not known. */
  #refillMilliseconds(stated: CallsLeft | null): number {
    const { refillSeconds = 0 } = this.#vendor;
    if (!stated?.limit || refillSeconds === 0) return 0;
    return Math.min(Math.ceil(((stated.seconds ?? refillSeconds) * 1_000) / stated.limit), longestPause);
  }
}

type Attempt =
  | { answer: VendorAnswer }
  /** The account accepts no calls for this long; nothing was done. */
  | { closedMilliseconds: number }
  /** A null pause means: do not retry. */
  | { failure: ProviderError; pauseMilliseconds: number | null; isBusy?: true };

function backOffAfter(tries: number): number {
  const doubled = Math.min(firstPauseMilliseconds * 2 ** (tries - 1), longestBackOffMilliseconds);
  return Math.ceil(doubled * (0.5 + Math.random()));
}

/** Returns the milliseconds until a rate limit resets; null without the header. Vendors send seconds, a Unix time, or the seconds of a period. */
function rateLimitReset(headers: Headers, now: number): number | null {
  const names = ["ratelimit-reset", "x-ratelimit-reset", "x-ratelimit-period"];
  const reset = Number(names.map((name) => headers.get(name)).find((text) => text !== null) ?? Number.NaN);
  if (!(reset >= 0)) return null;
  return reset > 1e9 ? Math.max(0, reset * 1_000 - now) : reset * 1_000;
}

/** Returns the calls that a rate limit leaves; 0 if the answer does not say. */
function callsLeft(headers: Headers): number {
  return numberIn(headers, remainingHeaders) ?? 0;
}

const remainingHeaders = ["ratelimit-remaining", "x-ratelimit-remaining"];

/**
 * Returns what an answer says of the vendor's limit, in the headers that most vendors send or in those of the IETF's draft
 * (`RateLimit: "default";r=50;t=30`); null if it does not say how many calls are left.
 */
function statedLimit(headers: Headers, now: number): CallsLeft | null {
  const parameter = (header: string, name: string) => {
    const parts = (headers.get(header) ?? "").split(";").map((part) => part.trim());
    return numberAtStart(parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "");
  };
  const left = numberIn(headers, remainingHeaders) ?? parameter("ratelimit", "r");
  if (left === null) return null;
  const limit = numberIn(headers, ["ratelimit-limit", "x-ratelimit-limit"]) ?? parameter("ratelimit-policy", "q");
  const seconds = numberIn(headers, ["x-ratelimit-period"]) ?? parameter("ratelimit-policy", "w");
  const ends = rateLimitReset(headers, now) ?? (parameter("ratelimit", "t") ?? 0) * 1_000;
  const resetsAt = ends > 0 ? new Date(now + Math.min(ends, longestPause)) : null;
  return { left, limit, seconds, resetsAt, source: "provider" };
}

/** Returns the whole number that the first of these headers starts with; null without one. */
function numberIn(headers: Headers, names: readonly string[]): number | null {
  return numberAtStart(names.map((name) => headers.get(name)).find((value) => value !== null) ?? "");
}

function numberAtStart(text: string): number | null {
  const [digits] = /^\s*\d{1,10}(?![\d.])/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

function inWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  if (seconds < 120) return seconds === 1 ? "a second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
