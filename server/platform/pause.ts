import { setTimeout as sleep } from "node:timers/promises";

/** Waits so many milliseconds. Tests have one that puts their clock forward instead. */
export type Pause = (milliseconds: number) => Promise<void>;

/** The longest that a timer takes. */
const longestMilliseconds = 2 ** 31 - 1;

/** Waits in real time, and keeps no process from its end. */
export const realPause: Pause = async (milliseconds) =>
  await sleep(Math.min(milliseconds, longestMilliseconds), undefined, { ref: false });
