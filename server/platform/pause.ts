import { setTimeout as sleep } from "node:timers/promises";

/** Waits for the given milliseconds. Tests substitute one that advances their clock. */
export type Pause = (milliseconds: number) => Promise<void>;

/** The maximum delay of a timer. */
const longestMilliseconds = 2 ** 31 - 1;

/** Waits in real time, without keeping the process alive. */
export const realPause: Pause = async (milliseconds) =>
  await sleep(Math.min(milliseconds, longestMilliseconds), undefined, { ref: false });
