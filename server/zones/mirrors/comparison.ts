import { ZoneScope } from "../../access/caller.ts";
import { zoneAt } from "../changes/state/live-queries.ts";
import { callProvider, lagOf, readWhole, secondsToSettle } from "../changes/provider-call.ts";
import { type EntityManager, queries } from "../../database/database.ts";
import {
  isActive,
  recordKey,
  type RecordData,
  recordLabel,
  dataOf,
  isApexNs,
  noNotes,
  type LiveRecord,
  type PlannedChange,
} from "../../dns/record.ts";
import { isServerManaged, managedReason, withoutManaged } from "../../dns/zone-file/type-names.ts";
import {
  ProviderError,
  type DnsProvider,
  type ProviderKind,
  type BeforeCall,
  type ChangeOutcome,
} from "../../dns-providers/provider.ts";
import { inSlices, filtered, flatMapped, mapped, type Steps } from "../../platform/slices.ts";
import { kindOfZone, withPlainTtls, asHeld, limitIssues, readOnlyReason } from "../records/provider-limits.ts";
import { everOurs, type Outcome } from "./store.ts";
import type { OnDrift } from "../../database/tables/domains.ts";
import type { StoredConfig, ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import type { Purpose } from "../../dns-providers/vendor-api/accounts.ts";
import { lossWarning } from "../records/editing/reviewed-plan.ts";
import { aligningTtls, planningState } from "../../dns/desired-state.ts";
import { newId } from "../../platform/ids.ts";

/** A domain as its mirrors follow it. */
export interface Followed {
  id: string;
  name: string;
  revision: number;
  /** The kind of its main provider. */
  kind: ProviderKind;
  /** Whether its main provider signs the zone. */
  signed: boolean;
}

export interface Compared extends MirrorPlan {
  /** Fingerprint of what was read; null if there is none. */
  fingerprint: string | null;
  /** Whether the mirror's provider has the zone. */
  exists: boolean;
  /** Whether the mirror's provider signs the zone. */
  signed: boolean;
}

/** Plans a mirror from which secondaries transfer the zone: it serves the stored records, so that nothing is written. */
async function compareServed(domain: Followed, kind: ProviderKind, held: readonly RecordData[]): Promise<Compared> {
  const sides = { zone: domain.name, kind, wanted: held, present: [], readOnly: new Map<string, string>() };
  const plan = await inSlices(planningMirror(sides, new Set()));
  return { ...plan, fingerprint: null, exists: true, signed: false };
}

/** Reads a mirror and plans it. A zone that does not exist there is empty. @throws ProviderError, AppError PROVIDER_ERROR */
export async function compareMirror(
  em: EntityManager,
  domain: Followed,
  { kind, provider, zone }: { kind: ProviderKind; provider: DnsProvider | null; zone: string },
): Promise<Compared> {
  const stored = await zoneAt(em, domain.id, domain.revision, ZoneScope.all);
  const records = withoutManaged(stored.filter(isActive), domain.signed);
  const { records: held } = await inSlices(asHeld(withPlainTtls(domain.kind, kind, records), kind));
  if (!provider) return await compareServed(domain, kind, held);
  const there = await readMirror(provider, zone);
  const readOnly = new Map(there.exists ? await provider.readOnlyRecords?.(zone) : []);
  if (there.signed)
    for (const record of records) if (isServerManaged(record)) readOnly.set(recordKey(record), managedReason(record));
  const ttls = there.exists ? held.map(({ ttl }) => ttl) : [];
  const limits = await kindOfZone({ providerZone: zone, kind, provider }, ttls);
  const sides = { zone: domain.name, kind: limits, wanted: held, present: there.records, readOnly };
  const wasOurs = await everOurs(em, domain.id, await inSlices(extraRecords(sides)));
  const plan = await inSlices(planningMirror(sides, wasOurs));
  return { ...plan, fingerprint: there.fingerprint, exists: there.exists, signed: there.signed };
}

async function readMirror(
  provider: DnsProvider,
  zone: string,
): Promise<{ exists: boolean; records: RecordData[]; signed: boolean; fingerprint: string | null }> {
  try {
    const fingerprint = await provider.fingerprint(zone).catch(() => null);
    const { records, signing } = await readWhole(provider, zone);
    return { exists: true, records, signed: signing.signed, fingerprint };
  } catch (error) {
    if (!(error instanceof ProviderError) || !error.zoneMissing) throw error;
    return { exists: false, records: [], signed: false, fingerprint: null };
  }
}

/** A mirror with its domain and its configuration. */
export interface LoadedMirror {
  domain: Followed & { view: string; ownerId: string | null };
  zone: string;
  onDrift: OnDrift;
  force: boolean;
  /** Until when its provider may not show what was sent; null: it does. */
  settlesAt: Date | null;
  /** Whether changes were sent whose end is not known. */
  unconfirmed: boolean;
  config: StoredConfig & { name: string };
}

/** Reads what an attempt at a mirror needs; null if the mirror was deleted. */
export async function loadMirror(em: EntityManager, id: string): Promise<LoadedMirror | null> {
  const row = await queries(em)
    .selectFrom("mirrors as m")
    .innerJoin("domains as d", "d.id", "m.domain_id")
    .innerJoin("provider_configs as main", "main.id", "d.provider_config_id")
    .innerJoin("provider_configs as c", "c.id", "m.provider_config_id")
    .select([
      "m.provider_zone",
      "m.on_drift",
      "m.force_next",
      "m.settles_at",
      "m.unconfirmed",
      "c.id as config_id",
      "c.kind",
      "c.config",
      "c.name as config_name",
    ])
    .select([
      "d.id as domain_id",
      "d.name",
      "d.view",
      "d.owner_id",
      "d.revision",
      "d.provider_signed",
      "main.kind as main_kind",
    ])
    .where("m.id", "=", id)
    .executeTakeFirst();
  if (!row) return null;
  return {
    domain: {
      id: row.domain_id,
      name: row.name,
      view: row.view,
      ownerId: row.owner_id,
      revision: row.revision,
      kind: knownKind(row.main_kind),
      signed: row.provider_signed,
    },
    zone: row.provider_zone,
    onDrift: row.on_drift,
    force: row.force_next,
    settlesAt: row.settles_at,
    unconfirmed: row.unconfirmed,
    config: { id: row.config_id, kind: row.kind, config: row.config, name: row.config_name },
  };
}

/** What an attempt at a mirror depends on besides the mirror. */
interface Attempting {
  now: () => Date;
  /** Runs before each call that changes the mirror, with the time when a reading shows whether it was carried out. Throws to end the attempt. */
  beforeCall: (settlesAt: Date) => Promise<void>;
  /** Who waits for its calls. */
  purpose: Purpose;
}

/**
 * Makes one attempt: reads the mirror, compares it with its domain, and applies the difference. A provider that stores without serving is
 * asked to serve what an earlier attempt may have left so.
 * @throws AppError, ProviderError
 */
export async function attemptMirror(
  em: EntityManager,
  connections: ProviderConnections,
  { domain, zone, onDrift, force, settlesAt: settledBefore, unconfirmed, config }: LoadedMirror,
  { now, beforeCall, purpose }: Attempting,
): Promise<Outcome> {
  const { kind, provider } = connections.connect(config, purpose);
  const readAt = now();
  const compared = await compareMirror(em, domain, { kind, provider, zone });
  const { changes, foreign, unsupported, present } = compared;
  const { revision } = domain;
  const served = {
    revision,
    differences: 0,
    foreign: 0,
    unsupported: unsupported.length,
    error: null,
    unreachable: false,
    retryAt: null,
    settlesAt: null,
  };
  if (!provider) return served;
  const warning = force ? null : lossWarning(foreign, Math.max(present, foreign.length));
  const deletesForeign = force || (onDrift === "restore" && warning === null);
  const wanted = deletesForeign ? [...foreign, ...changes] : await inSlices(besideForeign(compared));
  let calls = 0;
  const outcomes = await apply({ provider, zone }, wanted, compared, async () => {
    calls++;
    await beforeCall(after(now(), secondsToSettle(provider, compared)));
  });
  if ((unconfirmed || force) && !outcomes.some((outcome) => outcome.ok || outcome.gone)) await provider.publish?.(zone);
  const lag = lagOf(provider, compared);
  const shownAt = calls > 0 && lag > 0 ? after(now(), lag) : null;
  if (settledBefore !== null && readAt < settledBefore) {
    // A clock that was set back must not make this time a late one.
    const longest = after(now(), secondsToSettle(provider, compared));
    const settlesAt = latest(shownAt, settledBefore);
    return { ...served, isEarly: true, settlesAt: settlesAt < longest ? settlesAt : longest };
  }
  const refused = wanted.flatMap(({ before, after }, index) => {
    const outcome = outcomes[index];
    const record = after ?? before;
    return outcome && !outcome.ok && record ? [`${recordLabel(record)}: ${outcome.message}`] : [];
  });
  const left = deletesForeign ? 0 : foreign.length;
  const errors = [
    ...(refused.length === 0 ? [] : [`${refused.length} changes were refused. ${refused[0] ?? ""}`]),
    ...(onDrift === "restore" && warning !== null && left > 0
      ? [
          `It has ${left} records that were never this domain's. Reconcile it with force: true to delete them, or set \`onDrift\` to \`report\`.`,
        ]
      : []),
  ];
  return {
    ...served,
    settlesAt: shownAt,
    differences: left + refused.length,
    foreign: left,
    error: errors.length === 0 ? null : errors.join(" "),
  };
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1_000);
}

