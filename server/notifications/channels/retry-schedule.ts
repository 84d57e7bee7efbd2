import type { Claimed } from "./deliveries.ts";

const minute = 60_000;
const hour = 60 * minute;
/** How long a delivery is retried. */
const retryPeriod = 48 * hour;
/** Delays before the second attempt, the third and so on; later attempts wait ten hours. */
const delays = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour];
const furtherDelay = 10 * hour;

/** Returns the time of the next attempt after a failure; null once the retry period is over. */
export function nextAttempt(
  { attempts, message }: Pick<Claimed, "attempts" | "message">,
  now: Date,
  waitSeconds = 0,
): Date | null {
  const last = message.createdAt.getTime() + retryPeriod;
  if (now.getTime() >= last) return null;
  const wait = Math.max(delays[attempts] ?? furtherDelay, waitSeconds * 1_000);
  return new Date(Math.min(now.getTime() + wait, last));
}
