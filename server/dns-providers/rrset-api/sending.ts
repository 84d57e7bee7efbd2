import { rrsetKey } from "../../dns/record.ts";
import { notDone, recordsOf } from "../applying/apply-to-records.ts";
import { inBatches, takeBack } from "../applying/batches.ts";
import { ProviderError, type BeforeCall, type RecordChange } from "../provider.ts";
import type { RrsetAccount, RrsetStep, Written } from "./account.ts";
import { inverse, type StepGroup } from "./steps.ts";

/** Where steps are sent. */
export interface Sending {
  account: RrsetAccount;
  zone: string;
  beforeCall: BeforeCall;
}

/** What became of steps that were sent; a change without a refusal was made. */
interface Sent {
  refusals: ReadonlyMap<RecordChange, string>;
  /** What the calls returned for `isSettled`. */
  refs: string[];
}

type Refusal = Extract<Written, { ok: false }>;

/** A failure of our own in a call. It is unknown what the call did, but nothing is in flight, so that others can be undone. */
class InterruptedError extends ProviderError {}

/** Waits for a call of an account. @throws ProviderError for any failure */
async function answerOf({ vendor }: RrsetAccount, call: () => Promise<Written> | null | undefined): Promise<Written> {
  try {
    return (await call()) ?? { ok: false, message: "it has no such call" };
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw new InterruptedError(`A call to ${vendor} was interrupted by an internal error.`, "unknown", {
      cause: error,
    });
  }
}

/** Returns a refusal as a sentence. */
function reasonOf(
  { vendor }: RrsetAccount,
  { message, isStale = false }: Pick<Refusal, "message" | "isStale">,
): string {
  const advice = isStale ? " Someone else changed the record there; sync the zone first." : "";
  return `${vendor} refused the change: ${message}${advice}`;
}

/** Returns the steps of groups in the order that any vendor takes: deletions, replacements, creations. */
function inOrder(groups: readonly StepGroup[]): RrsetStep[] {
  const steps = groups.flatMap((group) => group.steps);
  return phases.flatMap((isNext) => steps.filter(isNext));
}

const phases: readonly ((step: RrsetStep) => boolean)[] = [
  ({ after }) => after === null,
  ({ before, after }) => before !== null && after !== null,
  ({ before }) => before === null,
];

/**
 * Sends groups by `apply`, as many in a call as the vendor takes. A refused call changed nothing: without `atomic`, the groups at fault are
 * left out and the rest is sent again; with it, the calls before are undone.
 * @throws ProviderError with effect `none` if nothing was done, `unknown` if it is unknown what was done
 */
export async function sendInBatches(sending: Sending, groups: readonly StepGroup[], atomic: boolean): Promise<Sent> {
  const batches = new Batches(sending);
  await (atomic ? batches.sendAtomic(groups) : batches.sendEach(groups));
  return batches;
}

class Batches implements Sent {
  readonly refusals = new Map<RecordChange, string>();
  readonly refs: string[] = [];
  readonly #sending: Sending;

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  async sendEach(groups: readonly StepGroup[]): Promise<void> {
    const queue = this.#batchesOf(this.#withoutLarge(groups));
    let sent = false;
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      try {
        const answer = await this.#send(batch);
        if (answer.ok) sent = true;
        else queue.unshift(...this.#refusePart(batch, answer));
      } catch (error) {
        if (!(error instanceof ProviderError) || error.effect !== "none" || !sent) throw error;
        // Earlier batches stand; the rest was not made.
        for (const group of [batch, ...queue].flat()) this.#refuse(group, error.message);
        return;
      }
    }
  }

  async sendAtomic(groups: readonly StepGroup[]): Promise<void> {
    if (this.#withoutLarge(groups).length < groups.length) {
      this.#refuseRest(groups);
      return;
    }
    const batches = this.#batchesOf(groups);
    for (const [index, batch] of batches.entries()) {
      const done = batches.slice(0, index);
      const answer = await this.#sendOrUndo(batch, done);
      if (answer.ok) continue;
      await this.#undo(done, reasonOf(this.#sending.account, answer));
      const named = batch.filter((group) => faultOf(group, answer) !== undefined);
      for (const group of named.length > 0 ? named : batch) this.#refuse(group, this.#reasonFor(group, answer));
      this.#refuseRest(groups);
      return;
    }
  }

