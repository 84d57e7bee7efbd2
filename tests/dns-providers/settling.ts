import { minute, type Clock } from "../support/clock.ts";
import { adminPassword, type Zonewright } from "../support/zonewright.ts";

/** Advances the clock and signs in again, because sessions expire earlier. */
export async function wait(zw: Zonewright, clock: Clock, milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
}

/** Settles the changes that unanswered calls left pending, once none of them can still be carried out. */
export async function settleOpen(zw: Zonewright, clock: Clock): Promise<void> {
  await zw.services.repair.runOnce();
  clock.advance(minute);
  await zw.services.repair.runOnce();
}
