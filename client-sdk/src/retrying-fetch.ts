import { retryAfterSeconds } from "./answer-errors.ts";
import { plainHeaders } from "./authorized-request.ts";
import { pause } from "./pause.ts";
import type { Fetch } from "./request.ts";

/** The caller decides about longer waits; the error has `retryAfterSeconds`. */
const longestWaitSeconds = 10;

/** The header that makes a mutation safe to repeat. */
export const idempotencyKey = "idempotency-key";

/** Returns 128 random bits as text. `crypto.randomUUID` exists only in secure contexts, so not on plain HTTP in a LAN. */
export function uniqueKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/**
 * Returns a fetch that retries safe calls (GET) and idempotent ones (with an `Idempotency-Key`) after 429 or 503 with a `Retry-After` of up to
 * ten seconds, with jitter. A call with a key is also retried after a lost connection, because it may have been applied.
 */
export function retryingFetch(fetch: Fetch, retries: number): Fetch {
  return async (url, init) => {
    const keyed = Object.hasOwn(plainHeaders(init?.headers), idempotencyKey);
    const repeatable = keyed || (init?.method ?? "GET") === "GET";
    for (let done = 0; ; done += 1) {
      const last = !repeatable || done >= retries;
      let seconds = 2 ** done / 2;
      try {
        const response = await fetch(url, init);
        const asked = waitBeforeRetry(response);
        if (last || asked === null) return response;
        seconds = asked;
        await response.body?.cancel();
      } catch (error) {
        if (last || !keyed || init?.signal?.aborted) throw error;
      }
      await pause(seconds * (1 + Math.random() / 10), init?.signal);
    }
  };
}

/** Returns the wait before a retry, or null if the response asks for none or for too long a wait. */
function waitBeforeRetry({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = retryAfterSeconds(headers);
  return seconds !== null && seconds <= longestWaitSeconds ? seconds : null;
}
