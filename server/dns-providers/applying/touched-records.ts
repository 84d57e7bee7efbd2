import type { RecordData } from "../../dns/record.ts";
import type { RecordChange } from "../provider.ts";

/** The records that a change is about: what goes, and what comes. */
export function recordsOf({ before, after }: RecordChange): RecordData[] {
  return [before, after].flatMap((record) => record ?? []);
}

/** The names that changes read or write, relative to the zone. */
export function touchedNames(changes: readonly RecordChange[]): Set<string> {
  return new Set(changes.flatMap(recordsOf).map(({ name }) => name));
}