  /** Refuses the groups at fault. @returns the batches to send again; the halves of the batch if none is named */
  #refusePart(batch: readonly StepGroup[], answer: Refusal): StepGroup[][] {
    const named = batch.length === 1 ? batch : batch.filter((group) => faultOf(group, answer) !== undefined);
    for (const group of named) this.#refuse(group, this.#reasonFor(group, answer));
    const rest = batch.filter((group) => !named.includes(group));
    const middle = named.length > 0 ? 0 : rest.length / 2;
    return [rest.slice(0, middle), rest.slice(middle)].filter((part) => part.length > 0);
  }

  /** Refuses groups that are too large for a call. @returns the others */
  #withoutLarge(groups: readonly StepGroup[]): StepGroup[] {
    const { vendor, callLimits } = this.#sending.account;
    if (!callLimits) return [...groups];
    const isLarge = (group: StepGroup) =>
      this.#sizesOf(group).some((size, measure) => size > (callLimits.most[measure] ?? 0));
    for (const group of groups.filter(isLarge)) {
      this.#refuse(
        group,
        `${vendor} accepts at most ${callLimits.words} per call, and this change needs more. Change fewer of its records at once.`,
      );
    }
    return groups.filter((group) => !isLarge(group));
  }

  #batchesOf(groups: readonly StepGroup[]): StepGroup[][] {
    const some = groups.filter(({ steps }) => steps.length > 0);
    return inBatches(some, (group) => this.#sizesOf(group), this.#sending.account.callLimits?.most ?? []);
  }

  #sizesOf({ steps }: StepGroup): number[] {
    const { callLimits } = this.#sending.account;
    const sizes = steps.map((step) => callLimits?.sizesOf(step) ?? []);
    return (callLimits?.most ?? []).map((_, measure) => sizes.reduce((sum, size) => sum + (size[measure] ?? 0), 0));
  }

  async #send(batch: readonly StepGroup[]): Promise<Written> {
    await this.#sending.beforeCall(batch.flatMap(({ changes }) => changes));
    return await this.#apply(inOrder(batch));
  }

  async #apply(steps: readonly RrsetStep[]): Promise<Written> {
    const { account, zone } = this.#sending;
    const answer = await answerOf(account, () => account.apply?.(zone, steps));
    if (answer.ok && answer.ref !== undefined) this.refs.push(answer.ref);
    return answer;
  }

  async #sendOrUndo(batch: readonly StepGroup[], done: readonly StepGroup[][]): Promise<Written> {
    try {
      return await this.#send(batch);
    } catch (error) {
      const isOver = error instanceof InterruptedError || (error instanceof ProviderError && error.effect === "none");
      if (isOver) await this.#undo(done, error.message);
      throw error;
    }
  }

  async #undo(done: readonly StepGroup[][], reason: string): Promise<void> {
    for (const batch of done.toReversed()) {
      await takeBack(async () => {
        await this.#sending.beforeCall([]);
        return await this.#apply(
          inOrder(batch)
            .map((step) => inverse(step))
            .toReversed(),
        );
      }, reason);
    }
  }

  #reasonFor(group: StepGroup, answer: Refusal): string {
    const message = faultOf(group, answer) ?? answer.message;
    return reasonOf(this.#sending.account, { message, isStale: answer.isStale });
  }

  #refuse({ changes }: StepGroup, message: string): void {
    for (const change of changes) this.refusals.set(change, message);
  }

  /** Refuses the groups of an atomic set that are not at fault. */
  #refuseRest(groups: readonly StepGroup[]): void {
    const [reason = ""] = this.refusals.values();
    for (const group of groups) {
      if (group.changes.some((change) => !this.refusals.has(change))) this.#refuse(group, notDone(reason));
    }
  }
}

