import { recordKey, type RecordData } from "../../records/record.ts";
import { isPlaceholder } from "../../zone-file/contents.ts";
import type { ChangeOutcome, RecordChange } from "../provider.ts";

/**
 * Carries changes out, in order, on a zone's records. Records are matched by type, name and value; a TTL edited by hand is no obstacle.
 * Pure: answers with the records afterwards and one outcome per change. Costs records plus changes, not their product.
 */
export function applyToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const zone = new Map(records.map((record) => [recordKey(record), record]));
  const outcomes = changes.map((change) => applyOne(zone, change));
  return { records: [...zone.values()], outcomes };
}

function applyOne(zone: Map<string, RecordData>, { before, after }: RecordChange): ChangeOutcome {
  const oldKey = before && recordKey(before);
  const newKey = after && recordKey(after);
  if (before && oldKey !== null && !zone.has(oldKey)) {
    return failed(`${labelOf(before)} is no longer in the zone file; sync the zone first.`);
  }
  if (after && newKey !== null && newKey !== oldKey && zone.has(newKey)) {
    return failed(`${labelOf(after)} is in the zone file already; sync the zone first.`);
  }
  if (after && isPlaceholder(after)) {
    return failed(`${after.value} stands in for a missing name server and cannot be a record.`);
  }
  if (oldKey !== null) zone.delete(oldKey);
  if (after && newKey !== null) zone.set(newKey, after);
  return { ok: true };
}

function failed(message: string): ChangeOutcome {
  return { ok: false, message };
}

function labelOf({ name, recordType, value }: RecordData): string {
  return `${name} ${recordType} ${value.length > 60 ? `${value.slice(0, 60)}…` : value}`;
}
