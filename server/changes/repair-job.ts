import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import type { Logger } from "../platform/log.ts";
import type { Notifications } from "../notifications/notify.ts";
import { clearDeadLeases, clearLeases, takeLease, zoneTurn } from "./lease.ts";
import { repairZone, zonesToRepair } from "./repair.ts";

/** How long the start waits for the first run, in case a provider is slow. */
const startWaitMilliseconds = 2_000;
/** A busy zone is skipped: every edit settles pending change sets first. */
const waitMilliseconds = 1_000;

interface Parts {
  database: Database;
  connections: ProviderConnections;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

/** Settles change sets that a crash left pending: at the start, then by the job `changes.repair`. */
export class RepairJob {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  #first: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Frees the leases of processes that are gone, then starts the first run. Nothing else uses an embedded database, so every lease in it is
   * stale; in a shared one, those of dead processes on this machine are.
   */
  async start(): Promise<void> {
    if (this.#parts.database.embedded) await clearLeases(this.#parts.database.fork());
    else await clearDeadLeases(this.#parts.database.fork());
    this.#first = this.runOnce(this.#stopping.signal);
    await Promise.race([this.#first, sleep(startWaitMilliseconds, undefined, { ref: false })]);
  }

  /** Stops the first run if it is still going. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#first;
  }

  async runOnce(signal?: AbortSignal): Promise<void> {
    try {
      for (const domainId of await zonesToRepair(this.#parts.database.fork())) {
        if (signal?.aborted) return;
        await this.settle(domainId);
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, "could not look for pending change sets");
    }
  }

  /** Settles the pending change sets of one zone, or logs why they cannot be settled yet. */
  async settle(domainId: string): Promise<void> {
    const fork = () => this.#parts.database.fork();
    try {
      using turn = await zoneTurn(domainId, waitMilliseconds);
      await using lease = await takeLease(fork, domainId, turn.deadline);
      const settled = await repairZone(fork(), domainId, lease, this.#parts);
      this.#parts.log.warn({ domainId, settled }, "settled pending change sets");
    } catch (error) {
      this.#parts.log.error({ err: error, domainId }, "could not settle pending change sets yet");
    }
  }
}
