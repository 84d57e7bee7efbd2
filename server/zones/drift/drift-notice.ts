import { queries, type Database } from "../../database/database.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import type { FoundDrift, OnDrift } from "./drift-job.ts";

/** Notifies administrators and the domain's owner of each zone with newly found drift. */
export function driftNotifier(database: Database, notifications: Notifications): OnDrift {
  return async (drifted) => {
    const em = database.fork();
    const domain = await queries(em)
      .selectFrom("domains")
      .select("owner_id")
      .where("id", "=", drifted.domainId)
      .executeTakeFirst();
    await notifications.notify(em, driftNotice(drifted, domain?.owner_id ?? null));
  };
}

export function driftNotice(
  { domainId, name, counts, error }: FoundDrift,
  ownerId: string | null,
): TypedNotice<"zone.drift"> {
  return {
    event: "zone.drift",
    title: error === null ? `${name} differs from what its provider serves` : `${name} cannot be read at its provider`,
    content:
      error === null
        ? `The provider has other records: ${countsOf(counts)}. Review the plan of a sync first.`
        : `${error} A name server may stop serving the zone.`,
    level: "warning",
    metadata: { domainId, domainName: name, ...counts, error },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}

/** Returns what a sync would do, in words. */
function countsOf({ created, updated, deleted }: FoundDrift["counts"]): string {
  const parts = [
    [created, "to create"],
    [updated, "to update"],
    [deleted, "to delete"],
  ] as const;
  return parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(", ");
}
