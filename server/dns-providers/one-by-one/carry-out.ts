import { rrsetKey } from "../../dns/record.ts";
import type { Result } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";
import { takeBack } from "../applying/take-back.ts";
import { inLanes } from "./lanes.ts";
import type { Step } from "./plan-steps.ts";
import type { WatchedCalls } from "./watched-calls.ts";

/** Calls at once; those for one name wait for each other. */
const atOnce = 4;

/** Undoes what one call did. */
type Undo = () => Promise<Result<unknown>>;

/**
 * Carries steps out: first what goes, then what changes in its place, then what comes. A record that moves to another RRset goes and
 * comes, and is put back where its coming is refused.
 * @param together on a refusal everything that was done is taken back.
 * @returns the steps that were not done, with the reasons.
 * @throws ProviderError with effect `none` where nothing was done, `unknown` where it cannot say what was.
 */
export async function carryOut(
  steps: readonly Step[],
  { forth, back }: WatchedCalls,
  together: boolean,
): Promise<Map<Step, string>> {
  const run = new Run(together);
  const changing = steps.filter(staysInRrset);
  const others = steps.filter((step) => !staysInRrset(step));
  const going = others.filter(({ stored }) => stored !== null);
  await run.each(going, async (step) => {
    const { stored } = step;
    if (stored) run.note(step, await forth.remove(stored.id), () => back.create(stored.data));
  });
  await run.each(changing, async (step) => {
    const { stored, after } = step;
    if (stored && after)
      run.note(step, await forth.update(stored.id, after), () => back.update(stored.id, stored.data));
  });
  const coming = others.filter(({ after }) => after !== null);
  await run.each(coming, async (step) => {
    if (!step.after) return;
    const created = await forth.create(step.after);
    run.note(step, created, () => (created.ok ? back.remove(created.value) : Promise.resolve(created)));
  });
  return await run.end();
}

/** Whether a step changes a record in its place. */
function staysInRrset({ stored, after }: Step): boolean {
  return stored !== null && after !== null && rrsetKey(stored.data) === rrsetKey(after);
}

/** What was done so far and how to take it back, and what was refused. */
class Run {
  readonly #together: boolean;
  readonly #refused = new Map<Step, string>();
  readonly #done: { step: Step; undo: Undo }[] = [];
  /** Why there are no further calls. */
  #stopped: string | null = null;
  #failure: ProviderError | null = null;

  constructor(together: boolean) {
    this.#together = together;
  }

  /** What became of a call. */
  note(step: Step, result: Result<unknown>, undo: Undo): void {
    if (result.ok) {
      this.#done.push({ step, undo });
      return;
    }
    this.#refused.set(step, result.message);
    if (this.#together) this.#stopped ??= result.message;
  }

  /** Works on the steps of which nothing was refused yet. */
  async each(steps: readonly Step[], work: (step: Step) => Promise<void>): Promise<void> {
    await inLanes(steps, laneOf, atOnce, async (step) => {
      if (this.#refused.has(step)) return;
      if (this.#stopped !== null) {
        this.#refused.set(step, this.#stopped);
        return;
      }
      try {
        await work(step);
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        this.#refused.set(step, error.message);
        this.#stopped ??= error.message;
        if (!this.#failure || error.effect === "unknown") this.#failure = error;
      }
    });
  }

  async end(): Promise<Map<Step, string>> {
    if (this.#failure && (this.#failure.effect === "unknown" || this.#done.length === 0)) throw this.#failure;
    const [reason] = this.#refused.values();
    if (reason === undefined) return this.#refused;
    // What left its place and was not let in elsewhere goes back in any case.
    const undone = this.#done.filter(({ step }) => this.#together || this.#refused.has(step)).toReversed();
    for (const { undo } of undone) await takeBack(undo, reason);
    return this.#refused;
  }
}

/** Steps of one name wait for each other: vendors judge a name as a whole. */
function laneOf({ stored, after }: Step): string {
  return (stored?.data ?? after)?.name ?? "";
}
