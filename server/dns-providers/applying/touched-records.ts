import type { RecordData } from "../../dns/record.ts";
import type { RecordChange } from "../provider.ts";

/** Returns the records that a change deletes and adds. */
export function recordsOf({ before, after }: RecordChange): RecordData[] {
  return [before, after].flatMap((record) => record ?? []);
}

/** Returns the names that changes touch, relative to the zone. */
export function touchedNames(changes: readonly RecordChange[]): Set<string> {
  return new Set(changes.flatMap(recordsOf).map(({ name }) => name));
}