function faultOf({ steps }: StepGroup, { faults }: Refusal): string | undefined {
  const step = steps.find((one) => faults?.has(one));
  return step && faults?.get(step);
}

/** Calls in flight at once, unless an account says otherwise. */
const usualConcurrency = 4;

/**
 * Sends groups by `put` and `remove`, one RRset per call: deletions, then replacements, then creations. Calls for one name wait for each
 * other, because vendors judge a name as a whole. If a step is refused, its group's finished steps are undone.
 * @throws ProviderError with effect `none` if nothing was done, `unknown` if it is unknown what was done
 */
export async function sendOneByOne(sending: Sending, groups: readonly StepGroup[]): Promise<Sent> {
  const run = new Run(sending);
  for (const isNext of phases) {
    await run.each(groups.flatMap((group) => group.steps.filter(isNext).map((step) => ({ group, step }))));
  }
  return await run.end();
}

interface Task {
  group: StepGroup;
  step: RrsetStep;
}

/** Tracks what was done, how to undo it, and what was refused. */
class Run {
  readonly #sending: Sending;
  readonly #refused = new Map<StepGroup, { reason: string; steps: Set<RrsetStep> }>();
  readonly #done: { group: StepGroup; undo: RrsetStep }[] = [];
  readonly #refs: string[] = [];
  /** Why no further calls are made. */
  #failure: ProviderError | null = null;

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  async each(tasks: readonly Task[]): Promise<void> {
    const lanes = Map.groupBy(tasks, ({ step }) => step.name).values();
    const worker = async () => {
      for (const lane of lanes) for (const task of lane) await this.#take(task);
    };
    const { concurrency = usualConcurrency } = this.#sending.account;
    const ends = await Promise.allSettled(Array.from({ length: concurrency }, worker));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  async #take({ group, step }: Task): Promise<void> {
    if (this.#refused.has(group)) return;
    if (this.#failure) {
      this.#refuse(group, step, this.#failure.message);
      return;
    }
    try {
      const answer = await this.#send(step, step.does);
      if (answer.ok) this.#done.push({ group, undo: inverse(step, answer.tag) });
      else this.#refuse(group, step, reasonOf(this.#sending.account, answer));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#refuse(group, step, error.message);
      if (!this.#failure || error.effect === "unknown") this.#failure = error;
    }
  }

  async #send(step: RrsetStep, does: readonly RecordChange[]): Promise<Written> {
    const { account, zone, beforeCall } = this.#sending;
    await beforeCall(does);
    const { before, after } = step;
    const answer = await answerOf(account, () =>
      after ? account.put?.(zone, { ...step, after }) : before && account.remove?.(zone, { ...step, before }),
    );
    if (answer.ok && answer.ref !== undefined) this.#refs.push(answer.ref);
    return answer;
  }

  #refuse(group: StepGroup, step: RrsetStep, reason: string): void {
    const refusal = this.#refused.get(group) ?? { reason, steps: new Set() };
    this.#refused.set(group, refusal);
    refusal.steps.add(step);
  }

  async end(): Promise<Sent> {
    const failure = this.#failure;
    const isOver = failure?.effect === "none" || failure instanceof InterruptedError;
    if (failure && (!isOver || this.#done.length === 0)) throw failure;
    for (const { group, undo } of this.#done.toReversed()) {
      const refusal = this.#refused.get(group);
      if (refusal) await takeBack(() => this.#send(undo, []), refusal.reason);
    }
    if (failure instanceof InterruptedError) throw failure;
    const refusals = new Map<RecordChange, string>();
    for (const [{ changes }, { reason, steps }] of this.#refused) {
      const keys = new Set([...steps].map(rrsetKey));
      const isAtFault = (change: RecordChange) => recordsOf(change).some((record) => keys.has(rrsetKey(record)));
      for (const change of changes) refusals.set(change, isAtFault(change) ? reason : notDone(reason));
    }
    return { refusals, refs: this.#refs };
  }
}
