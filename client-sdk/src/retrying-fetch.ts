import { retryAfterSeconds } from "./answer-errors.ts";
import { plainHeaders } from "./authorized-request.ts";
import { pause } from "./pause.ts";
import type { Fetch, Received, Send } from "./request.ts";

/** The caller decides about longer waits; the error has `retryAfterSeconds`. */
const longestWaitSeconds = 10;

/** The header that makes a mutation safe to repeat. */
export const idempotencyKey = "idempotency-key";

/** Returns 128 random bits as text. `crypto.randomUUID` exists only in secure contexts, so not on plain HTTP in a LAN. */
export function uniqueKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** How long a limit is waited for, in seconds, by a call without a timeout. */
const longestPatience = 3600;

/**
 * Returns a fetch that retries safe calls (GET) and idempotent ones (with an `Idempotency-Key`) after 429 or 503 with a `Retry-After` of up to
 * ten seconds, with jitter. A call with a key is also retried after a lost connection, because it may have been applied: also
 * after one that was lost within the response.
 * @param timeoutSeconds the timeout of a call, which aborts its signal; 0: none
 */
export function retryingFetch(fetch: Fetch, retries: number, timeoutSeconds: number): Send {
  return async (url, init) => {
    const keyed = Object.hasOwn(plainHeaders(init?.headers), idempotencyKey);
    const send = keyed ? readingWhole(fetch) : fetch;
    const repeatable = keyed || (init?.method ?? "GET") === "GET";
    /** An attempt whose response was lost. */
    let lost: { error: unknown } | null = null;
    for (let done = 0; ; done += 1) {
      const last = !repeatable || done >= retries;
      let seconds: number | null = 2 ** done / 2;
      let response: Received | null = null;
      try {
        response = await send(url, init);
      } catch (error) {
        if (last || !keyed || init?.signal?.aborted) throw error;
        lost = { error };
      }
      if (lost !== null && response?.status === 429) {
        // The service counts a call before it looks at its key. So this does not say that the lost attempt changed nothing.
        const asked = waitBeforeRetry(response, timeoutSeconds === 0 ? longestPatience : timeoutSeconds);
        if (asked === null) throw lost.error;
        seconds = Math.max(asked, 0.5);
      } else if (response !== null) {
        seconds = waitBeforeRetry(response, longestWaitSeconds);
        if (last || seconds === null) return response;
      }
      await response?.body?.cancel().catch(() => undefined);
      await pause(seconds * (1 + Math.random() / 10), init?.signal);
    }
  };
}

/** Returns a fetch whose responses are read to their end, which fails if the connection is lost before. */
function readingWhole(fetch: Fetch): Send {
  return async (url, init) => {
    const response = await fetch(url, init);
    const text = await response.text();
    const { ok, status, headers } = response;
    return { ok, status, headers, body: null, text: () => Promise.resolve(text) };
  };
}

/** Returns the wait before a retry, or null if the response asks for none or for a longer one. */
function waitBeforeRetry({ status, headers }: Received, longestSeconds: number): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = retryAfterSeconds(headers);
  return seconds !== null && seconds <= longestSeconds ? seconds : null;
}
