import { ProviderError } from "../../dns-providers/provider.ts";
import { isChallenge, type PlannedChange } from "../../dns/record.ts";
import type { Pause } from "../../platform/pause.ts";

/** Returns whether changes publish an ACME challenge. */
export function hasNewChallenge(changes: readonly PlannedChange[]): boolean {
  return changes.some(({ after }) => after !== null && after.status !== "disabled" && isChallenge(after));
}

/** Milliseconds between questions; the last one repeats. */
const pauses = [1_000, 2_000, 2_000, 5_000];

/**
 * Waits until a provider's name servers have a change. A failure to ask is none of the change, which was made.
 * @param milliseconds the longest wait
 * @returns false if they have it later; null if the provider could not be asked
 */
export async function untilSettled(
  isSettled: () => Promise<boolean>,
  { milliseconds, pause }: { milliseconds: number; pause: Pause },
): Promise<boolean | null> {
  const ends = performance.now() + milliseconds;
  let paused = 0;
  try {
    for (let looks = 0; ; looks++) {
      if (await before(ends, isSettled())) return true;
      const next = pauses[Math.min(looks, pauses.length - 1)] ?? 0;
      if (paused + next > milliseconds || performance.now() > ends) return false;
      await pause(next);
      paused += next;
    }
  } catch (error) {
    if (error instanceof ProviderError) return null;
    throw error;
  }
}

/** Returns an answer; false if there is none in time. */
async function before(ends: number, answer: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ends - performance.now());
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
