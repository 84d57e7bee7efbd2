import { queries, type Database } from "../database/database.ts";
import type { StoredConfig } from "../dns-providers/config-secrets.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { providerKinds } from "../dns-providers/kinds.ts";
import type { DnsProvider } from "../dns-providers/provider.ts";
import type { Logger } from "../log.ts";
import type { DriftJob } from "./drift-job.ts";

/** Configurations that another instance makes, changes or deletes are noticed after this long. */
const refreshMilliseconds = 30_000;
/** A change of ours may still be under way when its file is written. */
const tries = 5;
const retryMilliseconds = 2_000;
const zonesAtOnce = 500;

/**
 * Compares a zone within seconds where its provider reports changes, instead of at its next turn. What changed before the watch was opened is
 * found by the marks of the zones.
 */
export class ZoneWatch {
  readonly #database: Database;
  readonly #connections: ProviderConnections;
  readonly #drift: DriftJob;
  readonly #log: Logger;
  readonly #now: () => Date;
  /** By the configuration and its settings: what ends the watch. */
  readonly #watches = new Map<string, () => void>();
  #refresh: NodeJS.Timeout | undefined;
  #following = Promise.resolve();
  #stopped = true;

  constructor(parts: {
    database: Database;
    connections: ProviderConnections;
    drift: DriftJob;
    log: Logger;
    now: () => Date;
  }) {
    this.#database = parts.database;
    this.#connections = parts.connections;
    this.#drift = parts.drift;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    await this.refresh();
  }

  /** Looks for configurations that were made, changed or deleted. Does nothing unless it was started. */
  async refresh(): Promise<void> {
    this.#following = this.#following.then(() => this.#follow());
    await this.#following;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#refresh);
    for (const end of this.#watches.values()) end();
    this.#watches.clear();
  }

  /** Opens a watch for each configuration that has none, and ends those of configurations that are gone. */
  async #follow(): Promise<void> {
    if (this.#stopped) return;
    clearTimeout(this.#refresh);
    try {
      const watchable = providerKinds.flatMap(({ kind, watchesZones }) => (watchesZones ? [kind] : []));
      const configs = await queries(this.#database.fork())
        .selectFrom("provider_configs")
        .select(["id", "kind", "config"])
        .where("kind", "in", watchable)
        .execute();
      if (this.#stopped) return;
      const wanted = new Map(configs.map((config) => [`${config.id} ${JSON.stringify(config.config)}`, config]));
      for (const [key, end] of this.#watches) {
        if (wanted.has(key)) continue;
        end();
        this.#watches.delete(key);
      }
      for (const [key, config] of wanted) if (!this.#watches.has(key)) this.#open(key, config);
    } catch (error) {
      this.#log.warn({ err: error }, "could not watch zone files; they are compared at their next turn");
    }
    if (!this.#stopped) this.#refresh = setTimeout(() => void this.refresh(), refreshMilliseconds).unref();
  }

  #open(key: string, config: StoredConfig): void {
    try {
      const { provider } = this.#connections.connect(config, "drift");
      const end = provider?.watch?.((zone) => void this.#look(config.id, zone, this.#now(), tries));
      if (!provider || !end) return;
      this.#watches.set(key, end);
      void this.#catchUp(config.id, provider, () => !this.#watches.has(key));
    } catch (error) {
      this.#log.warn({ err: error, config: config.id }, "could not watch the zone files of a configuration");
    }
  }

  /** Compares the zones whose mark is not the one that was stored: they changed while nobody watched. */
  async #catchUp(configId: string, provider: DnsProvider, isOver: () => boolean): Promise<void> {
    try {
      for (let last = ""; ;) {
        const zones = await queries(this.#database.fork())
          .selectFrom("domains")
          .select(["name", "provider_fingerprint"])
          .where("provider_config_id", "=", configId)
          .where("status", "=", "active")
          .where("name", ">", last)
          .orderBy("name")
          .limit(zonesAtOnce)
          .execute();
        for (const { name, provider_fingerprint: stored } of zones) {
          if (isOver()) return;
          const mark = await provider.fingerprint(name).catch(() => null);
          if (mark === null || mark !== stored) await this.#look(configId, name, this.#now(), tries);
        }
        const next = zones.at(-1);
        if (!next) return;
        last = next.name;
      }
    } catch (error) {
      if (isOver()) return;
      this.#log.warn(
        { err: error },
        "could not look for earlier changes of zone files; they are found at their next turn",
      );
    }
  }

  async #look(configId: string, zone: string, at: Date, left: number): Promise<void> {
    if (this.#stopped) return;
    const settled = await this.#drift.checkZone(configId, zone, at).catch((error: unknown) => {
      this.#log.warn({ err: error, zone }, "a zone that has changed could not be compared");
      return true;
    });
    if (settled || left <= 1) return;
    setTimeout(() => void this.#look(configId, zone, this.#now(), left - 1), retryMilliseconds).unref();
  }
}
