import type { AssignmentEnds } from "../accounts/assignments/service.ts";
import { deliverJobNames, deleteOldDeliveries } from "../notifications/channels/outbox.ts";
import { batchJobName } from "../bulk/batches/batch.ts";
import type { ChangeRequestSchedule } from "../zones/change-requests/applier.ts";
import type { AcmeChallenges } from "../dns-service/update-clients/acme-challenges.ts";
import { reportJobName, type ChangeReporter } from "../zones/change-reports/reporter.ts";
import { applyJobName } from "../zones/change-requests/service.ts";
import type { BatchRunner } from "../bulk/batches/runner.ts";
import type { ReviewReminders } from "../zones/records/review-reminders.ts";
import type { ReverseFollowJob } from "../zones/reverse/follow-up.ts";
import type { RepairJob } from "../zones/changes/repair.ts";
import type { Config } from "../ops/config/config.ts";
import { type Database, queries } from "../database/database.ts";
import { driftSchedules, type DriftJob } from "../zones/drift/drift-job.ts";
import type { CertificateCheckJob } from "../registry/certificates/check-job.ts";
import type { DelegationServices } from "../registry/delegation/check-job.ts";
import type { ExpiryServices } from "../registry/expiry/service.ts";
import type { RegistrarTasks } from "../registry/registrars/tasks.ts";
import { mirrorJobName, type MirrorReconciler } from "../zones/mirrors/reconciler.ts";
import { MailOutbox, type Mailer } from "../notifications/mail/outbox.ts";
import type { Deliverer } from "../notifications/channels/deliverer.ts";
import type { Logger } from "../platform/log.ts";
import type { SecondaryCheck } from "../dns-service/secondary-check.ts";
import type { DnsService } from "../dns-service/service.ts";
import { deleteOldSnapshots, makeScheduledSnapshots } from "../zones/snapshots/retention.ts";
import {
  deleteEndedSessions,
  deleteExpiredChallenges,
  deleteExpiredKeys,
  deleteExpiredCliSignIns,
  deleteExpiredLinks,
} from "../accounts/auth/housekeeping.ts";
import { deleteOldAnswers } from "../api/idempotency.ts";
import { deleteOldBatches } from "../bulk/batches/store.ts";
import { deleteOldUpdateAnswers } from "../dns-service/updates/update-answers.ts";
import { deleteExpiredFlows } from "../accounts/identity/flows.ts";
import type { Background } from "../platform/background.ts";
import { Metrics, type Reading } from "../api/metrics.ts";
import type { Streams } from "../notifications/streams.ts";
import { SecretCipher, type Keyring } from "../platform/secret-cipher.ts";
import { JobRunner, type Timing, type Job } from "../ops/jobs/runner.ts";
import { sql } from "kysely";

const day = 24 * 3_600_000;
const batchRetentionMilliseconds = 90 * day;

