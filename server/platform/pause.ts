import { setTimeout as sleep } from "node:timers/promises";

/** Waits for the given milliseconds. Tests substitute one that advances their clock. */
export type Pause = (milliseconds: number) => Promise<void>;

/** The maximum delay of a timer. */
const longestMilliseconds = 2 ** 31 - 1;

/**
 * Waits for work, but no longer than this. Work that takes longer goes on, and nobody hears of its failure.
 * @param onLate called if the time is over first
 */
export async function atMost(milliseconds: number, work: Promise<unknown>, onLate?: () => void): Promise<void> {
  const over = Promise.withResolvers<void>();
  // Keeps the process alive: what it waits for may not.
  const timer = setTimeout(() => {
    onLate?.();
    over.resolve();
  }, milliseconds);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits in real time, without keeping the process alive. */
export const realPause: Pause = async (milliseconds) =>
  await sleep(Math.min(milliseconds, longestMilliseconds), undefined, { ref: false });
