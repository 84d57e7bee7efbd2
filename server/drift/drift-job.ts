import { once } from "node:events";
import type { Config } from "../config.ts";
import type { Database } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { ProviderError, type DnsProvider, type ProviderKind } from "../dns-providers/provider.ts";
import type { Logger } from "../log.ts";
import type { ProviderComparison } from "../records/compare-with-provider.ts";
import { keepSplits } from "../records/unread-splits.ts";
import {
  claimDue,
  claimZone,
  comparedZone,
  countActive,
  driftCounts,
  giveTurnBack,
  keepFinding,
  type DriftCounts,
  type DueZone,
} from "./due-zones.ts";

const hour = 3_600_000;
const periods = { hourly: hour, daily: 24 * hour, off: hour } as const;
/** A period has at least sixty runs, and a run takes a twentieth of the zones: all have had their turn after a third of it, and stay spread. */
export const driftSchedules = { hourly: "* * * * *", daily: "*/20 * * * *", off: null } as const;
const shareOfRun = 1 / 20;
const leastInRun = 50;
const atOnce = 4;
/** Who asks for a shorter pause, and again and again, is not asked more often than this. */
const leastAsideMilliseconds = 60_000;

/** A zone that is newly found to differ from what its provider serves, or to be unreadable there: `error` then says why, and nothing is counted. */
export interface FoundDrift {
  domainId: string;
  name: string;
  counts: DriftCounts;
  error: string | null;
}

/** Told once of each such zone. */
export type OnDrift = (drift: FoundDrift) => void | Promise<void>;

/** A provider configuration whose vendor asked for a pause. */
interface Pause {
  until: Date;
  /** Since when none of its zones could be compared, for a pause asked for again and again. */
  since: Date;
  /** Whether that was told as a warning. */
  warned: boolean;
}

/** Failures of a run by the name of the provider configuration. */
type Failures = Map<string, { zones: number; zone: string; error: unknown }>;

/**
 * Compares every active zone with what its provider serves, once in each period over all instances. A zone that differs is marked and told
 * of, and never changed: that is what a sync is for.
 */
export class DriftJob {
  readonly #database: Database;
  readonly #connections: ProviderConnections;
  readonly #comparison: ProviderComparison;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #every: Config["driftCheck"];
  readonly #onDrift: OnDrift;
  /** By the id of a provider configuration: no zone of it is looked at until the pause ends. */
  readonly #aside = new Map<string, Pause>();

  constructor(parts: {
    database: Database;
    connections: ProviderConnections;
    comparison: ProviderComparison;
    log: Logger;
    now: () => Date;
    every: Config["driftCheck"];
    onDrift?: OnDrift | undefined;
  }) {
    this.#database = parts.database;
    this.#connections = parts.connections;
    this.#comparison = parts.comparison;
    this.#log = parts.log;
    this.#now = parts.now;
    this.#every = parts.every;
    this.#onDrift = parts.onDrift ?? ((drift) => parts.log.info(drift, "a zone differs from what its provider serves"));
  }

  /**
   * Checks zones that are due, as many as one run may take.
   * @param signal once aborted, providers are not waited for: a check under way is abandoned, and its zone has its next turn a period later.
   */
  async runOnce(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const abandoned = once(signal, "abort");
    const failures: Failures = new Map();
    try {
      const active = await countActive(this.#database.fork());
      let left = Math.max(leastInRun, Math.ceil(active * shareOfRun));
      const work = async () => {
        while (left-- > 0 && !signal.aborted) {
          const zone = await this.#claim();
          if (!zone) return;
          await this.#check(zone, failures, signal);
        }
      };
      await Promise.race([Promise.all(Array.from({ length: atOnce }, work)), abandoned]);
    } catch (error) {
      if (!signal.aborted) this.#log.error({ err: error }, "looking for drift failed");
    }
    for (const [config, { zones, zone, error }] of failures) {
      this.#log.warn(
        { config, zones, zone, err: error },
        "zones could not be compared with what their provider serves",
      );
    }
  }

