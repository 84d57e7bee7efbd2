import { createHash } from "node:crypto";
import { liveAtNames } from "../changes/state/live-queries.ts";
import type { EntityManager } from "../database/database.ts";
import { asWritten, rrsetKey, type PlannedChange, type RecordDraft } from "../dns/record.ts";
import { flatMapped, inSlices, mapped, sorted, type Steps } from "../platform/slices.ts";

/** Returns the names that changes touch, before or after, each once. */
function touchedHosts(changes: readonly PlannedChange[]): string[] {
  const names = new Set<string>();
  for (const { before, after } of changes) {
    if (before) names.add(before.name);
    if (after) names.add(after.name);
  }
  return [...names];
}

/** The name and type of a record. */
export type Place = Pick<RecordDraft, "name" | "recordType">;

/** Returns the names and types that changes touch, before or after, each once. */
export function touchedPlaces(changes: readonly PlannedChange[]): Place[] {
  const places = new Map<string, Place>();
  for (const { before, after } of changes)
    for (const record of [before, after])
      if (record) places.set(rrsetKey(record), { name: record.name, recordType: record.recordType });
  return [...places.values()];
}

/**
 * Returns a hash of the RRsets that changes touch, as they are and as they will be. Edits elsewhere in the zone leave it as it is.
 * @param following the changes of other zones that belong to the plan
 */
export async function rrsetHash(
  em: EntityManager,
  domainId: string,
  changes: readonly PlannedChange[],
  following: readonly string[] = [],
): Promise<string> {
  const live = await liveAtNames(em, domainId, touchedHosts(changes));
  return await inSlices(hashing(domainId, { live, changes, following }));
}

interface State {
  live: readonly (RecordDraft & { id: string })[];
  changes: readonly PlannedChange[];
  following: readonly string[];
}

/** Hashes the RRsets of a state of the touched names and the changes to it. Ids and the order of records do not count. */
export function* hashing(domainId: string, { live, changes, following }: State): Steps<string> {
  const touched = new Set(
    yield* flatMapped(changes, ({ before, after }) =>
      [before, after].flatMap((record) => (record ? [rrsetKey(record)] : [])),
    ),
  );
  const changed = new Set(yield* mapped(changes, ({ id }) => id));
  const present = live.filter((record) => touched.has(rrsetKey(record)));
  const staying = present.filter(({ id }) => !changed.has(id));
  const coming = yield* flatMapped(changes, ({ after }) => (after ? [after] : []));
  const hash = createHash("sha256").update(domainId);
  for (const records of [present, [...staying, ...coming]]) {
    hash.update("\n");
    for (const text of yield* sorted(yield* mapped(records, textOf), byText)) hash.update(text).update("\n");
  }
  for (const text of following.toSorted(byText)) hash.update(text).update("\n");
  return hash.digest("base64url");
}

function textOf(record: RecordDraft): string {
  const { recordType, strings, ttl, priority, proxied, comment, ...rest } = record;
  const { status, locked, ownerId, reviewAt } = rest;
  const { name, value } = asWritten(record);
  // Hashes of earlier versions cover no status, and no other notes than the comment.
  const notes = locked || ownerId !== null || reviewAt !== null ? [locked, ownerId, reviewAt] : [];
  const others = status === "active" ? notes : [...notes, status];
  return JSON.stringify([name, recordType, value, strings, ttl, priority, proxied, comment, ...others]);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
