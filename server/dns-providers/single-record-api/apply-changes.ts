import { applyToRecords, allOrNone, notDone, type RecordStore, recordsOf } from "../applying/apply-to-records.ts";
import { ProviderError, type BeforeCall, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { followingUp, type RecordCalls, type StoredRecord } from "./record-calls.ts";
import { rrsetKey, type RecordData, recordKey } from "../../dns/record.ts";
import type { Result } from "../../platform/result.ts";
import { connectedComponents, takeBack } from "../applying/batches.ts";

/** Calls in flight at once, unless an account says otherwise. */
const usualConcurrency = 4;

interface ChangesToApply {
  /** All records of the names that the changes touch, without read-only ones. */
  present: readonly StoredRecord[];
  changes: readonly RecordChange[];
  /** Whether one refusal refuses all changes and undoes those already made. */
  atomic: boolean;
  store: RecordStore;
  calls: RecordCalls;
  /** The TTL that new records get until another call sets theirs. Left out: theirs. */
  createdTtl?: number | undefined;
  concurrency?: number | undefined;
  beforeCall?: BeforeCall | undefined;
}

/**
 * Applies changes one record per call, for APIs without transactions. Changes that the present records rule out are refused before
 * anything is sent. @throws ProviderError as `carryOut` does
 */
export async function applyOneByOne(given: ChangesToApply): Promise<ChangeOutcome[]> {
  const { present, changes, atomic, store, calls, createdTtl, concurrency = usualConcurrency } = given;
  const judged = applyToRecords(
    present.map(({ data }) => data),
    changes,
    store,
  ).outcomes;
  const outcomes = atomic ? allOrNone(judged) : judged;
  const accepted = changes.filter((_change, index) => outcomes[index]?.ok);
  const groups = planGroups(present, accepted, atomic);
  const beforeCall = given.beforeCall ?? (() => Promise.resolve());
  const refusals = await carryOut(groups, announced(calls, { present, createdTtl }, beforeCall), concurrency);
  const messages = new Map<RecordChange, string>();
  for (const [group, { reason, steps }] of refusals) {
    const refused = new Set([...steps].flatMap((step) => step.changes));
    for (const change of group.changes) {
      messages.set(change, refused.size === 0 || refused.has(change) ? reason : notDone(reason));
    }
  }
  return outcomes.map((outcome, index) => {
    const change = changes[index];
    const message = change && messages.get(change);
    return message === undefined ? outcome : { ok: false, message };
  });
}

/** Calls that are announced to `beforeCall` before they are made. */
interface AnnouncedCalls {
  /** Calls that make changes, announced with the change that each makes. */
  apply: RecordCalls;
  /** Calls that undo earlier ones, announced without changes. */
  undo: RecordCalls;
}

/** @param present the records that exist, to announce what an update or a deletion replaces. */
function announced(
  calls: RecordCalls,
  { present, createdTtl }: Pick<ChangesToApply, "present" | "createdTtl">,
  beforeCall: BeforeCall,
): AnnouncedCalls {
  const known = new Map(present.map(({ id, data }) => [id, data]));
  const announce = async (before: RecordData | null, after: RecordData | null) =>
    await beforeCall(changeOf(before, after));
  const announceUndo = async () => await beforeCall([]);
  /** Creates a record, and sets its TTL by a call of its own where the vendor gives it another one first. */
  const create = async (record: RecordData, tell: typeof announce): Promise<Result<string>> => {
    const first = { ...record, ttl: createdTtl ?? record.ttl };
    await tell(null, first);
    const made = await calls.create(first);
    if (!made.ok || first.ttl === record.ttl) return made;
    const mended = await followingUp(tell(first, record).then(() => calls.update(made.value, record)));
    if (mended.ok) return made;
    const undone = await followingUp(announceUndo().then(() => calls.remove(made.value)));
    if (!undone.ok) throw new ProviderError(undone.message, "unknown", { answered: true, refusal: mended.message });
    return mended;
  };
  return {
    apply: {
      create: (record) => create(record, announce),
      update: (id, record) => announce(known.get(id) ?? null, record).then(() => calls.update(id, record)),
      remove: (id) => announce(known.get(id) ?? null, null).then(() => calls.remove(id)),
    },
    undo: {
      create: (record) => create(record, announceUndo),
      update: (id, record) => announceUndo().then(() => calls.update(id, record)),
      remove: (id) => announceUndo().then(() => calls.remove(id)),
    },
  };
}

function changeOf(before: RecordData | null, after: RecordData | null): RecordChange[] {
  if (before && after) return [{ action: "update", before, after }];
  if (before) return [{ action: "delete", before, after: null }];
  return after ? [{ action: "create", before: null, after }] : [];
}

/** Why a group was not made. */
interface GroupRefusal {
  reason: string;
  /** The steps that were refused. The group's other steps were undone or not tried. */
  steps: Set<Step>;
}

/** Undoes what one call did. */
type Undo = () => Promise<Result<unknown>>;

/**
 * Carries out groups of steps, each group whole or not at all: first deletions, then updates in place, then creations. A record that
 * moves to another RRset is deleted and created. If a step is refused, the group's finished steps are undone.
 * @param concurrency calls in flight at once; calls for one name wait for each other.
 * @returns the groups that were not made.
 * @throws ProviderError with effect `none` if nothing was done, `unknown` if it is unknown what was done.
 */
async function carryOut(
  groups: readonly StepGroup[],
  { apply, undo }: AnnouncedCalls,
  concurrency: number,
): Promise<Map<StepGroup, GroupRefusal>> {
  const run = new Run(concurrency);
  const tasks = groups.flatMap((group) => group.steps.map((step) => ({ group, step })));
  const updates = tasks.filter(({ step }) => staysInRrset(step));
  const others = tasks.filter(({ step }) => !staysInRrset(step));
  const deletions = others.filter(({ step }) => step.stored !== null);
  const creations = others.filter(({ step }) => step.after !== null);
  await run.each(deletions, async ({ stored }, done) => {
    if (stored) done(await apply.remove(stored.id), () => undo.create(stored.data));
  });
  await run.each(updates, async ({ stored, after }, done) => {
    if (stored && after) done(await apply.update(stored.id, after), () => undo.update(stored.id, stored.data));
  });
  await run.each(creations, async ({ after }, done) => {
    if (!after) return;
    const created = await apply.create(after);
    done(created, () => (created.ok ? undo.remove(created.value) : Promise.resolve(created)));
  });
  return await run.end();
}

function staysInRrset({ stored, after }: Step): boolean {
  return stored !== null && after !== null && rrsetKey(stored.data) === rrsetKey(after);
}

interface Task {
  group: StepGroup;
  step: Step;
}

/** Tracks what was done, how to undo it, and what was refused. */
class Run {
  readonly #concurrency: number;
  readonly #refusals = new Map<StepGroup, GroupRefusal>();
  readonly #done: { group: StepGroup; undo: Undo }[] = [];
  /** Why no further calls are made. */
  #failure: ProviderError | null = null;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Makes the calls of some steps, except in groups that were refused. `work` reports each call's result and how to undo it. */
  async each(
    tasks: readonly Task[],
    work: (step: Step, done: (result: Result<unknown>, undo: Undo) => void) => Promise<void>,
  ): Promise<void> {
    await inLanes(tasks, nameOf, this.#concurrency, async ({ group, step }) => {
      if (this.#refusals.has(group)) return;
      if (this.#failure) {
        this.#refuse(group, step, this.#failure.message);
        return;
      }
      try {
        await work(step, (result, undo) => {
          if (result.ok) this.#done.push({ group, undo });
          else this.#refuse(group, step, result.message);
        });
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        this.#refuse(group, step, error.message);
        if (!this.#failure || error.effect === "unknown") this.#failure = error;
      }
    });
  }

  async end(): Promise<Map<StepGroup, GroupRefusal>> {
    if (this.#failure && (this.#failure.effect === "unknown" || this.#done.length === 0)) throw this.#failure;
    for (const { group, undo } of this.#done.toReversed()) {
      const refusal = this.#refusals.get(group);
      if (refusal) await takeBack(undo, refusal.reason);
    }
    return this.#refusals;
  }

  #refuse(group: StepGroup, step: Step, reason: string): void {
    const refusal = this.#refusals.get(group) ?? { reason, steps: new Set() };
    this.#refusals.set(group, refusal);
    refusal.steps.add(step);
  }
}

/** Calls for one name wait for each other, because vendors judge a name as a whole. */
function nameOf({ step: { stored, after } }: Task): string {
  return (stored?.data ?? after)?.name ?? "";
}

/**
 * Works through items in lanes: items of one lane in order, one after the other; several lanes at once.
 * @throws what the first failing item throws, after all started work has ended.
 */
async function inLanes<T>(
  items: readonly T[],
  laneOf: (item: T) => string,
  lanesAtOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const lanes = Map.groupBy(items, laneOf).values();
  const worker = async () => {
    for (const lane of lanes) for (const item of lane) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: lanesAtOnce }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** One record that is created, deleted or becomes another. */
export interface Step {
  /** The record to delete or update; null if a record is created. */
  stored: StoredRecord | null;
  /** What it becomes; null if it is deleted. */
  after: RecordData | null;
  /** The changes that this step makes. Empty if it only gives a neighbor the TTL of its RRset. */
  changes: readonly RecordChange[];
}

/** Changes that are made whole or not at all, and their steps. */
interface StepGroup {
  changes: readonly RecordChange[];
  steps: readonly Step[];
}

/**
 * Plans the steps of changes and groups those that depend on each other. Pure.
 * @param atomic whether all changes are one group.
 */
export function planGroups(
  present: readonly StoredRecord[],
  changes: readonly RecordChange[],
  atomic: boolean,
): StepGroup[] {
  const steps = planSteps(present, changes);
  if (atomic) return [{ changes, steps }];
  const parts = connectedComponents(changes, dependenciesIn(changes));
  const groups = parts.map((part) => ({ changes: part, steps: new Array<Step>() }));
  const groupOf = new Map(groups.flatMap((group) => group.changes.map((change) => [change, group])));
  for (const step of steps) {
    const [change] = step.changes;
    const group = change && groupOf.get(change);
    if (group) group.steps.push(step);
    else groups.push({ changes: [], steps: [step] });
  }
  return groups;
}

/** Returns what ties a change to others: the records it touches, and a name at which a CNAME is created or deleted. */
function dependenciesIn(changes: readonly RecordChange[]): (change: RecordChange) => string[] {
  const records = changes.flatMap(recordsOf);
  const cnames = new Set(records.flatMap(({ recordType, name }) => (recordType === "CNAME" ? [name] : [])));
  return (change) => {
    const touched = recordsOf(change);
    return [...touched.map(recordKey), ...touched.map(({ name }) => name).filter((name) => cnames.has(name))];
  };
}

/**
 * Returns the fewest steps that make the changes. If one record takes the value of another (a to b while b to c), both become one step
 * (a to c), so that no order of steps creates a duplicate. Every `before` must be present, and no `after` in the way. Pure.
 */
export function planSteps(present: readonly StoredRecord[], changes: readonly RecordChange[]): Step[] {
  const stored = new Map(present.map((record) => [recordKey(record.data), record]));
  const leaving = new Map(changes.flatMap((change) => (change.before ? [[recordKey(change.before), change]] : [])));
  const coming = new Set(changes.flatMap(({ after }) => (after ? [recordKey(after)] : [])));
  const steps: Step[] = [];
  for (const start of changes) {
    if (start.before && coming.has(recordKey(start.before))) continue;
    const chain = [start];
    for (let last = start; last.after; chain.push(last)) {
      const next = leaving.get(recordKey(last.after));
      if (!next) break;
      last = next;
    }
    const from = (start.before && stored.get(recordKey(start.before))) ?? null;
    const after = chain.at(-1)?.after ?? null;
    if (from || after) steps.push({ stored: from, after, changes: chain });
  }
  // A record that one change deletes and another creates stays; only its TTL may change.
  for (const change of changes) {
    const staying = change.after && leaving.has(recordKey(change.after)) && stored.get(recordKey(change.after));
    if (staying) steps.push({ stored: staying, after: change.after, changes: [change] });
  }
  // A record that the vendor lists twice goes with all its copies.
  for (const record of present) {
    const key = recordKey(record.data);
    const change = leaving.get(key);
    if (change && !coming.has(key) && stored.get(key) !== record) {
      steps.push({ stored: record, after: null, changes: [change] });
    }
  }
  return [...steps, ...alignedNeighbors(present, changes, leaving)].filter(isNeeded);
}

/** Returns steps that give other records of the written RRsets the same TTL (RFC 2181 §5.2). */
function alignedNeighbors(
  present: readonly StoredRecord[],
  changes: readonly RecordChange[],
  leaving: ReadonlyMap<string, RecordChange>,
): Step[] {
  const ttls = new Map(changes.flatMap(({ after }) => (after ? [[rrsetKey(after), after.ttl]] : [])));
  return present.flatMap((stored) => {
    const ttl = ttls.get(rrsetKey(stored.data));
    if (ttl === undefined || leaving.has(recordKey(stored.data))) return [];
    return [{ stored, after: { ...stored.data, ttl }, changes: [] }];
  });
}

function isNeeded({ stored, after }: Step): boolean {
  return !stored || !after || recordKey(stored.data) !== recordKey(after) || stored.data.ttl !== after.ttl;
}
