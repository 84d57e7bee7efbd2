import { retryAfterSeconds } from "./answer-errors.ts";
import { pause } from "./pause.ts";
import type { Fetch } from "./request.ts";

/** A longer wait is the caller's to decide on: the error tells of it. */
const longestWaitSeconds = 10;

/**
 * A fetch that repeats what changes nothing (GET) when the server asks for it: after 429 and 503 with a `Retry-After` of
 * up to ten seconds, spread a little, so that many clients do not come back at once.
 */
export function retryingFetch(fetch: Fetch, retries: number): Fetch {
  return async (url, init) => {
    for (let left = (init?.method ?? "GET") === "GET" ? retries : 0; ; left -= 1) {
      const response = await fetch(url, init);
      const seconds = waitBeforeRetry(response);
      if (left <= 0 || seconds === null) return response;
      await response.body?.cancel();
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
