import { queries, type Database } from "../../database/database.ts";
import type { StoredConfig, ProviderConnections } from "../../dns-providers/connections.ts";
import { providerKinds } from "../../dns-providers/kinds.ts";
import type { DnsProvider } from "../../dns-providers/provider.ts";
import type { Logger } from "../../platform/log.ts";
import type { DriftJob } from "./drift-job.ts";

/** How often to look for configurations that another instance created, changed or deleted. */
const refreshMilliseconds = 30_000;
/** Retries are needed because one of our changes may still be in progress when its file is written. */
const tries = 5;
const retryMilliseconds = 2_000;
const zonesAtOnce = 500;

interface Parts {
  database: Database;
  connections: ProviderConnections;
  drift: DriftJob;
  log: Logger;
  now: () => Date;
}

/**
 * Compares a zone within seconds of a change that its provider reports, instead of at its next check. Finds changes made before the watch
 * opened by the zones' fingerprints.
 */
export class ZoneWatch {
  readonly #parts: Parts;
  /** Functions that end a watch, by configuration and settings. */
  readonly #watches = new Map<string, () => void>();
  #refresh: NodeJS.Timeout | undefined;
  #following = Promise.resolve();
  #stopped = true;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    await this.refresh();
  }

  /** Looks for configurations that were created, changed or deleted. Does nothing unless started. */
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
      const configs = await queries(this.#parts.database.fork())
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
      this.#parts.log.warn({ err: error }, "could not watch zone files; they are compared at their next check");
    }
    if (!this.#stopped) this.#refresh = setTimeout(() => void this.refresh(), refreshMilliseconds).unref();
  }

  #open(key: string, config: StoredConfig): void {
    try {
      const { provider } = this.#parts.connections.connect(config, "drift");
      const end = provider?.watch?.((zone) => void this.#check(config.id, zone, this.#parts.now(), tries));
      if (!provider || !end) return;
      this.#watches.set(key, end);
      void this.#catchUp(config.id, provider, () => !this.#watches.has(key));
    } catch (error) {
      this.#parts.log.warn({ err: error, config: config.id }, "could not watch the zone files of a configuration");
    }
  }

  /** Compares the zones whose fingerprint differs from the stored one. They changed while unwatched. */
  async #catchUp(configId: string, provider: DnsProvider, isOver: () => boolean): Promise<void> {
    try {
      for (let last = ""; ;) {
        const zones = await queries(this.#parts.database.fork())
          .selectFrom("domains")
          .select(["provider_zone as zone", "provider_fingerprint"])
          .where("provider_config_id", "=", configId)
          .where("status", "=", "active")
          .where("provider_zone", ">", last)
          .orderBy("provider_zone")
          .limit(zonesAtOnce)
          .execute();
        for (const { zone, provider_fingerprint: stored } of zones) {
          if (isOver()) return;
          const fingerprint = await provider.fingerprint(zone).catch(() => null);
          if (fingerprint === null || fingerprint !== stored)
            await this.#check(configId, zone, this.#parts.now(), tries);
        }
        const next = zones.at(-1);
        if (!next) return;
        last = next.zone;
      }
    } catch (error) {
      if (isOver()) return;
      this.#parts.log.warn(
        { err: error },
        "could not look for earlier changes of zone files; they are found at their next check",
      );
    }
  }

  async #check(configId: string, zone: string, at: Date, left: number): Promise<void> {
    if (this.#stopped) return;
    const settled = await this.#parts.drift.checkZone(configId, zone, at).catch((error: unknown) => {
      this.#parts.log.warn({ err: error, zone }, "could not compare a zone that has changed");
      return true;
    });
    if (settled || left <= 1) return;
    setTimeout(() => void this.#check(configId, zone, this.#parts.now(), left - 1), retryMilliseconds).unref();
  }
}