/** Parts of the service with background work. */
interface Workers
  extends
    Record<"deliverer" | "mailDeliverer", Deliverer>,
    Pick<ExpiryServices, "expiryCheck" | "expiryReminders">,
    Pick<DelegationServices, "delegationCheck"> {
  repair: RepairJob;
  certificateCheck: CertificateCheckJob;
  registrarTasks: RegistrarTasks;
  batches: BatchRunner;
  requestSchedule: ChangeRequestSchedule;
  assignmentEnds: AssignmentEnds;
  reviewReminders: ReviewReminders;
  reverseFollowJob: ReverseFollowJob;
  drift: DriftJob;
  dnsService: DnsService;
  secondaryCheck: SecondaryCheck;
  changeReporter: ChangeReporter;
  mirrorReconciler: MirrorReconciler;
  acmeChallenges: AcmeChallenges;
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
  const { repair, batches, reverseFollowJob, drift, mail, deliverer, mailDeliverer, expiryCheck, expiryReminders } =
    needs;
  return [
    {
      name: applyJobName,
      description: "Applies change requests at the time set for them, and ends interrupted ones.",
      schedule: "* * * * *",
      work: (_data, signal) => needs.requestSchedule.runOnce(signal),
    },
    {
      name: "assignments.end",
      description: "Deletes assignments that have ended, and announces ends a day before.",
      schedule: "* * * * *",
      work: (_data, signal) => needs.assignmentEnds.runOnce(signal),
    },
    {
      name: "records.remind",
      description: "Reminds of records whose review date has passed.",
      schedule: "*/10 * * * *",
      work: (_data, signal) => needs.reviewReminders.runOnce(signal),
    },
    {
      name: "changes.repair",
      description: "Determines the outcome of changes interrupted by a crash or a lost connection.",
      schedule: "* * * * *",
      work: (_data, signal) => repair.runOnce(signal),
    },
    {
      name: batchJobName,
      description: "Carries out changes of many domains, and resumes interrupted ones.",
      schedule: "* * * * *",
      retries: { most: 3, firstSeconds: 5, longestSeconds: 60 },
      work: (_data, signal) => batches.run(signal),
    },
    {
      name: "reverse.follow",
      description: "Lets PTR records follow changes of addresses that a crash or a failing provider interrupted.",
      schedule: "* * * * *",
      work: (_data, signal) => reverseFollowJob.runOnce(signal),
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
      description: "Deletes expired sessions, challenges, links, sign-ins, keys, deliveries and old replacements.",
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
    {
      name: reportJobName,
      description: "Sends digests of changes to channels, and reports what a crash left unreported.",
      schedule: "* * * * *",
      work: (_data, signal) => needs.changeReporter.run(signal),
    },
    {
      name: mirrorJobName,
      description: "Brings mirrors that are behind to the newest records, and compares the others with their domains.",
      schedule: "* * * * *",
      work: (_data, signal) => needs.mirrorReconciler.run(signal),
    },
    {
      name: "secondaries.notify",
      description: "Notifies secondaries that are behind, and reports those that stay behind.",
      schedule: "* * * * *",
      // Without DNS_LISTEN, changes of this instance wait for one that has it.
      here: needs.dnsService.enabled,
      async work(_data, signal) {
        await needs.dnsService.sweep();
        await needs.secondaryCheck.runOnce(signal);
      },
    },
    {
      name: "acme.clean",
      description: "Deletes ACME challenges that were not cleaned up within a day.",
      schedule: "17 * * * *",
      work: (_data, signal) => needs.acmeChallenges.deleteLeft(signal),
    },
    ...(database.upkeep ? [upkeepJob(database.upkeep, log, now)] : []),
    mail.job,
    expiryCheck,
    expiryReminders,
    needs.registrarTasks,
    needs.delegationCheck,
    needs.certificateCheck,
  ];
}

/** The hour (UTC) in which large tables are vacuumed, which stops everything else for longer. */
const quietHour = 3;

function upkeepJob(upkeep: NonNullable<Database["upkeep"]>, log: Logger, now: () => Date): Job {
  return {
    name: "database.vacuum",
    description: "Frees the space of deleted and replaced rows in the embedded database.",
    schedule: "*/10 * * * *",
    async work(_data, signal) {
      const { rewritten } = await upkeep({ thorough: now().getUTCHours() === quietHour, signal });
      if (rewritten.length > 0) log.info({ tables: rewritten }, "wrote tables anew without their free space");
    },
  };
}

/** Deletes expired sessions, challenges, links, sign-ins, keys, deliveries and stored responses, and old batches. */
export async function deleteExpired(database: Database, now: Date): Promise<void> {
  await deleteEndedSessions(database.fork(), now);
  await deleteExpiredChallenges(database.fork(), now);
  await deleteExpiredLinks(database.fork(), now);
  await deleteExpiredCliSignIns(database.fork(), now);
  await deleteExpiredKeys(database.fork(), now);
  await deleteExpiredFlows(database.fork(), now);
  await deleteOldDeliveries(database.fork(), now);
  await deleteOldAnswers(database.fork(), now);
  await deleteOldUpdateAnswers(database.fork(), now);
  await deleteOldBatches(database.fork(), new Date(now.getTime() - batchRetentionMilliseconds));
}

/** Builds the job queue, the mail outbox with its retries, and the metrics of both. */
export function composeJobs(parts: {
  config: Config;
  database: Database;
  log: Logger;
  now: () => Date;
  keyring: Keyring;
  mailer: Mailer;
  background: Background;
  streams: Streams;
  workers: Workers;
  schedules: boolean | undefined;
  onError: (error: unknown) => void;
  timing?: Timing;
}) {
  const { config, database, log, now, mailer, background } = parts;
  const mail = new MailOutbox({
    mailer,
    cipher: new SecretCipher(parts.keyring, "mail"),
    background,
    database,
    log,
    now,
    enqueue: (...run) => runner.enqueue(...run),
  });
  const metrics = new Metrics();
  const runner = new JobRunner({
    store: database.jobStore,
    jobs: jobs({ config, database, log, now, mail, ...parts.workers }),
    works: config.jobs,
    schedules: parts.schedules,
    log,
    onRun: (run) => metrics.jobRun(run),
    onError: parts.onError,
    ...(parts.timing && { timing: parts.timing }),
  });
  for (const reading of readings(database, runner, parts.streams)) metrics.add(reading);
  if (config.metricsDomains) metrics.add(expiries(database));
  return { mail, metrics, jobs: runner };
}

/** Returns gauges read from the database, identical on every instance, and this instance's open streams. */
function readings(database: Database, runner: JobRunner, streams: { openStreams: number }): Reading[] {
  const count = (name: string, help: string, query: ReturnType<typeof sql<{ count: string }>>): Reading => ({
    name,
    help,
    async read() {
      const { rows } = await query.execute(queries(database.fork()));
      return rows.map((row) => ({ value: Number(row.count) }));
    },
  });
  return [
    {
      name: "zonewright_jobs",
      help: "Job runs across all instances by state: waiting, active, or failed permanently within a day. A few seconds out of date.",
      labels: ["job", "state"],
      async read() {
        return (await runner.counts()).flatMap(({ name: job, queuedCount, activeCount, failedCount }) => [
          { labels: { job, state: "waiting" }, value: queuedCount },
          { labels: { job, state: "active" }, value: activeCount },
          { labels: { job, state: "failed" }, value: failedCount },
        ]);
      },
    },
    count(
      "zonewright_open_changes",
      "Changes whose outcome at the provider is unknown. Resolved within a minute unless the provider is unreachable.",
      sql`select count(*) from change_sets where state = 'pending'`,
    ),
    count(
      "zonewright_pending_deliveries",
      "Notifications waiting for delivery to a channel or by email.",
      sql`select count(*) from deliveries where state = 'pending'`,
    ),
    count(
      "zonewright_audit_stream_pending",
      "Audit entries that wait to be sent to AUDIT_STREAM.",
      sql`select count(*) from audit_stream_queue`,
    ),
    count(
      "zonewright_audit_stream_lag_seconds",
      "Seconds since the oldest audit entry that waits to be sent to AUDIT_STREAM was written; 0 if none waits.",
      sql`select coalesce(greatest(0, extract(epoch from now() - (
        select e.at from audit_stream_queue q join audit_entries e on e.id = q.entry_id order by q.position limit 1
      ))), 0)::float8 as count`,
    ),
    {
      name: "zonewright_open_streams",
      help: "Open notification streams on this instance.",
      read: () => Promise.resolve([{ value: streams.openStreams }]),
    },
    {
      name: "zonewright_secondary_lag_seconds",
      help: "How long a secondary has not answered with the newest serial of one of its zones, by its address. Others are not listed.",
      labels: ["secondary"],
      async read() {
        const { rows } = await sql<{ address: string; seconds: string }>`
          select address, extract(epoch from now() - min(behind_since)) as seconds from primary_secondaries
          where behind_since is not null group by address
        `.execute(queries(database.fork()));
        return rows.map(({ address, seconds }) => ({ labels: { secondary: address }, value: Number(seconds) }));
      },
    },
    count("zonewright_domains", "Managed domains.", sql`select count(*) from domains`),
    count(
      "zonewright_drifted_domains",
      "Domains that differ from what their provider serves.",
      sql`select count(*) from domains where drift_found_at is not null`,
    ),
  ];
}

/** Domains that the metrics name, those that expire first; each is a line. */
const mostNamed = 10_000;

function expiries(database: Database): Reading {
  return {
    name: "zonewright_domain_expires_seconds",
    help: "Seconds until a domain expires, negative afterwards. The 10,000 that expire first.",
    labels: ["domain", "view"],
    async read() {
      const rows = await queries(database.fork())
        .selectFrom("domains")
        .select(["name", "view", sql<number>`extract(epoch from expires_at - now())::float8`.as("seconds")])
        .where("status", "=", "active")
        .where("expires_at", "is not", null)
        .orderBy("expires_at")
        .limit(mostNamed)
        .execute();
      return rows.map(({ name, view, seconds }) => ({ labels: { domain: name, view }, value: seconds }));
    },
  };
}
