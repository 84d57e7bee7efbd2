import { once } from "node:events";
import type { Config } from "../../ops/config/config.ts";
import { type Database, queries, type EntityManager } from "../../database/database.ts";
import { providerKinds } from "../../dns-providers/kinds.ts";
import type { ProviderConnections, StoredConfig } from "../../dns-providers/connections.ts";
import { ProviderError, type DnsProvider, type ProviderKind } from "../../dns-providers/provider.ts";
import type { Logger } from "../../platform/log.ts";
import type { ProviderComparison } from "../changes/state/compare-with-provider.ts";
import { storeSplits } from "../changes/state/unread-splits.ts";
import { driftCounts, storeFinding, type DriftCounts, type Finding } from "../changes/state/found-drift.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import { sql, type RawBuilder } from "kysely";
import { qualifiedName } from "../../dns/names/names.ts";

const hour = 3_600_000;
const periods = { hourly: hour, daily: 24 * hour, off: hour } as const;
/** A period has at least 60 runs, and each run checks 1/20 of the zones. All are checked within a third of the period, evenly spread. */
export const driftSchedules = { hourly: "* * * * *", daily: "*/20 * * * *", off: null } as const;
/** Kinds without a back end, whose zones cannot differ from it. */
const uncompared = providerKinds.flatMap(({ kind, connect }) => (connect === null ? [kind] : []));
const shareOfRun = 1 / 20;
const leastInRun = 50;
const atOnce = 4;
/** The minimum pause, even if the provider asks for a shorter one. */
const leastAsideMilliseconds = 60_000;

/** A zone newly found to differ from what its provider serves, or to be unreadable. If unreadable, `error` says why and the counts are 0. */
interface FoundDrift {
  domainId: string;
  name: string;
  counts: DriftCounts;
  error: string | null;
}

/** Called once for each such zone, within the transaction that stores the finding. */
export type OnDrift = (drift: FoundDrift, tx: EntityManager) => void | Promise<void>;

/** Notifies of a finding within the transaction that stores it. */
type Report = (tx: EntityManager) => Promise<void>;

/** A provider configuration whose vendor asked for a pause. */
interface Pause {
  until: Date;
  /** When consecutive pauses began; none of its zones could be compared since. */
  since: Date;
  warned: boolean;
}

/** The failures of a run, by provider configuration name. */
type Failures = Map<string, { zones: number; zone: string; error: unknown }>;

interface Parts {
  database: Database;
  connections: ProviderConnections;
  comparison: ProviderComparison;
  log: Logger;
  now: () => Date;
  every: Config["driftCheck"];
  onDrift?: OnDrift | undefined;
}

/**
 * Compares every active zone with what its provider serves, once per period across all instances. Reports zones that differ but never
 * changes them; a sync does that.
 */
