import type { Actor } from "../access/actor.ts";
import type { HttpPort } from "../platform/http-port.ts";
import { LimitReached, setQuotaHeaders } from "./rate-limit.ts";
import type { RequestLimits } from "./requests.ts";

/** Counts a call that is not a procedure and sets the rate-limit headers. @throws LimitReached */
export async function countCall(limits: RequestLimits, http: HttpPort, actor: Actor): Promise<void> {
  try {
    setQuotaHeaders(http, await limits.take(actor));
  } catch (error) {
    if (error instanceof LimitReached) setQuotaHeaders(http, error.quotas);
    throw error;
  }
}
