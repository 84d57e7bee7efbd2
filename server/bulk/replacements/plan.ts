import { createHash } from "node:crypto";
import type { Caller } from "../../access/caller.ts";
import { refuseReserved } from "../../zones/changes/locks-and-reviews.ts";
import type { EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { ownerWithin } from "../../dns/names/names.ts";
import { AppError } from "../../platform/errors.ts";
import { inChunks, takeTurns, inTurns } from "../../platform/slices.ts";
import { changesHash } from "../../zones/records/editing/reviewed-plan.ts";
import {
  addLosses,
  zoneWarnings,
  type PlannedZone,
  zonesToPlan,
  type ZoneToPlan,
} from "../../zones/records/planned-zone.ts";
import {
  findZones,
  liveAtNamesOf,
  type FoundZone,
  readWanted,
  type ReplaceRequest,
  type Wanted,
  isWanted,
  newValueOf,
} from "./find.ts";
import { outsideRights } from "../../access/zone-access.ts";
import { isActive, recordKey, recordLabel, type LiveRecord, type PlannedChange } from "../../dns/record.ts";
import { judgeEdits } from "../../zones/records/editing/plan-edits.ts";
import {
  applyAtomic,
  prepareEdit,
  withinRights,
  type Edit,
  type PreparedEdit,
} from "../../zones/records/editing/edits.ts";
import { readOnlyReason } from "../../zones/records/provider-limits.ts";

const zonesAtOnce = 100;

export interface ReplacementPlan {
  zones: PlannedZone[];
  /** Warnings about the new value itself. */
  warnings: string[];
  /** Hash of what is asked and of what is planned in each zone. */
  planHash: string;
}

/**
 * Plans a replacement over every zone that the caller sees. Asks no provider, so that ten thousand zones can be planned; what only a provider
 * knows is found when a zone is changed.
 * @throws AppError BAD_REQUEST, NOT_FOUND
 */
export async function planReplacement(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  request: ReplaceRequest,
): Promise<ReplacementPlan> {
  const { wanted, warnings } = readWanted(request);
  const found = await findZones(em, caller, request, wanted);
  const zones = await inChunks(found, zonesAtOnce, (some) => planChunk(em, connections, caller, wanted, some));
  const concerned = zones.filter(
    ({ hash, error, warnings: some }) => hash !== null || error !== null || some.length > 0,
  );
  const hash = createHash("sha256").update(JSON.stringify(wanted));
  for (const { domainId, hash: part } of concerned) hash.update(JSON.stringify([domainId, part]));
  return { zones: concerned, warnings, planHash: hash.digest("base64url") };
}

/** Plans some zones with a fixed number of queries, apart from rules between names. */
async function planChunk(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  wanted: Wanted,
  found: readonly FoundZone[],
): Promise<PlannedZone[]> {
  const zones = await zonesToPlan(
    em,
    connections,
    caller,
    found.map(({ domainId }) => domainId),
  );
  const toRead = found.flatMap(({ domainId, names }) => {
    const zone = zones.get(domainId)?.zone;
    return zone ? [{ domainId, names: withNameServer(zone, wanted, names) }] : [];
  });
  const present = await liveAtNamesOf(em, toRead);
  const planned: PlannedZone[] = [];
  const counted: ZoneToPlan[] = [];
  for (const { domainId } of found) {
    const known = zones.get(domainId);
    if (!known) continue;
    const { zone, qualifiedName: domainName, providerId } = known;
    const entry = {
      domainId,
      domainName,
      providerId,
      changes: [],
      warnings: [],
      hash: null,
      needsForce: false,
      error: known.error,
    };
    const part = zone ? await partOrReason(em, zone, wanted, present.get(domainId) ?? []) : entry;
    if (zone && part.changes.length > 1) counted.push(zone);
    planned.push({ ...entry, ...part });
    await takeTurns();
  }
  await addLosses(em, planned, counted);
  return planned;
}

/** Returns the names to load for a zone: a name server of its own must have an address. */
export function withNameServer(
  { name: zone }: { name: string },
  { recordType, to }: Wanted,
  names: readonly string[],
): string[] {
  const own = recordType === "NS" ? ownerWithin(to.rest, zone) : null;
  return [...new Set([...names, ...(own === null ? [] : [own])])];
}

async function partOrReason(
  em: EntityManager,
  zone: ZoneToPlan,
  wanted: Wanted,
  present: Parameters<typeof planZonePart>[3],
): Promise<Pick<PlannedZone, "changes" | "warnings" | "hash" | "error">> {
  try {
    const { changes, warnings } = await planZonePart(em, zone, wanted, present);
    if (!zone.rights.changesProtected) refuseReserved(changes);
    if (changes.length === 0) return { changes, warnings, hash: null, error: null };
    return {
      changes,
      warnings: [...warnings, ...zoneWarnings(zone, changes)],
      hash: await changesHash(zone, changes),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { changes: [], warnings: [], hash: null, error: error.message };
  }
}

type Zone = Pick<ZoneToPlan, "id" | "name" | "rights" | "kind">;

/** What a replacement does in one zone. */
interface ZonePart {
  changes: PlannedChange[];
  warnings: string[];
}

/**
 * Plans a replacement in one zone, judged like any other plan.
 * @param present all live records of the names that have the value, and of name servers in the zone that the new value names
 * @throws AppError FORBIDDEN, BAD_REQUEST, CONFLICT
 */
export async function planZonePart(
  em: EntityManager,
  zone: Zone,
  wanted: Wanted,
  present: readonly LiveRecord[],
): Promise<ZonePart> {
  const { edits, warnings } = editsIn(zone, wanted, present);
  const byId = new Map(present.map((record) => [record.id, record]));
  const named = { present: byId, managed: new Map<string, LiveRecord>() };
  const each: PreparedEdit[] = [];
  for await (const edit of inTurns(edits)) each.push(prepareEdit(edit, named, zone.name, zone.kind));
  const prepared = withinRights(each, zone.rights);
  const judged = await judgeEdits(em, zone, { prepared, present }, applyAtomic);
  const refusal = judged.outcomes.find((outcome) => !outcome.ok);
  if (refusal && !refusal.ok) throw new AppError(refusal.code, refusal.issues[0]?.message ?? "The change was refused.");
  return { changes: judged.changes, warnings: [...warnings, ...judged.warnings] };
}

/** Returns the edits of a zone. Where the new value is already there, the old one is deleted. Pure. */
function editsIn({ rights, kind }: Zone, wanted: Wanted, present: readonly LiveRecord[]) {
  const found = present.filter((record) => isWanted(wanted, record) && rights.sees.includes(record)).toSorted(byId);
  const reasons = found.map((record) => outsideRights(record, rights));
  const forbidden = reasons.find((reason) => reason !== null);
  const warnings: string[] = [];
  const writable = found.filter((record, index) => {
    const reason = reasons[index] ?? readOnlyReason(record, kind);
    if (reason !== null) warnings.push(`${recordLabel(record)} stays unchanged: ${reason}`);
    return reason === null;
  });
  if (writable.length === 0 && forbidden) throw new AppError("FORBIDDEN", forbidden);
  const ttl = writable.length === 0 ? undefined : ttlAt(kind, wanted);
  const going = new Set(writable.map(({ id }) => id));
  const others = new Map(
    present.flatMap((record) => (going.has(record.id) || !isActive(record) ? [] : [[recordKey(record), record]])),
  );
  const edits = new Map<string, Edit>();
  const taken = new Set<string>();
  for (const record of writable) {
    const { value, written } = newValueOf(wanted, record);
    if (value === record.value) {
      const spelled = wanted.from.written === wanted.to.written ? {} : { value: written };
      edits.set(record.id, { action: "update", recordId: record.id, patch: { ...spelled, ttl } });
      continue;
    }
    // Two disabled records may be the same.
    if (!isActive(record)) {
      edits.set(record.id, { action: "update", recordId: record.id, patch: { value: written, ttl } });
      continue;
    }
    const key = recordKey({ ...record, value, strings: null });
    const other = others.get(key);
    if (!other && !taken.has(key)) {
      taken.add(key);
      edits.set(record.id, { action: "update", recordId: record.id, patch: { value: written, ttl } });
      continue;
    }
    edits.set(record.id, { action: "delete", recordId: record.id });
    warnings.push(`${record.name} already has ${record.recordType} ${written}, so ${recordLabel(record)} is deleted.`);
    if (other && ttl !== undefined && other.ttl !== ttl)
      edits.set(other.id, { action: "update", recordId: other.id, patch: { ttl } });
  }
  return { edits: [...edits.values()], warnings };
}

/** Returns the TTL that records get at a kind of provider; undefined: they keep their own. @throws AppError BAD_REQUEST */
export function ttlAt(kind: Pick<ProviderKind, "name" | "automaticTtl">, { newTtl }: Wanted): number | undefined {
  if (newTtl !== "automatic") return newTtl ?? undefined;
  if (kind.automaticTtl === undefined)
    throw new AppError("BAD_REQUEST", `The provider ${kind.name} has no automatic TTL.`);
  return kind.automaticTtl;
}

/** A fixed order, so that two plans of one state are equal. */
function byId(one: LiveRecord, other: LiveRecord): number {
  return one.id < other.id ? -1 : 1;
}
