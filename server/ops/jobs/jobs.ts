import type { EntityManager } from "../../database/database.ts";

/** Background work, run on one instance at a time and resumed after a crash. */
export interface Job<Data extends object = object> {
  /** `<folder>.<action>` in lower case, such as `expiry.check`. */
  readonly name: string;
  /** One sentence for the log, the metrics and the documentation. */
  readonly description: string;
  /** Five cron fields, in UTC. Null for a job that runs only on request. */
  readonly schedule: string | null;
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

export interface Retries {
  /** Maximum retries after the first attempt. */
  most: number;
  /** Delay before the first retry; doubles approximately each time. */
  firstSeconds: number;
  longestSeconds: number;
}

/**
 * Enqueues a run of a job, immediately or for a given time.
 * @param em inside a transaction, the run is enqueued only if it commits
 */
export type Enqueue = (em: EntityManager, name: string, data: object, at?: Date) => Promise<void>;

/** The result of a run, for the metrics. */
export interface JobRun {
  job: string;
  seconds: number;
  failed: boolean;
}
