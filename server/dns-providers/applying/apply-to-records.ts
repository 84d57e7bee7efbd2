import { recordKey, recordLabel, type RecordData } from "../../dns/record.ts";
import { newViolations, type ServerRules, type ApexCname } from "../../dns/zone-rules.ts";
import type { ChangeOutcome, RecordChange } from "../provider.ts";
import { atOnce, filtered, type Steps } from "../../platform/slices.ts";

/** Where records are stored, and what cannot be stored there. */
export interface RecordStore {
  /** For messages: `the zone file`. */
  place: string;
  /** Returns why it cannot store a record, or null. */
  refusal: (record: RecordData) => string | null;
  /** What the servers behind it reject a zone for. */
  rules?: ServerRules;
  apexCname?: ApexCname | null | undefined;
}

/** The resulting records, and one outcome per change. */
interface Applied {
  records: RecordData[];
  outcomes: ChangeOutcome[];
}

/**
 * Applies changes to a zone's records, or to all records of the names that the changes touch. Records are matched by type, name and
 * value, so a TTL edited elsewhere does not matter. All deletions come first, so two records may swap values. If a change is
 * refused, changes that needed its record gone are refused too. Pure. Costs records plus changes, not their product.
 * @param isPlanCurrent whether the changes were planned on exactly these records. The plan then vouches for the zone rules.
 * Otherwise a change is refused if it breaks a rule together with records added elsewhere or left by a refused change, because a
 * server would not load the zone.
 */
export function applyToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  store: RecordStore,
  isPlanCurrent = false,
): Applied {
  return atOnce(applyingToRecords(records, changes, store, isPlanCurrent));
}

/** Does the same as {@link applyToRecords}, in steps of one record. */
export function* applyingToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  store: RecordStore,
  isPlanCurrent = false,
): Steps<Applied> {
  const served = new Map<string, RecordData>();
  for (const record of records) {
    served.set(recordKey(record), record);
    yield;
  }
  const attempt = new Attempt(served, changes, store);
  attempt.refuse(attempt.obstacles());
  if (!isPlanCurrent || attempt.refusals.size > 0) yield* refusingBroken(attempt, records, changes, store);
  return {
    records: yield* attempt.result(),
    outcomes: outcomesFrom(changes, attempt.refusals),
  };
}

/** Changes being applied to a zone: which ones stand, and the zone that results. */
class Attempt {
  /** The refused changes, with the reason. */
  readonly refusals = new Map<RecordChange, string>();
  readonly #served: Map<string, RecordData>;
  readonly #changes: readonly RecordChange[];
  readonly #store: RecordStore;
  /** The change that deletes or replaces each record, by key. */
  readonly #removing = new Map<string, RecordChange>();
  /** The change that adds each record, by key. */
  readonly #bringing = new Map<string, RecordChange>();

  /** @param served the zone's records by key */
  constructor(served: Map<string, RecordData>, changes: readonly RecordChange[], store: RecordStore) {
    this.#served = served;
    this.#changes = changes;
    this.#store = store;
  }

  /** Registers the changes in order and returns the ones that cannot be made. Call once, before refusing anything. */
  obstacles(): Map<RecordChange, string> {
    for (const change of this.#changes) {
      const key = change.before && recordKey(change.before);
      if (key !== null && this.#remains(key)) this.#removing.set(key, change);
    }
    const found = new Map<RecordChange, string>();
    for (const change of this.#changes) {
      const reason = this.#obstacle(change);
      if (reason !== null) found.set(change, reason);
      else if (change.after) this.#bringing.set(recordKey(change.after), change);
    }
    return found;
  }

  #obstacle(change: RecordChange): string | null {
    const { before, after } = change;
    if (before && this.#removing.get(recordKey(before)) !== change) {
      return `${recordLabel(before)} is no longer in ${this.#store.place}; sync the zone first.`;
    }
    if (!after) return null;
    const key = recordKey(after);
    if (this.#bringing.has(key) || this.#remains(key)) return inTheWay(after, this.#store);
    return this.#store.refusal(after);
  }

  #remains(key: string): boolean {
    return this.#served.has(key) && !this.#removing.has(key);
  }

