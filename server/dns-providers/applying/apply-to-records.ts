import { recordKey, recordLabel, type RecordData } from "../../records/record.ts";
import type { ServerRules } from "../../records/server-rules/rules.ts";
import { newViolations } from "../../records/zone-rules.ts";
import { outcomesFrom } from "./change-outcomes.ts";
import type { ChangeOutcome, RecordChange } from "../provider.ts";
import { atOnce, filtered, type Steps } from "../../slices.ts";

/** Where the records are: what refusals speak of, and what it cannot hold. */
export interface RecordStore {
  /** `the zone file`. */
  place: string;
  /** Why it cannot hold a record at all, else null. */
  refusal: (record: RecordData) => string | null;
  /** What the servers behind it refuse a zone for. */
  rules?: ServerRules;
}

/** The records afterwards, and one outcome for each change. */
interface Applied {
  records: RecordData[];
  outcomes: ChangeOutcome[];
}

/**
 * Carries changes out on a zone's records, or on all those of the names that the changes touch. Records are matched by type, name and value; a TTL edited by hand is no obstacle.
 * What goes, goes before what comes, so that two records may exchange their values. What a refused change leaves in its place
 * refuses whatever was to come there.
 * Pure: answers with the records afterwards and one outcome per change. Costs records plus changes, not their product.
 * @param judged whether the changes were planned on just these records. Who planned them then answers for the zone's rules in the
 * state that they make together. Else records that were added by hand count too: a change that breaks a rule together with them,
 * or with what a refused change leaves, is refused, because a server would not load the zone.
 */
export function applyToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  store: RecordStore,
  judged = false,
): Applied {
  return atOnce(applyingToRecords(records, changes, store, judged));
}

/** {@link applyToRecords}, a step for each record. */
export function* applyingToRecords(
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  store: RecordStore,
  judged = false,
): Steps<Applied> {
  const served = new Map<string, RecordData>();
  for (const record of records) {
    served.set(recordKey(record), record);
    yield;
  }
  const attempt = new Attempt(served, changes, store);
  attempt.refuse(attempt.obstacles());
  if (!judged || attempt.refusals.size > 0) yield* refusingBroken(attempt, records, changes, store);
  return {
    records: yield* attempt.result(),
    outcomes: outcomesFrom(changes, attempt.refusals),
  };
}

/** Changes on their way into a zone: which of them stand, and what that makes of the zone. */
class Attempt {
  /** The refused changes and why. */
  readonly refusals = new Map<RecordChange, string>();
  readonly #served: Map<string, RecordData>;
  readonly #changes: readonly RecordChange[];
  readonly #store: RecordStore;
  /** By key: the change that takes this record of the zone away. */
  readonly #removing = new Map<string, RecordChange>();
  /** By key: the change that brings this record. */
  readonly #bringing = new Map<string, RecordChange>();

  /** @param served the zone's records by key */
  constructor(served: Map<string, RecordData>, changes: readonly RecordChange[], store: RecordStore) {
    this.#served = served;
    this.#changes = changes;
    this.#store = store;
  }

  /** Lets the changes in, in order, and tells which of them cannot be. Once, before anything is refused. */
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
   * Takes changes back, and with them those that were to come in the place of what thereby stays. Each change is visited once.
   * @returns the names to which a record came back.
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

  /** The zone with the changes that stand; of `some` of its records only, where they are given. */
  *result(some: Iterable<RecordData> = this.#served.values(), changes = this.#changes): Steps<RecordData[]> {
    const records = yield* filtered(some, (record) => !this.#removing.has(recordKey(record)));
    for (const change of changes) if (change.after && !this.refusals.has(change)) records.push(change.after);
    return records;
  }
}

/** Refuses what breaks a rule of the zone, until nothing does. A name is judged again only when a record came back to it. */
function* refusingBroken(
  attempt: Attempt,
  records: readonly RecordData[],
  changes: readonly RecordChange[],
  { place, rules }: RecordStore,
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
      const [violation] = newViolations(name, before, yield* attempt.result(before, standing), rules);
      if (!violation) continue;
      const reason = `${capitalised(place)} has other records: ${violation.message} Sync the zone first.`;
      for (const change of standing) broken.set(change, reason);
    }
    if (broken.size === 0) return;
    names = attempt.refuse(broken);
  }
}

function inTheWay(record: RecordData, { place }: RecordStore): string {
  return `${recordLabel(record)} is in ${place} already; sync the zone first.`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
