import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { PgBoss, type ConnectionOptions, type QueueResult } from "pg-boss";
import { CompiledQuery } from "kysely";
import { afterCommit } from "../../database/after-commit.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Logger } from "../../platform/log.ts";

/** Background work, run on one instance at a time and resumed after a crash. */
export interface Job<Data extends object = object> {
  /** `<folder>.<action>` in lower case, such as `expiry.check`. */
  readonly name: string;
  /** One sentence for the log, the metrics and the documentation. */
  readonly description: string;
  /** Five cron fields, in UTC. Null for a job that runs only on request. */
  readonly schedule: string | null;
  /** Whether each request runs once, with its data. Otherwise at most one run is queued, and one active across all instances. Default: false. */
  readonly perRequest?: boolean;
  /** Whether this instance is able to do it. Others keep its schedule and leave its runs to those that are. Default: true. */
  readonly here?: boolean;
  /** Retry policy for failed runs. Default: three retries within minutes. */
  readonly retries?: Retries;
  /**
   * Does the work. Must be idempotent, because it may run more than once per request. Errors are logged and the run is retried.
   * @param signal aborted when the service stops; the next run does the remaining work
   */
  work(data: Data, signal: AbortSignal): Promise<void>;
}

interface Retries {
  /** Maximum retries after the first attempt. */
  most: number;
  /** Delay before the first retry; doubles approximately each time. */
  firstSeconds: number;
  longestSeconds: number;
}

/**
 * Enqueues a run of a job, immediately or for a given time.
 * @param em inside a transaction, the run is enqueued only if it commits; of a scheduled job afterwards. If the process ends in between, the
 * schedule starts the run.
 */
export type Enqueue = (em: EntityManager, name: string, data: object, at?: Date) => Promise<void>;

/** The result of a run, for the metrics. */
export interface JobRun {
  job: string;
  seconds: number;
  failed: boolean;
}

/** Intervals of the queue, in seconds. */
export interface Timing {
  /** A run is restarted elsewhere after its heartbeat is missing for this long; at least 10. */
  heartbeat: number;
  supervise: number;
  /** For runs scheduled for later and lost wake-ups; other runs wake a worker immediately. */
  poll: number;
}

const usualTiming: Timing = { heartbeat: 30, supervise: 15, poll: 10 };
/** Maximum duration of a run, after which another instance would start it again. */
const longestRunSeconds = 6 * 3_600;
const retentionSeconds = 24 * 3_600;
/** Runs of a job per request that an instance executes at once, so that one that waits for its receiver does not hold up the others. */
const atOncePerRequest = 4;
/** How long a shutdown waits for runs to stop. */
const stopMilliseconds = 5_000;
const usualRetries: Retries = { most: 3, firstSeconds: 30, longestSeconds: 600 };

interface Parts {
  store: Database["jobStore"];
  jobs: readonly Job[];
  works: boolean;
  /** Whether this instance also begins runs by their schedules. Default: whether it works. */
  schedules?: boolean | undefined;
  log: Logger;
  onRun: (run: JobRun) => void;
  /** Receives each error of a job or of the queue, in addition to the log. */
  onError?: (error: unknown) => void;
  timing?: Timing;
}

/**
 * The job queue: pg-boss in the service's database, in its own schema. Of a job that does not run per request, at most one run is queued and
 * one active across all instances.
 */
export class JobRunner {
  readonly #parts: Parts;
  readonly #boss: PgBoss;
  readonly #timing: Timing;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #scheduled: ReadonlySet<string>;
  /** Runs that transactions ask for once they commit. */
  readonly #asked: WeakMap<object, Set<string>> = new WeakMap();
  readonly #asking = new Set<Promise<void>>();

