import { setTimeout as sleep } from "node:timers/promises";
import { PgBoss, type ConnectionOptions, type QueueResult } from "pg-boss";
import { CompiledQuery } from "kysely";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { Enqueue, Job, JobRun, Retries } from "./jobs.ts";

/** How soon the queue notices things, in seconds. */
export interface Timing {
  /** A run whose process is gone is taken up again when its heartbeat has been missing for this long, ten at the least. */
  heartbeat: number;
  supervise: number;
  /** Work that is asked for wakes a worker at once; this is for what waits for its time, and for a wake-up that got lost. */
  poll: number;
}

const usualTiming: Timing = { heartbeat: 30, supervise: 20, poll: 10 };
/** No run may take longer: another instance would begin it once more. */
const longestRunSeconds = 6 * 3_600;
const keptSeconds = 24 * 3_600;
/** How long a run may take to notice the end of the service. */
const stopMilliseconds = 5_000;
const usualRetries: Retries = { most: 3, firstSeconds: 30, longestSeconds: 600 };

/**
 * The job queue: pg-boss in the service's own database, in a schema of its own. Each job has one queue in which at most one run waits
 * and one is under way over all instances.
 */
export class JobRunner {
  readonly #boss: PgBoss;
  readonly #jobs: readonly Job[];
  readonly #works: boolean;
  readonly #timing: Timing;
  readonly #log: Logger;
  readonly #onRun: (run: JobRun) => void;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();

  /** @param parts.works false: work can be asked for here, and is done by other instances. */
  constructor(parts: {
    store: Database["jobStore"];
    jobs: readonly Job[];
    works: boolean;
    log: Logger;
    onRun: (run: JobRun) => void;
    /** Hears of each error of a job or of the queue, beside the log. */
    onError?: (error: unknown) => void;
    timing?: Timing;
  }) {
    const { works, log, timing = usualTiming } = parts;
    this.#timing = timing;
    this.#jobs = parts.jobs;
    this.#works = works;
    this.#log = log;
    this.#onRun = parts.onRun;
    this.#onError = parts.onError ?? (() => undefined);
    this.#boss = new PgBoss({
      ...parts.store,
      schema: "jobs",
      supervise: works,
      schedule: works,
      superviseIntervalSeconds: timing.supervise,
      monitorIntervalSeconds: timing.supervise,
      useListenNotify: works,
    });
    this.#boss.on("error", (error) => {
      this.#onError(error);
      log.warn({ err: error }, "the job queue met an error and goes on");
    });
    this.#boss.on("warning", (warning) => log.warn({ warning: warning.message }, "the job queue warns"));
  }

  /** Makes what the queue needs in the database. Work can be asked for from here on. */
  async prepare(): Promise<void> {
    await this.#boss.start();
    const known = new Set((await this.#boss.getQueues()).map(({ name }) => name));
    for (const job of this.#jobs) {
      const { most, firstSeconds, longestSeconds } = job.retries ?? usualRetries;
      const options = {
        notify: true,
        heartbeatSeconds: this.#timing.heartbeat,
        expireInSeconds: longestRunSeconds,
        retryLimit: most,
        retryDelay: firstSeconds,
        retryDelayMax: longestSeconds,
        retryBackoff: true,
        deleteAfterSeconds: keptSeconds,
      };
      if (known.has(job.name)) await this.#boss.updateQueue(job.name, options);
      else
        await this.#boss.createQueue(job.name, { ...options, policy: job.schedule === null ? "standard" : "stately" });
      // Lets the queue learn of itself now: within a transaction on the embedded database it could not ask beside it.
      await this.#boss.findJobs(job.name, { key: "" });
    }
  }

  /** Begins to do the work and to keep the schedules. */
  async start(): Promise<void> {
    if (!this.#works) return;
    for (const job of this.#jobs) {
      const options = { pollingIntervalSeconds: this.#timing.poll, notifyPollingIntervalSeconds: this.#timing.poll };
      await this.#boss.work<object>(job.name, options, async (tasks) => {
        for (const { data } of tasks) {
          // The queue stores what it catches; the error's own text may hold what must not be stored.
          if (!(await this.#run(job, data ?? {}))) throw new Error("The log of the service tells what failed.");
        }
      });
    }
    await this.#keepSchedules();
  }

  /** Asks for work that begins at once, or at a time, on whichever instance does work. */
  readonly enqueue: Enqueue = async (em, name, data, at) => {
    await this.#boss.send(name, data, { db: within(em), ...(at ? { startAfter: at } : {}) });
  };

  /** How many runs wait, are under way and have failed within a day, by job. */
  async counts(): Promise<Pick<QueueResult, "name" | "queuedCount" | "activeCount" | "failedCount">[]> {
    const names = new Set(this.#jobs.map(({ name }) => name));
    return (await this.#boss.getQueues()).filter(({ name }) => names.has(name));
  }

  /** Takes no further work and gives the runs under way a few seconds; what they leave is taken up by the next process. Work can still be asked for. */
  async rest(): Promise<void> {
    this.#stopping.abort();
    if (!this.#works) return;
    const ended = this.#jobs.map(async ({ name }) => await this.#boss.offWork(name, { wait: true }));
    await Promise.race([Promise.all(ended), sleep(stopMilliseconds, undefined, { ref: false })]);
  }

  /** Leaves the database. */
  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: true });
  }

  async #keepSchedules(): Promise<void> {
    const wanted = new Map(this.#jobs.map(({ name, schedule }) => [name, schedule]));
    for (const { name } of await this.#boss.getSchedules()) {
      if (wanted.get(name) === undefined || wanted.get(name) === null) await this.#boss.unschedule(name);
    }
    for (const { name, schedule } of this.#jobs) {
      if (schedule !== null) await this.#boss.schedule(name, schedule, null, { tz: "UTC" });
    }
  }

  /** @returns whether it is done. */
  async #run(job: Job, data: object): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    const began = performance.now();
    const end = (failed: boolean) => {
      const seconds = (performance.now() - began) / 1_000;
      this.#onRun({ job: job.name, seconds, failed });
      return Math.round(seconds * 1_000);
    };
    try {
      // A signal of its own: what a run leaves listening goes with it.
      await job.work(data, AbortSignal.any([this.#stopping.signal]));
      this.#log.debug({ job: job.name, milliseconds: end(false) }, "a job is done");
      return true;
    } catch (error) {
      this.#onError(error);
      this.#log.error({ err: error, job: job.name, milliseconds: end(true) }, "a job failed and is tried again later");
      return false;
    }
  }
}

/** The queue's statements on the connection, and in the transaction, of a unit of work. */
function within(em: EntityManager): NonNullable<ConnectionOptions["db"]> {
  return {
    async executeSql(text, values = []) {
      const { rows } = await queries(em).executeQuery<object>(CompiledQuery.raw(text, values));
      return { rows };
    },
  };
}
