import { theService } from "../../access/caller.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { TypedNotice } from "../../notifications/notify.ts";
import type { FactChange, FactName } from "./store-finding.ts";

const day = 24 * 3_600_000;
/** Maximum notices per day about single domains. More failures share a cause: no outbound network, or a registry outage. */
const mostEach = 20;

const labels: Readonly<Record<FactName, string>> = {
  registrar: "Registrar",
  statuses: "Status",
  nameServers: "Name servers",
  ds: "DS records",
  locked: "Transfer lock",
  autoRenew: "Automatic renewal",
};
/** Facts with one value. */
const single: ReadonlySet<FactName> = new Set(["registrar", "locked", "autoRenew"]);

const advice = "If no one here changed this, check the registrar's account.";
const unknownWho = "The registrar does not say who changed it.";
const lookupAdvice = "The stored date is unchanged. Set it manually, or turn lookups off for this domain.";

interface Domain {
  id: string;
  name: string;
  view: string;
}

/** How a failure is reported: in its own notice, in one notice for all further failures of the day, or not at all that day. */
type NoticeMode = "single" | "summary" | "none";

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

export function failedLookup(
  domain: Domain,
  ownerId: string | null,
  reason: string,
): TypedNotice<"domain.expiry_check_failed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.expiry_check_failed",
    title: `The expiry date of ${name} could not be looked up`,
    content: `${reason} ${lookupAdvice}`,
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, reason },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}

/** Returns the notice for all failures beyond the daily limit, naming the first one. */
export function manyFailedLookups(domain: Domain, reason: string): TypedNotice<"domain.expiry_check_failed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.expiry_check_failed",
    title: "The expiry dates of many domains could not be looked up",
    content: `More than ${mostEach} lookups failed today, including ${name}: ${reason} The log lists them all. ${lookupAdvice.replace("this domain", "individual domains")}`,
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, reason },
    to: { administrators: true },
  };
}

/** Returns the notice that registration data of a domain changed. */
export function registrationChanged(
  domain: Domain,
  ownerId: string | null,
  changes: readonly FactChange[],
): TypedNotice<"domain.registration_changed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.registration_changed",
    title: `The registration of ${name} changed`,
    content: [...changes.map(described), ...(changes.some(isSwitch) ? [unknownWho] : []), advice].join(" "),
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, changes },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}

/** Returns the notice for all changes beyond the daily limit, naming the first one. */
export function manyRegistrationsChanged(
  domain: Domain,
  changes: readonly FactChange[],
): TypedNotice<"domain.registration_changed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.registration_changed",
    title: "The registrations of many domains changed",
    content: `More registrations changed today, including that of ${name}: ${changes.map(described).join(" ")} The audit trail lists them all as \`domain.registration_changed\`.`,
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, changes },
    to: { administrators: true },
  };
}

/** Records in the audit trail that a lookup of the service found other registration data. */
export async function auditRegistration(
  tx: EntityManager,
  domainId: string,
  changes: readonly FactChange[],
  now: Date,
): Promise<void> {
  await writeEntry(tx, now, theService, {
    action: "domain.registration_changed",
    targetType: "domain",
    targetId: domainId,
    before: Object.fromEntries(changes.map(({ fact, before }) => [fact, before])),
    after: Object.fromEntries(changes.map(({ fact, after }) => [fact, after])),
  });
}

function isSwitch({ fact }: FactChange): boolean {
  return fact === "locked" || fact === "autoRenew";
}

function described({ fact, before, after }: FactChange): string {
  if (single.has(fact)) return `${labels[fact]}: ${after.join("")}, before ${before.join("")}.`;
  const added = after.filter((value) => !before.includes(value)).map((value) => `+ ${value}`);
  const removed = before.filter((value) => !after.includes(value)).map((value) => `− ${value}`);
  return `${labels[fact]}: ${[...removed, ...added].join(", ")}.`;
}