  /** @param parts.works false: this instance only enqueues runs, and others execute them */
  constructor(parts: Parts) {
    this.#parts = parts;
    const { works, schedules = works, log, timing = usualTiming } = parts;
    this.#timing = timing;
    this.#scheduled = new Set(parts.jobs.filter(({ schedule }) => schedule !== null).map(({ name }) => name));
    this.#onError = parts.onError ?? (() => undefined);
    this.#boss = new PgBoss({
      ...parts.store,
      schema: "jobs",
      supervise: works,
      schedule: schedules,
      superviseIntervalSeconds: timing.supervise,
      monitorIntervalSeconds: timing.supervise,
      // pg-boss passes over a queue that had an active run when it last looked. With its usual minute, a run after a crash waited twice as long.
      queueCacheIntervalSeconds: Math.max(1, timing.poll / 2),
      useListenNotify: works,
    });
    this.#boss.on("error", (error) => {
      this.#onError(error);
      log.warn({ err: error }, "the job queue had an error and continues");
    });
    this.#boss.on("warning", (warning) => log.warn({ warning: warning.message }, "the job queue reported a warning"));
  }

  /** Creates or updates the queue's tables and queues. Runs can be enqueued from then on. */
  async prepare(): Promise<void> {
    await this.#boss.start();
    const known = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const job of this.#parts.jobs) {
      const { most, firstSeconds, longestSeconds } = job.retries ?? usualRetries;
      const options = {
        notify: true,
        heartbeatSeconds: this.#timing.heartbeat,
        expireInSeconds: longestRunSeconds,
        retryLimit: most,
        retryDelay: firstSeconds,
        retryDelayMax: longestSeconds,
        retryBackoff: true,
        deleteAfterSeconds: retentionSeconds,
      };
      const queue = known.get(job.name);
      if (queue && isDeepStrictEqual({ ...queue, ...options }, queue)) continue;
      if (queue) await this.#boss.updateQueue(job.name, options);
      else await this.#boss.createQueue(job.name, { ...options, policy: job.perRequest ? "standard" : "stately" });
      // Queues of earlier starts are cached. Fills pg-boss's cache for a new one: inside a transaction on the embedded database it could not query on another connection.
      await this.#boss.findJobs(job.name, { key: "" });
    }
  }

  /** Starts executing runs and schedules. */
  async start(): Promise<void> {
    if (!this.#parts.works) return;
    for (const job of this.#workedOn()) {
      const workers = job.perRequest ? atOncePerRequest : 1;
      for (let count = 0; count < workers; count++) await this.#startWorker(job);
    }
    await this.#updateSchedules();
  }

  async #startWorker(job: Job): Promise<void> {
    const options = { pollingIntervalSeconds: this.#timing.poll, notifyPollingIntervalSeconds: this.#timing.poll };
    const worker: { id?: string } = {};
    worker.id = await this.#boss.work<object>(job.name, options, async (tasks) => {
      for (const { data } of tasks) {
        const succeeded = await this.#run(job, data ?? {});
        // The worker looks for the next run at once. By itself it takes one each time it polls.
        if (worker.id !== undefined) this.#boss.notifyWorker(worker.id);
        // pg-boss stores the error; the original message may contain data that must not be stored.
        if (!succeeded) throw new Error("The job failed. See the service log.");
      }
    });
  }

  /** Enqueues a run, immediately or for a given time, for any instance that executes jobs. */
  readonly enqueue: Enqueue = async (em, name, data, at) => {
    const transaction = em.getTransactionContext<object>();
    if (transaction === undefined || at || !this.#scheduled.has(name)) {
      await this.#boss.send(name, data, { db: within(em), ...(at ? { startAfter: at } : {}) });
      return;
    }
    // At most one such run is queued: a transaction that inserts it makes the others wait for its commit, in whatever order they ask.
    const asked = this.#asked.get(transaction) ?? new Set();
    if (asked.has(name)) return;
    this.#asked.set(transaction, asked.add(name));
    afterCommit(em, () => {
      const asking = this.#ask(em.fork(), name, data).finally(() => this.#asking.delete(asking));
      this.#asking.add(asking);
    });
  };

  async #ask(em: EntityManager, name: string, data: object): Promise<void> {
    try {
      await this.#boss.send(name, data, { db: within(em) });
    } catch (error) {
      this.#parts.log.warn({ err: error, job: name }, "a run could not be enqueued; the schedule starts it");
    }
  }

  /** Every job. */
  get list(): readonly Job[] {
    return this.#parts.jobs;
  }

  /** Returns the number of queued, active and (within a day) failed runs by job. */
  async counts(): Promise<Pick<QueueResult, "name" | "queuedCount" | "activeCount" | "failedCount">[]> {
    const names = new Set(this.#parts.jobs.map(({ name }) => name));
    return (await this.#boss.getQueues()).filter(({ name }) => names.has(name));
  }

  /** Stops executing runs and gives active ones a few seconds; the next process resumes unfinished ones. Runs can still be enqueued. */
  async rest(): Promise<void> {
    this.#stopping.abort();
    if (!this.#parts.works) return;
    const ended = this.#workedOn().map(async ({ name }) => await this.#boss.offWork(name, { wait: true }));
    await Promise.race([Promise.all(ended), sleep(stopMilliseconds, undefined, { ref: false })]);
  }

  /** Closes the connections to the database. */
  async close(): Promise<void> {
    await Promise.all(this.#asking);
    await this.#boss.stop({ graceful: false, close: true });
  }

  #workedOn(): Job[] {
    return this.#parts.jobs.filter(({ here = true }) => here);
  }

  async #updateSchedules(): Promise<void> {
    const wanted = new Map(this.#parts.jobs.map(({ name, schedule }) => [name, schedule]));
    const current = new Set<string>();
    for (const { name, cron, timezone } of await this.#boss.getSchedules()) {
      if (wanted.get(name) === undefined || wanted.get(name) === null) await this.#boss.unschedule(name);
      else if (wanted.get(name) === cron && timezone === "UTC") current.add(name);
    }
    for (const { name, schedule } of this.#parts.jobs) {
      if (schedule !== null && !current.has(name)) await this.#boss.schedule(name, schedule, null, { tz: "UTC" });
    }
  }

  /** Executes a run. @returns whether it succeeded */
  async #run(job: Job, data: object): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    const began = performance.now();
    const end = (failed: boolean) => {
      const seconds = (performance.now() - began) / 1_000;
      this.#parts.onRun({ job: job.name, seconds, failed });
      return Math.round(seconds * 1_000);
    };
    try {
      // A separate signal, so that listeners left by a run are garbage-collected with it.
      await job.work(data, AbortSignal.any([this.#stopping.signal]));
      this.#parts.log.debug({ job: job.name, milliseconds: end(false) }, "job finished");
      return true;
    } catch (error) {
      this.#onError(error);
      this.#parts.log.error({ err: error, job: job.name, milliseconds: end(true) }, "job failed, will be retried");
      return false;
    }
  }
}

/** Runs the queue's statements on a unit of work's connection, inside its transaction. */
function within(em: EntityManager): NonNullable<ConnectionOptions["db"]> {
  return {
    async executeSql(text, values = []) {
      const { rows } = await queries(em).executeQuery<object>(CompiledQuery.raw(text, values));
      return { rows };
    },
  };
}
