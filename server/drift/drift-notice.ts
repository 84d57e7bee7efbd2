import { queries, type Database } from "../database/database.ts";
import type { Notifications, TypedNotice } from "../notifications/notify.ts";
import type { OnDrift } from "./drift-job.ts";

type Drifted = Parameters<OnDrift>[0];

/** Tells administrators, and who owns the domain, of each zone that is newly found to differ. */
export function tellDrift(database: Database, notifications: Notifications): OnDrift {
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

export function driftNotice({ domainId, name, counts }: Drifted, ownerId: string | null): TypedNotice<"zone.drift"> {
  const { created, updated, deleted } = counts;
  return {
    event: "zone.drift",
    title: `${name} differs from what its provider serves`,
    content: `A sync would create ${created}, update ${updated} and delete ${deleted} records here. Look at its plan first.`,
    level: "warning",
    metadata: { domainId, domainName: name, ...counts },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}
