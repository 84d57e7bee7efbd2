import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type RecordChange,
} from "../dns-providers/provider.ts";
import { allOrNone } from "../dns-providers/apply-changes.ts";
import { isCertain } from "./certainty.ts";
import { readBack } from "./read-back.ts";

/** What a call is made with beside what the provider is told. */
export interface CallOptions extends ApplyOptions {
  /** Somebody looks again later: what may still be carried out, or shown, is left unknown. Else what is read at once decides. */
  mayStayOpen?: boolean;
}

/**
 * Has a provider carry changes out, and finds out what it did where it cannot say. Where all or none are to be made and only some were, those
 * are taken back: not every provider does a whole set in one step.
 * @throws ProviderError with effect `none` when nothing was changed, `unknown` when nobody can say yet
 */
export async function callProvider(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  options: CallOptions,
): Promise<ApplyResult> {
  const { mayStayOpen = false } = options;
  const { interruption, ...found } = await applyAndLook(provider, zone, changes, options);
  const answer = await putBack(provider, zone, changes, found, mayStayOpen);
  const result = options.together ? await allOrTakenBack(provider, zone, changes, answer, mayStayOpen) : answer;
  if (interruption && result.outcomes.every((outcome) => !outcome.ok && !outcome.gone)) {
    throw new ProviderError(interruption.message, "none", { cause: interruption });
  }
  return result;
}

/** Gives records back that an interrupted update took away and did not replace. What cannot be had back now is told as gone. @throws as `callProvider` */
export async function putBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  answer: ApplyResult,
  mayStayOpen = false,
): Promise<ApplyResult> {
  const lost = changes.flatMap(({ before }, index) => {
    const outcome = answer.outcomes[index];
    return before && outcome && !outcome.ok && outcome.gone ? [{ before, index }] : [];
  });
  if (lost.length === 0) return answer;
  const creates = lost.map(({ before }) => ({ action: "create", before: null, after: before }) as const);
  const back = await takeBack(provider, zone, creates, { plannedOn: answer.after, mayStayOpen });
  const outcomes = [...answer.outcomes];
  for (const [place, { index }] of lost.entries()) {
    if (back?.outcomes[place]?.ok)
      outcomes[index] = { ok: false, message: "The change was interrupted and has been taken back." };
  }
  return { outcomes, before: answer.before, after: back && back.before === answer.after ? back.after : null };
}

/** Takes back what was made of changes of which all or none are to be. What cannot be taken back now stays, and is told. @throws as `callProvider` */
export async function allOrTakenBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  answer: ApplyResult,
  mayStayOpen = false,
): Promise<ApplyResult> {
  const made = changes.flatMap((change, index) => (answer.outcomes[index]?.ok ? [{ change, index }] : []));
  if (made.length === 0 || made.length === changes.length) return answer;
  const back = made.map(({ change }) => inverse(change));
  const undone = await takeBack(provider, zone, back, { plannedOn: answer.after, mayStayOpen });
  const staying = new Set(made.flatMap(({ index }, place) => (undone?.outcomes[place]?.ok ? [] : [index])));
  const refused = allOrNone(answer.outcomes);
  return {
    outcomes: answer.outcomes.map((outcome, index) => (staying.has(index) ? outcome : (refused[index] ?? outcome))),
    before: answer.before,
    after: undone && undone.before === answer.after ? undone.after : null,
  };
}

/** Null where it cannot be done now: then what was made stays. @throws ProviderError when it may have been done */
async function takeBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  options: CallOptions,
): Promise<ApplyResult | null> {
  try {
    return await applyAndLook(provider, zone, changes, options);
  } catch (error) {
    if (error instanceof ProviderError && error.effect === "none") return null;
    throw error;
  }
}

/** `interruption`: why the answer had to be read from the zone. */
async function applyAndLook(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  { mayStayOpen, ...options }: CallOptions,
): Promise<ApplyResult & { interruption?: ProviderError }> {
  try {
    return await provider.applyChanges(zone, changes, options);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.effect === "none") throw error;
    const outcomes = await readBack(provider, zone, changes).catch(() => null);
    if (outcomes === null || (mayStayOpen && !isCertain(provider, error, outcomes))) throw error;
    const nothing = outcomes.every((outcome) => !outcome.ok && !outcome.gone);
    if (nothing) throw new ProviderError(error.message, "none", { cause: error });
    return { outcomes, before: null, after: null, interruption: error };
  }
}

function inverse({ before, after }: RecordChange): RecordChange {
  if (before === null) return { action: "delete", before: after, after: null };
  if (after === null) return { action: "create", before: null, after: before };
  return { action: "update", before: after, after: before };
}