  /**
   * Checks one zone now.
   * @param changedAt when its content changed: a check since then has seen it.
   * @returns false where a change of ours was under way, so that nothing can be said yet.
   */
  async checkZone(configId: string, name: string, changedAt: Date): Promise<boolean> {
    const zone = await claimZone(this.#database.fork(), this.#now(), { configId, name, changedAt });
    return zone === null || (await this.#compare(zone, new AbortController().signal));
  }

  async #claim(): Promise<DueZone | null> {
    const now = this.#now();
    const since = new Date(now.getTime() - periods[this.#every]);
    // One whose zones had no turn for a period after its pause has none that are due, or is gone.
    for (const [config, { until }] of this.#aside) if (until < since) this.#aside.delete(config);
    const paused = [...this.#aside].filter(([, { until }]) => until > now).map(([config]) => config);
    return await claimDue(this.#database.fork(), now, since, paused);
  }

  async #check(zone: DueZone, failures: Failures, signal: AbortSignal): Promise<void> {
    try {
      await this.#compare(zone, signal);
      this.#aside.delete(zone.config.id);
    } catch (error) {
      if (error instanceof ProviderError && error.pauseMilliseconds !== null) {
        await this.#putAside(zone, error.pauseMilliseconds);
        return;
      }
      const known = failures.get(zone.configName);
      if (known) known.zones++;
      else failures.set(zone.configName, { zones: 1, zone: zone.name, error });
    }
  }

  /**
   * @returns whether what was found was kept, if it says anything new.
   * @throws ProviderError also when it was kept that the zone cannot be read
   */
  async #compare(zone: DueZone, signal: AbortSignal): Promise<boolean> {
    const { kind, provider } = this.#connections.connect(zone.config, "drift");
    if (!provider) return true;
    try {
      return await this.#compareWith(provider, zone, signal);
    } catch (error) {
      if (signal.aborted || !isUnreadable(kind, error)) throw error;
      const finding = { found: null, error: error.message, fingerprint: null, signing: null };
      const kept = await keepFinding(this.#database.fork(), comparedZone(zone), finding, this.#now());
      if (!kept) return false;
      if (zone.error === null) await this.#tell(zone, { created: 0, updated: 0, deleted: 0 }, error.message);
      throw error;
    }
  }

  async #compareWith(provider: DnsProvider, zone: DueZone, signal: AbortSignal): Promise<boolean> {
    // Before the zone is read: what is written to it meanwhile then makes another mark.
    const mark = await provider.fingerprint(zone.name);
    const same = mark !== null && mark === zone.fingerprint && !zone.splitsUnread;
    const plan = same ? null : await this.#comparison.plan(this.#database.fork(), zone, provider);
    if (signal.aborted) return true;
    const found = plan === null || plan.changes.length === 0 ? null : driftCounts(plan.changes);
    const finding = { found, error: null, fingerprint: mark, signing: plan?.signing ?? null };
    const kept = await keepFinding(this.#database.fork(), comparedZone(zone), finding, this.#now());
    if (kept && plan && zone.splitsUnread) await keepSplits(this.#database.fork(), zone.id, plan.learned);
    if (kept && found && (zone.foundAt === null || zone.error !== null)) await this.#tell(zone, found, null);
    return kept || (same && zone.foundAt === null);
  }

  /** Leaves the zones of a provider that takes no calls to a later run, so that those elsewhere have their turn. */
  async #putAside(zone: DueZone, pauseMilliseconds: number): Promise<void> {
    const now = this.#now();
    const until = new Date(now.getTime() + Math.max(pauseMilliseconds, leastAsideMilliseconds));
    const { since, warned } = this.#aside.get(zone.config.id) ?? { since: null, warned: false };
    const told = { config: zone.configName, until };
    const isLasting = since !== null && now.getTime() - since.getTime() >= periods[this.#every];
    if (since === null) this.#log.info(told, "a provider asked for a pause; its zones are compared after it");
    if (isLasting && !warned) {
      this.#log.warn(
        { ...told, since },
        "a provider asked for a pause again and again; its zones could not be compared for a whole period",
      );
    }
    this.#aside.set(zone.config.id, { until, since: since ?? now, warned: warned || isLasting });
    await giveTurnBack(this.#database.fork(), zone);
  }

  async #tell({ id, name }: DueZone, counts: DriftCounts, why: string | null): Promise<void> {
    try {
      await this.#onDrift({ domainId: id, name, counts, error: why });
    } catch (error) {
      this.#log.error({ err: error, domainId: id }, "drift was found and could not be told");
    }
  }
}

/** Whether a zone cannot be read until somebody does something about it. A vendor that cannot be reached is no reason. */
function isUnreadable(kind: ProviderKind, error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || error.pauseMilliseconds !== null) return false;
  return error.zoneMissing || kind.watchesZones === true;
}
