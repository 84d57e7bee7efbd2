import { recordKey, type RecordData } from "../../records/record.ts";
import { isPlaceholder } from "../../zone-file/contents.ts";
import type { ChangeOutcome, RecordChange } from "../provider.ts";

/**
 * Carries changes out on a zone's records. Records are matched by type, name and value; a TTL edited by hand is no obstacle.
 * What goes, goes before what comes, so that two records may exchange their values.
 * Pure: answers with the records afterwards and one outcome per change. Costs records plus changes, not their product.
 */
export function applyToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const zone = new Map(records.map((record) => [recordKey(record), record]));
  const removed = changes.map(({ before }) => before === null || zone.delete(recordKey(before)));
  const outcomes = changes.map(({ before, after }, index): ChangeOutcome => {
    if (before && !removed[index])
      return failed(`${labelOf(before)} is no longer in the zone file; sync the zone first.`);
    const refusal = after && refusalOf(zone, after);
    if (refusal === null) {
      if (after) zone.set(recordKey(after), after);
      return { ok: true };
    }
    if (before) zone.set(recordKey(before), before);
    return failed(refusal);
  });
  return { records: [...zone.values()], outcomes };
}

function refusalOf(zone: ReadonlyMap<string, RecordData>, record: RecordData): string | null {
  if (zone.has(recordKey(record))) return `${labelOf(record)} is in the zone file already; sync the zone first.`;
  return isPlaceholder(record) ? `${record.value} stands in for a missing name server and cannot be a record.` : null;
}

function failed(message: string): ChangeOutcome {
  return { ok: false, message };
}

function labelOf({ name, recordType, value }: RecordData): string {
  return `${name} ${recordType} ${value.length > 60 ? `${value.slice(0, 60)}…` : value}`;
}