function latest(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}

async function apply(
  { provider, zone }: { provider: DnsProvider; zone: string },
  changes: Compared["changes"],
  { fingerprint, exists, signed }: Compared,
  beforeCall: BeforeCall,
): Promise<ChangeOutcome[]> {
  if (!exists) await provider.createZone(zone);
  if (changes.length === 0) return [];
  // What a call without an answer did is seen by a later attempt.
  const options = { plannedOn: fingerprint, signed, beforeCall, mayStayOpen: true };
  return (await callProvider(provider, zone, changes, options)).outcomes;
}

type Deletion = PlannedChange & { action: "delete" };

/** What brings a mirror to the records of its domain. */
interface MirrorPlan {
  /** The changes that make it the same, without those of foreign records. */
  changes: PlannedChange[];
  /** Deletions of records there that were never the domain's. */
  foreign: Deletion[];
  /** Records of the domain that its provider cannot store, with the reason. */
  unsupported: { record: RecordData; reason: string }[];
  /** How many records it has that a mirror is about. */
  present: number;
}

/** A domain's records, as its mirror should have them, and what is there. */
interface Sides {
  zone: string;
  kind: ProviderKind;
  wanted: readonly RecordData[];
  present: readonly RecordData[];
  /** Records that only the provider knows to be its own, by `recordKey`. */
  readOnly: ReadonlyMap<string, string>;
}

