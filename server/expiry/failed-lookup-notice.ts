import { qualifiedName } from "../dns/names/views.ts";
import type { TypedNotice } from "../notifications/notify.ts";
import type { DueDomain } from "./due-domains.ts";

const day = 24 * 3_600_000;
/** Maximum notices per day about single domains. More failures share a cause: no outbound network, or a registry outage. */
const mostEach = 20;

/** How a failure is reported: in its own notice, in one notice for all further failures of the day, or not at all that day. */
export type NoticeMode = "single" | "summary" | "none";

/** Limits notices during a registry outage. Counts per process. */
export class NoticeBudget {
  #since = 0;
  #taken = 0;

  take(now: Date): NoticeMode {
    if (now.getTime() - this.#since >= day) {
      this.#since = now.getTime();
      this.#taken = 0;
    }
    this.#taken++;
    if (this.#taken <= mostEach) return "single";
    return this.#taken === mostEach + 1 ? "summary" : "none";
  }
}

const advice = "The stored date is unchanged. Set it manually, or turn lookups off for this domain.";

export function failedLookup(
  domain: DueDomain,
  ownerId: string | null,
  reason: string,
): TypedNotice<"domain.expiry_check_failed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.expiry_check_failed",
    title: `The expiry date of ${name} could not be looked up`,
    content: `${reason} ${advice}`,
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, reason },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}

/** Returns the notice for all failures beyond the daily limit, naming the first one. */
export function manyFailedLookups(domain: DueDomain, reason: string): TypedNotice<"domain.expiry_check_failed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.expiry_check_failed",
    title: "The expiry dates of many domains could not be looked up",
    content: `More than ${mostEach} lookups failed today, including ${name}: ${reason} The log lists them all. ${advice.replace("this domain", "individual domains")}`,
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, reason },
    to: { administrators: true },
  };
}