  /**
   * Refuses changes, and with them the changes that needed their records gone. Each change is visited once.
   * @returns the names that got a record back.
   */
  refuse(reasons: ReadonlyMap<RecordChange, string>): Set<string> {
    const names = new Set<string>();
    const queue = [...reasons.keys()];
    for (const [change, reason] of reasons) this.refusals.set(change, reason);
    for (const change of queue) {
      const { before, after } = change;
      if (after && this.#bringing.get(recordKey(after)) === change) this.#bringing.delete(recordKey(after));
      const key = before && recordKey(before);
      if (!before || key === null || this.#removing.get(key) !== change) continue;
      this.#removing.delete(key);
      names.add(before.name);
      const next = this.#bringing.get(key);
      if (!next || this.refusals.has(next)) continue;
      this.refusals.set(next, inTheWay(before, this.#store));
      queue.push(next);
    }
    return names;
  }

  /** Returns the zone with the changes that stand, or only `some` of its records. */
  *result(some: Iterable<RecordData> = this.#served.values(), changes = this.#changes): Steps<RecordData[]> {
    const records = yield* filtered(some, (record) => !this.#removing.has(recordKey(record)));
    for (const change of changes) if (change.after && !this.refusals.has(change)) records.push(change.after);
    return records;
  }
}

/** Refuses changes that break a zone rule, until none does. A name is checked again only when a record came back to it. */
function* refusingBroken(
  attempt: Attempt,
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  { place, rules, apexCname }: RecordStore,
): Steps<void> {
  const coming = Map.groupBy(
    changes.filter(({ after }) => after !== null),
    ({ after }) => after?.name ?? "",
  );
  const served = Map.groupBy(yield* filtered(records, ({ name }) => coming.has(name)), ({ name }) => name);
  let names: Iterable<string> = coming.keys();
  for (;;) {
    const broken = new Map<RecordChange, string>();
    for (const name of names) {
      const standing = (coming.get(name) ?? []).filter((change) => !attempt.refusals.has(change));
      if (standing.length === 0) continue;
      const before = served.get(name) ?? [];
      const [violation] = newViolations(name, before, yield* attempt.result(before, standing), rules, apexCname);
      if (!violation) continue;
      const reason = `${capitalised(place)} has other records: ${violation.message} Sync the zone first.`;
      for (const change of standing) broken.set(change, reason);
    }
    if (broken.size === 0) return;
    names = attempt.refuse(broken);
  }
}

function inTheWay(record: RecordData, { place }: RecordStore): string {
  return `${recordLabel(record)} is already in ${place}; sync the zone first.`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a success for every change. */
export function allMade(changes: readonly unknown[]): ChangeOutcome[] {
  return changes.map(() => ({ ok: true }));
}

/** Returns one outcome per change: a refusal for changes that have one. */
export function outcomesFrom(
  changes: readonly RecordChange[],
  refusals: ReadonlyMap<RecordChange, string>,
): ChangeOutcome[] {
  return changes.map((change) => {
    const message = refusals.get(change);
    return message === undefined ? { ok: true } : { ok: false, message };
  });
}

/** Returns the outcomes of an atomic set: one refusal refuses all. */
export function allOrNone(outcomes: ChangeOutcome[]): ChangeOutcome[] {
  const refusal = outcomes.find((outcome) => !outcome.ok);
  if (!refusal || refusal.ok) return outcomes;
  const message = notDone(refusal.message);
  return outcomes.map((outcome) => (outcome.ok ? { ok: false, message } : outcome));
}

/** Returns the message of a change that was not made because another change of its set was refused. */
export function notDone(reason: string): string {
  return `Not applied because another change in the set was refused: ${reason}`;
}

/** Returns the change that undoes a change. */
export function inverse({ before, after }: RecordChange): RecordChange {
  if (before === null) return { action: "delete", before: after, after: null };
  if (after === null) return { action: "create", before: null, after: before };
  return { action: "update", before: after, after: before };
}

/** Returns the records that a change deletes and adds. */
export function recordsOf({ before, after }: RecordChange): RecordData[] {
  return [before, after].flatMap((record) => record ?? []);
}

/** Returns the names that changes touch, relative to the zone. */
export function touchedNames(changes: readonly RecordChange[]): Set<string> {
  return new Set(changes.flatMap(recordsOf).map(({ name }) => name));
}
