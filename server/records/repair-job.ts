import type { Database } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import type { Logger } from "../log.ts";
import { clearLeases, withLease } from "./lease.ts";
import { repairZone, zonesToRepair } from "./repair.ts";

const everyMilliseconds = 30_000;
/** A zone that somebody works on is left to them: every edit settles what is open first. */
const waitMilliseconds = 1_000;

/** Settles changes that a crash left open: once at the start, then twice a minute. */
export class RepairJob {
  readonly #database: Database;
  readonly #connections: ProviderConnections;
  readonly #log: Logger;
  readonly #now: () => Date;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: { database: Database; connections: ProviderConnections; log: Logger; now: () => Date }) {
    this.#database = parts.database;
    this.#connections = parts.connections;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /** An embedded database is ours alone, so any lease in it is that of a process which is gone. */
  async start(): Promise<void> {
    if (this.#database.embedded) await clearLeases(this.#database.fork());
    this.#again();
  }

  /** One run at a time; the next one counts from the end of this. Nobody waits for them but `stop`. */
  #again(): void {
    this.#running = this.#runAndWait();
  }

  async #runAndWait(): Promise<void> {
    await this.runOnce();
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#again(), everyMilliseconds);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async runOnce(): Promise<void> {
    try {
      for (const domainId of await zonesToRepair(this.#database.fork())) {
        if (this.#stopped) return;
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
        (lease) => repairZone(fork(), domainId, lease, this.#connections, this.#now),
        waitMilliseconds,
      );
      this.#log.warn({ domainId, settled }, "settled changes that were left open");
    } catch (error) {
      this.#log.error({ err: error, domainId }, "changes left open could not be settled yet");
    }
  }
}
