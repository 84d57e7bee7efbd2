import { deliverJobNames } from "../notifications/channels/outbox.ts";
import type { RepairJob } from "../changes/repair-job.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { driftSchedules, type DriftJob } from "../drift/drift-job.ts";
import type { ExpiryServices } from "../expiry/compose.ts";
import type { MailOutbox } from "../mail/outbox.ts";
import type { ChannelServices } from "../notifications/channels/compose.ts";
import type { Logger } from "../platform/log.ts";
import { deleteExpired } from "./housekeeping.ts";
import { deleteOldSnapshots } from "../snapshots/retention.ts";
import { makeScheduledSnapshots } from "../snapshots/schedule.ts";
import type { Job } from "../jobs/jobs.ts";

const day = 24 * 3_600_000;

/** Parts of the service with background work. */
export interface Workers
  extends
    Pick<ChannelServices, "deliverer" | "mailDeliverer">,
    Pick<ExpiryServices, "expiryCheck" | "expiryReminders"> {
  repair: RepairJob;
  drift: DriftJob;
}

interface Needs extends Workers {
  config: Config;
  database: Database;
  log: Logger;
  mail: MailOutbox;
  now: () => Date;
}

/** Returns every job of the service. */
export function jobs({ config, database, log, now, ...needs }: Needs): Job[] {
  const { repair, drift, mail, deliverer, mailDeliverer, expiryCheck, expiryReminders } = needs;
  return [
    {
      name: "changes.repair",
      description: "Determines the outcome of changes interrupted by a crash or a lost connection.",
      schedule: "* * * * *",
      work: (_data, signal) => repair.runOnce(signal),
    },
    {
      name: "drift.check",
      description: "Compares zones with what their providers serve.",
      schedule: driftSchedules[config.driftCheck],
      work: (_data, signal) => drift.runOnce(signal),
    },
    {
      name: "snapshots.schedule",
      description: "Creates scheduled snapshots.",
      schedule: "*/10 * * * *",
      async work(_data, signal) {
        const made = await makeScheduledSnapshots(database.fork(), now(), signal);
        if (made > 0) log.info({ snapshots: made }, "created scheduled snapshots");
      },
    },
    {
      name: "snapshots.retention",
      description: "Deletes snapshots past their retention, and record versions that no snapshot uses.",
      schedule: config.snapshotRetentionDays === null ? null : "20 3 * * *",
      async work(_data, signal) {
        if (config.snapshotRetentionDays === null) return;
        const before = new Date(now().getTime() - config.snapshotRetentionDays * day);
        const deleted = await deleteOldSnapshots(database.fork(), before, signal);
        if (deleted.snapshots + deleted.versions > 0) log.info(deleted, "deleted old snapshots and record versions");
      },
    },
    {
      name: "accounts.housekeeping",
      description: "Deletes expired sessions, challenges, links, sign-ins and deliveries.",
      schedule: "40 */6 * * *",
      work: () => deleteExpired(database, now()),
    },
    {
      name: deliverJobNames.call,
      description: "Delivers notifications to channels, retrying failures.",
      schedule: "* * * * *",
      work: (_data, signal) => deliverer.run(signal),
    },
    {
      name: deliverJobNames.mail,
      description: "Delivers notifications by email to users and channels, retrying failures.",
      schedule: "* * * * *",
      work: (_data, signal) => mailDeliverer.run(signal),
    },
    mail.job,
    expiryCheck,
    expiryReminders,
  ];
}
