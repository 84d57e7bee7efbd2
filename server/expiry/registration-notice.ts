import { theService } from "../access/actor.ts";
import { writeEntry } from "../audit/audit.ts";
import type { EntityManager } from "../database/database.ts";
import { qualifiedName } from "../dns/names/views.ts";
import type { TypedNotice } from "../notifications/notify.ts";
import type { DueDomain } from "./due-domains.ts";
import type { FactChange, FactName } from "./facts.ts";

const labels: Readonly<Record<FactName, string>> = {
  registrar: "Registrar",
  statuses: "Status",
  nameServers: "Name servers",
  ds: "DS records",
};

const advice = "If no one here changed this, check the registrar's account.";

/** Returns the notice that registration data of a domain changed. */
export function registrationChanged(
  domain: DueDomain,
  ownerId: string | null,
  changes: readonly FactChange[],
): TypedNotice<"domain.registration_changed"> {
  const name = qualifiedName(domain);
  return {
    event: "domain.registration_changed",
    title: `The registration of ${name} changed`,
    content: `${changes.map(described).join(" ")} ${advice}`,
    level: "warning",
    metadata: { domainId: domain.id, domainName: name, changes },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}

/** Returns the notice for all changes beyond the daily limit, naming the first one. */
export function manyRegistrationsChanged(
  domain: DueDomain,
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

function described({ fact, before, after }: FactChange): string {
  if (fact === "registrar") return `${labels[fact]}: ${after.join("")}, before ${before.join("")}.`;
  const added = after.filter((value) => !before.includes(value)).map((value) => `+ ${value}`);
  const removed = before.filter((value) => !after.includes(value)).map((value) => `− ${value}`);
  return `${labels[fact]}: ${[...removed, ...added].join(", ")}.`;
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
