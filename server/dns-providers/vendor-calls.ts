import { setTimeout as sleep } from "node:timers/promises";
import type { Egress } from "../net/egress.ts";
import { EgressError } from "../net/egress-error.ts";
import { ProviderError } from "./provider.ts";

export interface VendorRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  /** A function where each try is signed anew. */
  headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  body?: string;
  /** Whether it may change something there: then a try whose end is unknown is not repeated. POST alone does not say so. */
  changes: boolean;
}

export interface VendorAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Vendor {
  /** As people know it: `Cloudflare`. */
  name: string;
  egress: Egress;
  /** Credentials that no message may carry. */
  secrets: readonly string[];
  /** Whether an answer means "too many calls, nothing was done"; status 429 always does. */
  throttles?: (answer: VendorAnswer) => boolean;
}

/** For how long a vendor may still carry out a call to which no answer came. None documents it: longer than any call of theirs takes. */
export const lateSeconds = 30;
const tryMilliseconds = 20_000;
/** For a call with its repetitions. */
const patienceMilliseconds = 60_000;
const mostTries = 5;
const firstPauseMilliseconds = 500;
const maxBytes = 32 * 1024 * 1024;
const longestReason = 500;

/** Calls to a vendor's public API: deadlines, limits on rates honoured, failures told as what they mean for the zone. */
export class VendorCalls {
  readonly name: string;
  readonly #vendor: Vendor;

  constructor(vendor: Vendor) {
    this.name = vendor.name;
    this.#vendor = vendor;
  }

  /**
   * Sends a request. What was refused for its rate is sent again after the pause that the vendor asks for, and so is a reading call
   * that came to nothing.
   * @returns any answer below 500 that is no refusal for its rate.
   * @throws ProviderError with effect `unknown` when a changing call may have been carried out
   */
  async send(request: VendorRequest): Promise<VendorAnswer> {
    const ends = performance.now() + patienceMilliseconds;
    for (let tries = 1; ; tries++) {
      const attempt = await this.#try(request, tries);
      if ("answer" in attempt) return attempt.answer;
      const { failure, pauseMilliseconds } = attempt;
      if (pauseMilliseconds === null || tries >= mostTries || performance.now() + pauseMilliseconds > ends)
        throw failure;
      await sleep(pauseMilliseconds);
    }
  }

  /** A failure in the vendor's words, on one line, without credentials. */
  error(
    reason: string,
    effect: "none" | "unknown",
    options: { zoneMissing?: boolean; cause?: unknown } = {},
  ): ProviderError {
    return new ProviderError(`${this.name}: ${this.plain(reason)}`, effect, options);
  }

  /** Text of the vendor's as it may be shown. */
  plain(text: string): string {
    const secrets = this.#vendor.secrets.filter((secret) => secret !== "");
    const safe = secrets.reduce((so, secret) => so.replaceAll(secret, "********"), text);
    const line = safe.replaceAll(/\p{Cc}+/gu, " ").trim();
    return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
  }

  async #try(request: VendorRequest, tries: number): Promise<Attempt> {
    const { method, url, headers, body, changes } = request;
    const backOff = firstPauseMilliseconds * 2 ** (tries - 1) * (0.5 + Math.random());
    let answer: VendorAnswer;
    try {
      const response = await this.#vendor.egress.guardedFetch(url, {
        reach: "public",
        method,
        headers: typeof headers === "function" ? headers() : headers,
        ...(body === undefined ? {} : { body }),
        deadlineMilliseconds: tryMilliseconds,
        maxBytes,
      });
      answer = { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const failure = this.error(error.message, error.sent && changes ? "unknown" : "none", { cause: error });
      const again = !changes && ["timeout", "cut", "connect"].includes(error.failure);
      return { failure, pauseMilliseconds: again ? backOff : null };
    }
    if (answer.status === 429 || this.#vendor.throttles?.(answer)) {
      const failure = this.error("it takes no more calls for the moment; try again in a few minutes.", "none");
      return { failure, pauseMilliseconds: retryAfter(answer.headers) ?? rateLimitReset(answer.headers) ?? backOff };
    }
    if (answer.status >= 500) {
      const failure = this.error(`it failed (${answer.status}): ${answer.text}`, changes ? "unknown" : "none");
      return { failure, pauseMilliseconds: changes ? null : (retryAfter(answer.headers) ?? backOff) };
    }
    return { answer };
  }
}

type Attempt =
  | { answer: VendorAnswer }
  /** A pause of null: not to be repeated. */
  | { failure: ProviderError; pauseMilliseconds: number | null };

/** The pause of a Retry-After in seconds or as a date (RFC 9110 §10.2.3), in milliseconds; null without one. */
function retryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** The pause until a limit on rates has room again, in milliseconds: some say it in seconds, some as a time of Unix. Null without one. */
function rateLimitReset(headers: Headers): number | null {
  const reset = Number(headers.get("ratelimit-reset") ?? Number.NaN);
  if (!(reset >= 0)) return null;
  return reset > 1e9 ? Math.max(0, reset * 1_000 - Date.now()) : reset * 1_000;
}
