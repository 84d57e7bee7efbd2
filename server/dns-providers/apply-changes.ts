import { recordKey, type RecordData } from "../records/record.ts";
import { newViolations } from "../records/zone-rules.ts";
import type { ChangeOutcome, RecordChange } from "./provider.ts";

/** Where the records are: what refusals speak of, and what it cannot hold. */
export interface RecordStore {
  /** `the zone file`. */
  place: string;
  /** Why it cannot hold a record at all, else null. */
  refusal: (record: RecordData) => string | null;
}

/**
 * Carries changes out on a zone's records, or on all those of the names that the changes touch. Records are matched by type, name and
 * value; a TTL edited by hand is no obstacle.
 * What goes, goes before what comes, so that two records may exchange their values. Records that were added by hand count
 * too: a change that breaks a rule together with them is refused, because a server would not load the zone.
 * Pure: answers with the records afterwards and one outcome per change. Costs records plus changes, not their product.
 */
export function applyToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  store: RecordStore,
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const refused = new Map<RecordChange, string>();
  for (;;) {
    const applied = applyExcept(records, changes, refused, store);
    const known = refused.size;
    const broken = brokenNames(records, applied.records, changes, store);
    changes.forEach((change, index) => {
      const outcome = applied.outcomes[index];
      const reason = outcome?.ok ? change.after && broken.get(change.after.name) : outcome?.message;
      if (reason) refused.set(change, reason);
    });
    // What a refused change leaves in its place may be in the way of another.
    if (refused.size === known) return applied;
  }
}

/** The outcomes of changes of which all or none are made: one refusal refuses all. */
export function allOrNone(outcomes: readonly ChangeOutcome[]): ChangeOutcome[] {
  const refusal = outcomes.find((outcome) => !outcome.ok);
  if (!refusal || refusal.ok) return [...outcomes];
  const message = `Not done, because another change of the set was refused: ${refusal.message}`;
  return outcomes.map((outcome) => (outcome.ok ? failed(message) : outcome));
}

/** Carries out all but the refused ones. Right only when none is refused anew: nobody has put that one's record back. */
function applyExcept(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  refused: ReadonlyMap<RecordChange, string>,
  store: RecordStore,
): { records: RecordData[]; outcomes: ChangeOutcome[] } {
  const zone = new Map(records.map((record) => [recordKey(record), record]));
  const removed = changes.map(
    (change) => change.before === null || refused.has(change) || zone.delete(recordKey(change.before)),
  );
  const outcomes = changes.map((change, index): ChangeOutcome => {
    const { before, after } = change;
    const reason = refused.get(change);
    if (reason !== undefined) return failed(reason);
    if (before && !removed[index])
      return failed(`${labelOf(before)} is no longer in ${store.place}; sync the zone first.`);
    const refusal = after && refusalOf(zone, after, store);
    if (refusal !== null) return failed(refusal);
    if (after) zone.set(recordKey(after), after);
    return { ok: true };
  });
  return { records: [...zone.values()], outcomes };
}

/** Names at which the changes broke a rule of the zone, with the reason. */
function brokenNames(
  before: readonly RecordData[],
  after: readonly RecordData[],
  changes: readonly RecordChange[],
  { place }: RecordStore,
): Map<string, string> {
  const touched = new Set(changes.flatMap((change) => (change.after ? [change.after.name] : [])));
  const at = (records: readonly RecordData[]) =>
    Map.groupBy(
      records.filter(({ name }) => touched.has(name)),
      ({ name }) => name,
    );
  const [old, present] = [at(before), at(after)];
  return new Map(
    [...touched].flatMap((name) => {
      const [violation] = newViolations(name, old.get(name) ?? [], present.get(name) ?? []);
      return violation
        ? [[name, `${capitalised(place)} has other records: ${violation.message} Sync the zone first.`]]
        : [];
    }),
  );
}

function refusalOf(
  zone: ReadonlyMap<string, RecordData>,
  record: RecordData,
  { place, refusal }: RecordStore,
): string | null {
  if (zone.has(recordKey(record))) return `${labelOf(record)} is in ${place} already; sync the zone first.`;
  return refusal(record);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function failed(message: string): ChangeOutcome {
  return { ok: false, message };
}

function labelOf({ name, recordType, value }: RecordData): string {
  return `${name} ${recordType} ${value.length > 60 ? `${value.slice(0, 60)}…` : value}`;
}
