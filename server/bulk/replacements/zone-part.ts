import { outsideRights } from "../../access/zone-access.ts";
import type { ZoneToPlan } from "../../zones/changes/zones-to-plan.ts";
import type { EntityManager } from "../../database/database.ts";
import { isActive, recordKey, recordLabel, type LiveRecord, type PlannedChange } from "../../dns/record.ts";
import { AppError } from "../../platform/errors.ts";
import { inTurns } from "../../platform/slices.ts";
import { judgeEdits } from "../../zones/records/editing/plan-edits.ts";
import {
  applyAtomic,
  prepareEdit,
  withinRights,
  type Edit,
  type PreparedEdit,
} from "../../zones/records/editing/edits.ts";
import { readOnlyReason } from "../../zones/records/provider-limits.ts";
import { isWanted, newValueOf, type Wanted } from "./wanted.ts";

type Zone = Pick<ZoneToPlan, "id" | "name" | "rights" | "kind">;

/** What a replacement does in one zone. */
export interface ZonePart {
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
  const ttl = wanted.newTtl ?? undefined;
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
      edits.set(record.id, { action: "update", recordId: record.id, patch: { value, ttl } });
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

/** A fixed order, so that two plans of one state are equal. */
function byId(one: LiveRecord, other: LiveRecord): number {
  return one.id < other.id ? -1 : 1;
}
