import { setTimeout as sleep } from "node:timers/promises";
import type { Database, EntityManager } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { disable, enable, hold, letGo, nextBatch, sent } from "./queue.ts";
import type { Send } from "./sinks.ts";

const pollMilliseconds = 1_000;
const longestPauseMilliseconds = 60_000;
/** Longer than sending takes: another instance goes on after this time. */
const holdMilliseconds = 30_000;

interface Parts {
  database: Database;
  /** Null without AUDIT_STREAM. */
  send: Send | null;
  log: Logger;
  now: () => Date;
}

/**
 * Sends the audit trail to AUDIT_STREAM, at least once and in order, from one instance at a time. What could not be sent stays queued in the
 * database, through outages of the receiver and restarts of the service.
 */
export class AuditStream {
  readonly #parts: Parts;
  readonly #holder = newId();
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Turns the queue on or off. Call before the first request. */
  async prepare(): Promise<void> {
    if (this.#parts.send) await enable(this.#fork());
    else await disable(this.#fork(), this.#parts.now());
  }

  /** Starts sending. */
  start(): void {
    if (this.#parts.send) this.#running = this.#run(this.#parts.send);
  }

  /** Ends sending. A batch on its way is sent again later. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#stopping.abort();
    await this.#running;
    // If the database is away, the lease ends by itself.
    await letGo(this.#fork(), this.#holder).catch(() => undefined);
  }

  async #run(send: Send): Promise<void> {
    const { signal } = this.#stopping;
    let pause = pollMilliseconds;
    while (!signal.aborted) {
      try {
        while (!signal.aborted && (await this.#sendBatch(send))) pause = pollMilliseconds;
        pause = pollMilliseconds;
      } catch (error) {
        if (signal.aborted) return;
        pause = Math.min(pause * 2, longestPauseMilliseconds);
        this.#parts.log.warn(
          { err: error, retryInSeconds: pause / 1_000 },
          "the audit trail could not be sent to AUDIT_STREAM; its entries wait in the database",
        );
      }
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** @returns whether anything was sent */
  async #sendBatch(send: Send): Promise<boolean> {
    const { now } = this.#parts;
    const until = new Date(now().getTime() + holdMilliseconds);
    if (!(await hold(this.#fork(), this.#holder, now(), until))) return false;
    const batch = await nextBatch(this.#fork());
    if (batch.entries.length === 0) return false;
    await send(batch.entries, this.#stopping.signal);
    await sent(this.#fork(), batch);
    return true;
  }

  #fork(): EntityManager {
    return this.#parts.database.fork();
  }
}
