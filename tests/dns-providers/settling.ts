import { minute, type Clock } from "../support/clock.ts";
import { adminPassword, type Zonewright } from "../support/zonewright.ts";

/** Puts the clock forward, and signs in again: sessions do not last as long. */
export async function wait(zw: Zonewright, clock: Clock, milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
}

/** Has what calls without an answer have left open read once none of them can be carried out any more. */
export async function settleOpen(zw: Zonewright, clock: Clock): Promise<void> {
  await zw.services.repair.runOnce();
  clock.advance(minute);
  await zw.services.repair.runOnce();
}
