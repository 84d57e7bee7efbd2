import type { EntityManager } from "../database/database.ts";

/** Work beside requests: done on one instance at a time, again after a crash. */
export interface Job<Data extends object = object> {
  /** `<room>.<what>`, in lower case: `expiry.check`. */
  readonly name: string;
  /** For the log, the metrics and the documentation: one sentence. */
  readonly description: string;
  /** When it runs by itself: five cron fields, in UTC. Null for what is only asked for. */
  readonly schedule: string | null;
  /** How a run that failed is tried again. Left out: three times within minutes; a schedule brings the next one anyhow. */
  readonly retries?: Retries;
  /**
   * Does the work. It may be done more than once for one request for it, and must come to the same. What it throws is
   * logged, and it is tried again later.
   * @param signal aborted when the service stops; what is left then is done by the next run.
   */
  work(data: Data, signal: AbortSignal): Promise<void>;
}

export interface Retries {
  /** How often after the first try. */
  most: number;
  /** Before the first of them; each further wait is about twice as long. */
  firstSeconds: number;
  longestSeconds: number;
}

/**
 * Asks for a run of a job, at once or at a time.
 * @param em inside a transaction the work is asked for if and only if that is committed.
 */
export type Enqueue = (em: EntityManager, name: string, data: object, at?: Date) => Promise<void>;

/** How a run ended, for the metrics. */
export interface JobRun {
  job: string;
  seconds: number;
  failed: boolean;
}
