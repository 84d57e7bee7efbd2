import type { PlannedChange } from "../live-record.ts";
import type { RecordData } from "../record.ts";
import { ancestorsOf, wildcardBelow } from "./known-names.ts";

/** The changes that took the addresses of a name server away, the likeliest kind of them only: their ids. */
export function blamed(changes: readonly PlannedChange[], owner: string, target: string): string[] {
  const above = ancestorsOf(target);
  const standing = new Set([target, ...[...above, "@"].map(wildcardBelow)]);
  const over = new Set([...above, ...ancestorsOf(owner)]);
  const kinds: ((record: RecordData, comes: boolean) => boolean)[] = [
    ({ name, recordType }, comes) => standing.has(name) && (comes ? recordType === "CNAME" : isAddress(recordType)),
    ({ name, recordType }) => over.has(name) && (recordType === "NS" || recordType === "DNAME"),
    ({ name }) => [name, ...ancestorsOf(name)].some((each) => each === target || above.includes(each)),
  ];
  for (const isKind of kinds) {
    const found = changes.filter(
      ({ before, after }) => (before && isKind(before, false)) || (after && isKind(after, true)),
    );
    if (found.length > 0) return found.map(({ id }) => id);
  }
  return changes.map(({ id }) => id);
}

function isAddress(recordType: string): boolean {
  return recordType === "A" || recordType === "AAAA";
}