/**
 * Plans a mirror, in steps. The provider's own records stay, and replace the domain's of that kind. Where the domain has no apex NS records,
 * those of the mirror stay. Pure.
 * @param wasOurs which of the records that only the mirror has were the domain's at some time, by `recordKey`
 */
export function* planningMirror(
  { zone, kind, wanted, present, readOnly }: Sides,
  wasOurs: ReadonlySet<string>,
): Steps<MirrorPlan> {
  const unsupported: MirrorPlan["unsupported"] = [];
  const isOwn = ownRecords({ kind, wanted, readOnly });
  const sent = yield* filtered(wanted, (record) => {
    if (isOwn(record)) return false;
    const [issue] = limitIssues(record, kind, zone);
    if (issue) unsupported.push({ record, reason: issue.message });
    return !issue;
  });
  const others = yield* mapped(yield* filtered(present, (record) => !isOwn(record)), asLive);
  const { changes } = yield* planningState(others, yield* mapped(sent, dataOf));
  const foreign: Deletion[] = [];
  const ours = yield* flatMapped(changes, (change): PlannedChange[] => {
    const { before, after } = change;
    // The records of a mirror that are the domain's, too, are updated at most in their TTL.
    if (before === null || wasOurs.has(recordKey(before))) return [change];
    if (after !== null && recordKey(after) === recordKey(before)) return [change];
    foreign.push({ action: "delete", id: before.id, before, after: null });
    return after === null ? [] : [{ action: "create", id: newId(), before: null, after }];
  });
  return { changes: ours, foreign, unsupported, present: others.length };
}

/** Returns the changes of a plan where foreign records stay, in steps: records of one name and type share a TTL, theirs too. Pure. */
export function* besideForeign({ changes, foreign }: MirrorPlan): Steps<PlannedChange[]> {
  return yield* aligningTtls(yield* mapped(foreign, ({ before }) => before), changes);
}

/** Returns the records of a mirror that its domain does not have, in steps. They may have been the domain's once. Pure. */
export function* extraRecords({ kind, wanted, present, readOnly }: Sides): Steps<RecordData[]> {
  const isOwn = ownRecords({ kind, wanted, readOnly });
  const ours = new Set(yield* mapped(wanted, recordKey));
  return yield* filtered(present, (record) => !ours.has(recordKey(record)) && !isOwn(record));
}

function ownRecords({ kind, wanted, readOnly }: Pick<Sides, "kind" | "wanted" | "readOnly">) {
  const hasApexNs = wanted.some(isApexNs);
  return (record: RecordData) =>
    readOnlyReason(record, kind) !== null || readOnly.has(recordKey(record)) || (!hasApexNs && isApexNs(record));
}

function asLive(record: RecordData): LiveRecord {
  const never = new Date(0);
  return {
    ...dataOf(record),
    id: newId(),
    version: 1,
    status: "active",
    ...noNotes,
    createdAt: never,
    updatedAt: never,
  };
}
