import {
  changedFields,
  recordKey,
  sameAsWritten,
  sameRecord,
  statedDataOf,
  type StatedData,
} from "../../dns/record.ts";
import { atOnce, flatMapped, grouped, mapped, type Steps } from "../../platform/slices.ts";

/** A record on one side of a comparison, with its id. */
export interface Sided extends StatedData {
  id: string;
}

export interface Difference {
  added: StatedData[];
  removed: StatedData[];
  modified: { before: StatedData; after: StatedData; changes: Record<string, [unknown, unknown]> }[];
}

/**
 * Returns the difference between two states, given only the records that differ by id or version. Matches records by id, then
 * by (type, name, value), with the same status first: a record deleted and created again unchanged does not count.
 */
export function differ(before: readonly Sided[], after: readonly Sided[]): Difference {
  return atOnce(differing(before, after));
}

/** {@link differ} in steps. */
export function* differing(before: readonly Sided[], after: readonly Sided[]): Steps<Difference> {
  const difference: Difference = { added: [], removed: [], modified: [] };
  const compare = (from: Sided, to: Sided) => {
    // Another record may be written otherwise, and is the same to DNS.
    if (!(from.id === to.id ? sameAsWritten : sameRecord)(from, to))
      difference.modified.push({
        before: statedDataOf(from),
        after: statedDataOf(to),
        changes: changedFields(from, to),
      });
  };
  const afterById = new Map(yield* mapped(after, (record) => [record.id, record] as const));
  const lost: Sided[] = [];
  for (const record of before) {
    const same = afterById.get(record.id);
    if (!same) lost.push(record);
    else if (afterById.delete(record.id)) compare(record, same);
    yield;
  }
  // A disabled record does not stand for an active one that has an equal of its own.
  const alike = yield* grouped(afterById.values(), statedKey);
  const others: Sided[] = [];
  for (const record of lost) {
    const same = alike.get(statedKey(record))?.pop();
    if (same) compare(record, same);
    else others.push(record);
    yield;
  }
  const gained = yield* grouped(yield* flatMapped(alike.values(), (records) => records), recordKey);
  for (const record of others) {
    const same = gained.get(recordKey(record))?.pop();
    if (same) compare(record, same);
    else difference.removed.push(statedDataOf(record));
    yield;
  }
  difference.added = yield* flatMapped(gained.values(), (records) => records.map(statedDataOf));
  return difference;
}

function statedKey(record: Sided): string {
  return `${record.status} ${recordKey(record)}`;
}
