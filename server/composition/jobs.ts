import type { Background } from "../platform/background.ts";
import type { Config } from "../ops/config/config.ts";
import type { Database } from "../database/database.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/log.ts";
import type { Mailer } from "../notifications/mail/mailer.ts";
import { MailOutbox } from "../notifications/mail/outbox.ts";
import { Metrics } from "../ops/metrics/metrics.ts";
import { readings } from "../ops/metrics/readings.ts";
import type { Streams } from "../notifications/streams.ts";
import { SecretCipher } from "../platform/secret-cipher.ts";
import { jobs, type Workers } from "./job-list.ts";
import { JobRunner, type Timing } from "../ops/jobs/runner.ts";

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
  return { mail, metrics, jobs: runner };
}