export class DriftJob {
  readonly #parts: Parts;
  readonly #onDrift: OnDrift;
  /** Pauses by provider configuration id. None of its zones is checked until the pause ends. */
  readonly #aside = new Map<string, Pause>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#onDrift = parts.onDrift ?? ((drift) => parts.log.info(drift, "a zone differs from what its provider serves"));
  }

  /**
   * Checks zones that are due, up to the limit of one run.
   * @param signal aborts checks in progress. Their zones are checked again a period later.
   */
  async runOnce(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const abandoned = once(signal, "abort");
    const failures: Failures = new Map();
    try {
      const active = await countActive(this.#parts.database.fork());
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
      if (!signal.aborted) this.#parts.log.error({ err: error }, "could not look for drift");
    }
    for (const [config, { zones, zone, error }] of failures) {
      this.#parts.log.warn(
        { config, zones, zone, err: error },
        "zones could not be compared with what their provider serves",
      );
    }
  }

  /**
   * Checks one zone now.
   * @param changedAt when its content changed. Skips the zone if it was checked later than that.
   * @returns false if one of our changes was in progress, so the result is not known yet.
   */
  async checkZone(configId: string, providerZone: string, changedAt: Date): Promise<boolean> {
    const zone = await claimZone(this.#parts.database.fork(), this.#parts.now(), { configId, providerZone, changedAt });
    return zone === null || (await this.#compare(zone, new AbortController().signal));
  }

  async #claim(): Promise<DueZone | null> {
    const now = this.#parts.now();
    const since = new Date(now.getTime() - periods[this.#parts.every]);
    // A pause that ended more than a period ago is obsolete: no zone is due, or the configuration is gone.
    for (const [config, { until }] of this.#aside) if (until < since) this.#aside.delete(config);
    const paused = [...this.#aside].filter(([, { until }]) => until > now).map(([config]) => config);
    return await claimDue(this.#parts.database.fork(), now, since, paused);
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
   * Compares a zone and stores the finding.
   * @returns whether the finding was stored or was not new.
   * @throws ProviderError also after storing that the zone is unreadable
   */
  async #compare(zone: DueZone, signal: AbortSignal): Promise<boolean> {
    const { kind, provider } = this.#parts.connections.connect(zone.config, "drift");
    if (!provider) return true;
    try {
      return await this.#compareWith(provider, zone, signal);
    } catch (error) {
      if (signal.aborted || !isUnreadable(kind, error)) throw error;
      const finding = { found: null, error: error.message, fingerprint: null, signing: null };
      const counts = { created: 0, updated: 0, deleted: 0 };
      const report = zone.error === null ? this.#report(zone, counts, error.message) : undefined;
      if (!(await this.#store(zone, finding, report))) return false;
      throw error;
    }
  }

  async #compareWith(provider: DnsProvider, zone: DueZone, signal: AbortSignal): Promise<boolean> {
    // Read before the zone, so that a write in between changes the fingerprint.
    const fingerprint = await provider.fingerprint(zone.providerZone);
    const same = fingerprint !== null && fingerprint === zone.fingerprint && !zone.splitsUnread;
    const plan = same ? null : await this.#parts.comparison.plan(this.#parts.database.fork(), zone, provider);
    if (signal.aborted) return true;
    const found = plan === null || plan.changes.length === 0 ? null : driftCounts(plan.changes);
    const finding = { found, error: null, fingerprint, signing: plan?.signing ?? null };
    const isNew = zone.foundAt === null || zone.error !== null;
    const stored = await this.#store(zone, finding, found && isNew ? this.#report(zone, found, null) : undefined);
    if (stored && plan && zone.splitsUnread) await storeSplits(this.#parts.database.fork(), zone.id, plan.learned);
    return stored || (same && zone.foundAt === null);
  }

  /** Pauses a provider configuration that accepts no calls for now, so other zones are checked. */
  async #putAside(zone: DueZone, pauseMilliseconds: number): Promise<void> {
    const now = this.#parts.now();
    const until = new Date(now.getTime() + Math.max(pauseMilliseconds, leastAsideMilliseconds));
    const { since, warned } = this.#aside.get(zone.config.id) ?? { since: null, warned: false };
    const details = { config: zone.configName, until };
    const isLasting = since !== null && now.getTime() - since.getTime() >= periods[this.#parts.every];
    if (since === null)
      this.#parts.log.info(details, "a provider asked for a pause; its zones are compared afterwards");
    if (isLasting && !warned) {
      this.#parts.log.warn(
        { ...details, since },
        "a provider keeps asking for pauses; its zones could not be compared for a whole period",
      );
    }
    this.#aside.set(zone.config.id, { until, since: since ?? now, warned: warned || isLasting });
    await giveTurnBack(this.#parts.database.fork(), zone);
  }

  async #store({ id, revision, config }: DueZone, finding: Finding, report?: Report): Promise<boolean> {
    const compared = { id, revision, configId: config.id };
    return await storeFinding(this.#parts.database.fork(), compared, finding, this.#parts.now(), report);
  }

  #report({ id, name }: DueZone, counts: DriftCounts, error: string | null): Report {
    return async (tx) => await this.#onDrift({ domainId: id, name, counts, error }, tx);
  }
}

/** Returns whether a zone stays unreadable until someone intervenes. An unreachable vendor does not count. */
function isUnreadable(kind: ProviderKind, error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || error.pauseMilliseconds !== null) return false;
  return error.zoneMissing || kind.watchesZones === true;
}

/** Notifies administrators and the domain's owner of each zone with newly found drift. */
export function driftNotifier(notifications: Notifications): OnDrift {
  return async (drifted, tx) => {
    const domain = await queries(tx)
      .selectFrom("domains")
      .select("owner_id")
      .where("id", "=", drifted.domainId)
      .executeTakeFirst();
    await notifications.notify(tx, driftNotice(drifted, domain?.owner_id ?? null));
  };
}

export function driftNotice(
  { domainId, name, counts, error }: FoundDrift,
  ownerId: string | null,
): TypedNotice<"zone.drift"> {
  return {
    event: "zone.drift",
    title: error === null ? `${name} differs from what its provider serves` : `${name} cannot be read at its provider`,
    content:
      error === null
        ? `The provider has other records: ${countsOf(counts)}. Review the plan of a sync first.`
        : `${error} A name server may stop serving the zone.`,
    level: "warning",
    metadata: { domainId, domainName: name, ...counts, error },
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
}

/** Returns what a sync would do, in words. */
function countsOf({ created, updated, deleted }: FoundDrift["counts"]): string {
  const parts = [
    [created, "to create"],
    [updated, "to update"],
    [deleted, "to delete"],
  ] as const;
  return parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(", ");
}

/** A zone due for a check, as of its claim. */
interface DueZone {
  id: string;
  /** Its name and view. */
  name: string;
  providerZone: string;
  revision: number;
  fingerprint: string | null;
  /** Whether the splits of its TXT records from version 0.1 are still unread. */
  splitsUnread: boolean;
  /** When it was claimed. */
  turn: Date;
  /** When drift was first found; null if there is none. */
  foundAt: Date | null;
  /** Why the last check could not read it; null if it could. */
  error: string | null;
  configName: string;
  config: StoredConfig;
}

async function countActive(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ active: string }>`
    select count(*) as active from domains where status = 'active'
  `.execute(queries(em));
  return Number(rows[0]?.active ?? 0);
}

/** When a zone was last checked, as `domains_drift_due_idx` has it. */
const lastChecked = sql`coalesce(drift_checked_at, '-infinity'::timestamptz)`;

/**
 * Claims the active zone that has waited longest. No other instance checks it in the same period. Reads the first zone of each configuration,
 * however many zones of others are set aside.
 * @param since zones checked after this are not due.
 * @param aside configurations whose zones are skipped.
 * @returns null if none is due.
 */
export async function claimDue(
  em: EntityManager,
  now: Date,
  since: Date,
  aside: readonly string[],
): Promise<DueZone | null> {
  const due = sql`status = 'active' and ${lastChecked} <= ${since}::timestamptz`;
  return await claim(
    em,
    now,
    sql`
      select zone.id from (
        select config.id, first.checked_at from provider_configs as config
        cross join lateral (
          select ${lastChecked} as checked_at from domains
          where provider_config_id = config.id and ${due} order by ${lastChecked} limit 1
        ) as first
        where config.id <> all(${`{${aside.join(",")}}`}::uuid[]) and config.kind <> all(${`{${uncompared.join(",")}}`}::text[])
        order by first.checked_at
      ) as waiting
      cross join lateral (
        select id from domains
        where provider_config_id = waiting.id and ${due} order by ${lastChecked} limit 1
        for update skip locked
      ) as zone
      order by waiting.checked_at limit 1
    `,
  );
}

/** Claims one zone, unless it was claimed after `changedAt`. @returns null if it is not managed, not active, or claimed */
async function claimZone(
  em: EntityManager,
  now: Date,
  { configId, providerZone, changedAt }: { configId: string; providerZone: string; changedAt: Date },
): Promise<DueZone | null> {
  return await claim(
    em,
    now,
    sql`
      select id from domains
      where provider_zone = ${providerZone} and provider_config_id = ${configId}::uuid
        and status = 'active' and ${lastChecked} <= ${changedAt}::timestamptz
      for update skip locked
    `,
  );
}

/** @param which selects the id of at most one zone, and locks it */
async function claim(em: EntityManager, now: Date, which: RawBuilder<unknown>): Promise<DueZone | null> {
  const { rows } = await sql<{
    id: string;
    name: string;
    view: string;
    provider_zone: string;
    revision: number;
    provider_fingerprint: string | null;
    splits_unread: boolean;
    drift_found_at: Date | null;
    drift_error: string | null;
    config_id: string;
    config_name: string;
    kind: string;
    config: StoredConfig["config"];
  }>`
    update domains set drift_checked_at = ${now}::timestamptz
    from provider_configs c
    where c.id = domains.provider_config_id and domains.id = (${which})
    returning domains.id, domains.name, domains.view, domains.provider_zone, domains.revision, domains.provider_fingerprint,
      domains.splits_unread, domains.drift_found_at, domains.drift_error, c.id as config_id, c.name as config_name, c.kind, c.config
  `.execute(queries(em));
  const [row] = rows;
  if (!row) return null;
  return {
    id: row.id,
    name: qualifiedName(row),
    providerZone: row.provider_zone,
    revision: row.revision,
    fingerprint: row.provider_fingerprint,
    splitsUnread: row.splits_unread,
    turn: now,
    foundAt: row.drift_found_at,
    error: row.drift_error,
    configName: row.config_name,
    config: { id: row.config_id, kind: row.kind, config: row.config },
  };
}

/** Releases a claim without a check. The zone is due again immediately. */
async function giveTurnBack(em: EntityManager, { id, turn }: DueZone): Promise<void> {
  await queries(em)
    .updateTable("domains")
    .set({ drift_checked_at: null })
    .where("id", "=", id)
    .where("drift_checked_at", "=", turn)
    .execute();
}
