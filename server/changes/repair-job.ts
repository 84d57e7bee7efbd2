import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import type { Logger } from "../platform/log.ts";
import type { Notifications } from "../notifications/notify.ts";
import { clearDeadLeases, clearLeases, withLease } from "./lease.ts";
import { repairZone, zonesToRepair } from "./repair.ts";

const patienceMilliseconds = 2_000;
/** A zone that somebody works on is left to them: every edit settles what is open first. */
const waitMilliseconds = 1_000;

/** Settles changes that a crash left open: at the start, then by the job `changes.repair`. */
export class RepairJob {
  readonly #database: Database;
  readonly #connections: ProviderConnections;
  readonly #notifications: Notifications;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #stopping = new AbortController();
  #first: Promise<void> = Promise.resolve();

  constructor(parts: {
    database: Database;
    connections: ProviderConnections;
    notifications: Notifications;
    log: Logger;
    now: () => Date;
  }) {
    this.#database = parts.database;
    this.#connections = parts.connections;
    this.#notifications = parts.notifications;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /**
   * An embedded database is ours alone, so any lease in it is that of a process which is gone; in another one, those of processes of this
   * machine that are. What a crash left is settled before the first request comes, unless a provider is slow.
   */
  async start(): Promise<void> {
    if (this.#database.embedded) await clearLeases(this.#database.fork());
    else await clearDeadLeases(this.#database.fork());
    this.#first = this.runOnce(this.#stopping.signal);
    await Promise.race([this.#first, sleep(patienceMilliseconds, undefined, { ref: false })]);
  }

  /** Ends the run that was begun at the start, if it is still under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#first;
  }

  async runOnce(signal?: AbortSignal): Promise<void> {
    try {
      for (const domainId of await zonesToRepair(this.#database.fork())) {
        if (signal?.aborted) return;
        await this.#repair(domainId);
      }
    } catch (error) {
      this.#log.error({ err: error }, "looking for changes to settle failed");
    }
  }

  async #repair(domainId: string): Promise<void> {
    const fork = () => this.#database.fork();
    try {
      const settled = await withLease(
        fork,
        domainId,
        (lease) => {
          const notifications = this.#notifications;
          return repairZone(fork(), domainId, lease, this.#connections, this.#now, { notifications });
        },
        waitMilliseconds,
      );
      this.#log.warn({ domainId, settled }, "settled changes that were left open");
    } catch (error) {
      this.#log.error({ err: error, domainId }, "changes left open could not be settled yet");
    }
  }
}
