import { retryAfterSeconds } from "./answer-errors.ts";
import { pause } from "./pause.ts";
import type { Fetch } from "./request.ts";

/** A longer wait is the caller's to decide on: the error tells of it. */
const longestWaitSeconds = 10;

/** The header that makes a mutation safe to repeat. */
export const idempotencyKey = "idempotency-key";

/**
 * A fetch that repeats what changes nothing (GET), or nothing more than once (with an `Idempotency-Key`), when the server asks for it:
 * after 429 and 503 with a `Retry-After` of up to ten seconds, spread a little, so that many clients do not come back at once. A keyed call
 * whose connection breaks is repeated as well, since it may have been carried out.
 */
export function retryingFetch(fetch: Fetch, retries: number): Fetch {
  return async (url, init) => {
    const keyed = new Headers(init?.headers).has(idempotencyKey);
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

/** Null when the answer asks for no repetition, or for too long a wait. */
function waitBeforeRetry({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = retryAfterSeconds(headers);
  return seconds !== null && seconds <= longestWaitSeconds ? seconds : null;
}
