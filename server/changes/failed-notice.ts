import type { ChangeOutcome } from "../dns-providers/provider.ts";
import type { TypedNotice } from "../notifications/notify.ts";
import type { PlannedChange } from "../dns/record.ts";

const listedFailures = 3;

/** A change set that a repair settled when nobody waited for its answer any longer. */
interface Settled {
  id: string;
  domainId: string;
  domainName: string;
  ownerId: string | null;
  actorId: string | null;
  message: string | null;
  changes: readonly PlannedChange[];
  outcomes: readonly ChangeOutcome[];
}

/** Returns the notice of a settled change set, for its author and the domain's owner; null if all of it was made. */
export function failedChange(settled: Settled): TypedNotice<"record.change_failed"> | null {
  const { id: changeSetId, domainId, domainName, message, changes, outcomes } = settled;
  const failures = changes.flatMap((change, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcome.ok) return [];
    const { recordType, name } = change.after ?? change.before;
    return [`${change.action} ${recordType} ${name}: ${outcome.message}`];
  });
  if (failures.length === 0) return null;
  const more =
    failures.length > listedFailures
      ? ` And ${failures.length - listedFailures} more; the domain's history lists them.`
      : "";
  return {
    event: "record.change_failed",
    title: `${failures.length} of ${changes.length} changes to ${domainName} failed`,
    content: `${failures.slice(0, listedFailures).join(" ")}${more}`,
    level: "error",
    metadata: { domainId, domainName, changeSetId, failed: failures.length, message },
    to: { userIds: [settled.actorId, settled.ownerId].filter((userId) => userId !== null) },
  };
}
