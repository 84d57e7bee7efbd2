import { type ProviderKind, ProviderError } from "../../dns-providers/provider.ts";
import { planState } from "../../dns/desired-state.ts";
import { readOnlyReason } from "../records/provider-limits.ts";
import {
  isApexNs,
  recordKey,
  sameData,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { isProviderType } from "../../dns/zone-file/type-names.ts";
import { readSplits } from "../changes/state/unread-splits.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { StoredConfig, ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { AppError, notFound } from "../../platform/errors.ts";

export interface MovePlan {
  /** Our records to write to the target. */
  sent: LiveRecord[];
  /** Records at the target that are not its own. */
  others: RecordData[];
  /** The subset of `others` that does not match our records exactly and blocks the move. */
  foreign: RecordData[];
  /** Our records not yet at the target, apex NS records last. */
  missing: LiveRecord[];
  /** Whether the target's records match ours, so nothing needs to be written. */
  same: boolean;
  /** The changes that turn our records into those the target will serve. */
  changes: PlannedChange[];
}

/** Returns the records without those of a kind that is read-only at the target. */
export function withoutOwnOf(kind: ProviderKind, records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter((record) => readOnlyReason(record, kind) === null);
}

/**
 * Plans a move into a zone that holds `present`. The target's own records stay and replace ours of that kind. The target's apex NS records
 * also replace ours, because they serve the zone there. The exception: ours are already there beside other records of ours, as after an
 * interrupted move that had written both. Pure.
 * @param readOnly records that only the target knows to be its own, by `recordKey`.
 * @param move `records` are ours as they are now, `wanted` as they should be at the target.
 */
export function planMove(
  kind: ProviderKind,
  readOnly: ReadonlyMap<string, string>,
  move: { records: readonly LiveRecord[]; wanted: readonly LiveRecord[] },
  present: readonly RecordData[],
): MovePlan {
  const isReadOnly = (record: RecordData) => readOnlyReason(record, kind) !== null || readOnly.has(recordKey(record));
  const plan = planBeside(isReadOnly, move, present);
  if (plan.same || !present.some(isApexNs) || wasCut(plan)) return plan;
  return planBeside((record) => isApexNs(record) || isReadOnly(record), move, present);
}

function wasCut({ foreign, others }: MovePlan): boolean {
  return foreign.length === 0 && others.some((record) => !isApexNs(record));
}

/**
 * Returns our records that a move would lose. Their type is specific to the target's kind of provider and read-only there, and the target
 * does not have them. Pure.
 */
export function lostAt(
  kind: ProviderKind,
  records: readonly LiveRecord[],
  present: readonly RecordData[],
): LiveRecord[] {
  const there = new Set(present.map(recordKey));
  return ownTyped(kind, records).filter((record) => !there.has(recordKey(record)));
}

/** Returns the records of a provider-specific type that is read-only through this kind. */
export function ownTyped(kind: ProviderKind, records: readonly LiveRecord[]): LiveRecord[] {
  return records.filter((record) => isProviderType(record.recordType) && readOnlyReason(record, kind) !== null);
}

function planBeside(
  isOwn: (record: RecordData) => boolean,
  { records, wanted }: { records: readonly LiveRecord[]; wanted: readonly LiveRecord[] },
  present: readonly RecordData[],
): MovePlan {
  const sent = wanted.filter((record) => !isOwn(record));
  const others = present.filter((record) => !isOwn(record));
  const own = present.filter(isOwn);
  const there = new Map(others.map((record) => [recordKey(record), record]));
  const isThere = (record: RecordData) => {
    const other = there.get(recordKey(record));
    return other !== undefined && sameData(other, record);
  };
  const ours = new Map(sent.map((record) => [recordKey(record), record]));
  const missing = sent.filter((record) => !isThere(record));
  return {
    sent,
    others,
    foreign: others.filter((record) => {
      const one = ours.get(recordKey(record));
      return one === undefined || !sameData(one, record);
    }),
    missing: [...missing.filter((record) => !isApexNs(record)), ...missing.filter(isApexNs)],
    same: planState(sent, others).changes.length === 0,
    changes: planState(records, [...sent, ...own]).changes,
  };
}

/** Returns the domain's current provider and whether it signs the zone. */
export async function sourceOf(em: EntityManager, domainId: string) {
  const {
    id,
    kind,
    config,
    view,
    provider_zone: providerZone,
    splits_unread: splitsUnread,
    provider_signed: signed,
  } = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "provider_configs.id",
      "provider_configs.kind",
      "provider_configs.config",
      "domains.view",
      "domains.provider_zone",
      "domains.splits_unread",
      "domains.provider_signed",
    ])
    .where("domains.id", "=", domainId)
    .executeTakeFirstOrThrow(() => notFound("domain"));
  return {
    kind: knownKind(kind),
    stored: { id, kind, config },
    id: domainId,
    view,
    providerZone,
    splitsUnread,
    signed,
  };
}

/** Reads how the TXT values of a zone from version 0.1 are split. If the provider is unavailable, each value moves as a single string. */
export async function readOldSplits(
  em: EntityManager,
  source: { id: string; providerZone: string; stored: StoredConfig },
  connections: ProviderConnections,
): Promise<void> {
  try {
    const { provider } = connections.connect(source.stored);
    if (provider) await readSplits(em, source, provider);
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof AppError)) throw error;
  }
}

/** Returns the zone's serial at its present provider; null if it has none, or does not answer. */
export async function lastSerial(
  { stored, providerZone }: { stored: StoredConfig; providerZone: string },
  connections: ProviderConnections,
): Promise<number | null> {
  try {
    const soa = await connections.connect(stored).provider?.readSoa(providerZone);
    return soa?.serial ?? null;
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof AppError)) throw error;
    return null;
  }
}
