import type { Actor } from "../access/actor.ts";
import type { HttpPort } from "../platform/http-port.ts";
import { LimitReached, tellQuotas } from "./rate-limit.ts";
import type { RequestLimits } from "./requests.ts";

/** Counts a call that is no procedure, and tells its caller where they stand. @throws LimitReached */
export async function countCall(limits: RequestLimits, http: HttpPort, actor: Actor): Promise<void> {
  try {
    tellQuotas(http, await limits.take(actor));
  } catch (error) {
    if (error instanceof LimitReached) tellQuotas(http, error.quotas);
    throw error;
  }
}
