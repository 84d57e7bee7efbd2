import { minute, type Clock } from "../support/clock.ts";
import type { Zonewright } from "../support/zonewright.ts";

/** Has what calls without an answer have left open read once none of them can be carried out any more. */
export async function settleOpen(zw: Zonewright, clock: Clock): Promise<void> {
  await zw.services.repair.runOnce();
  clock.advance(minute);
  await zw.services.repair.runOnce();
}
