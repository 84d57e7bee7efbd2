import type { Actor } from "../access/actor.ts";
import type { HttpPort } from "../platform/http-port.ts";
import { LimitReached, setQuotaHeaders, type QuotaStatus } from "./rate-limit.ts";
import type { RequestLimits } from "./requests.ts";

/** Counts a call that is not a procedure and sets the rate-limit headers. @throws LimitReached */
export async function countCall(limits: RequestLimits, http: HttpPort, actor: Actor): Promise<void> {
  await settingHeaders(http, () => limits.take(actor));
}

/** Counts a call that turns out to be costly, after `countCall`. @throws LimitReached */
export async function countCostlyCall(limits: RequestLimits, http: HttpPort, actor: Actor): Promise<void> {
  await settingHeaders(http, () => limits.takeCostly(actor));
}

async function settingHeaders(http: HttpPort, take: () => Promise<QuotaStatus[]>): Promise<void> {
  try {
    setQuotaHeaders(http, await take());
  } catch (error) {
    if (error instanceof LimitReached) setQuotaHeaders(http, error.quotas);
    throw error;
  }
}
