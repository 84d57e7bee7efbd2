import { queries, type Database } from "../database/database.ts";
import type { Notifications } from "../notifications/notify.ts";
import type { OnDrift } from "./drift-job.ts";

/** Tells administrators, and who owns the domain, of each zone that is newly found to differ. */
export function tellDrift(database: Database, notifications: Notifications): OnDrift {
  return async ({ domainId, name, counts }) => {
    const em = database.fork();
    const domain = await queries(em)
      .selectFrom("domains")
      .select("owner_id")
      .where("id", "=", domainId)
      .executeTakeFirst();
    const { created, updated, deleted } = counts;
    await notifications.notify(em, {
      event: "zone.drift",
      title: `${name} differs from what its provider serves`,
      content: `A sync would create ${created}, update ${updated} and delete ${deleted} records here. Look at its plan first.`,
      level: "warning",
      metadata: { domainId, domainName: name, ...counts },
      to: { userIds: domain?.owner_id ? [domain.owner_id] : [], administrators: true },
    });
  };
}
