import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type BeforeCall,
  type ChangeOutcome,
  type DnsProvider,
  type RecordChange,
} from "../dns-providers/provider.ts";
import { allOrNone } from "../dns-providers/applying/change-outcomes.ts";
import { inverse } from "../dns-providers/applying/inverse.ts";
import { isCertain } from "./certainty.ts";
import { begunIn, outcomesIn, provenOurs, readServed } from "./read-back.ts";

/** What a call is made with beside what the provider is told. */
export interface CallOptions extends ApplyOptions {
  /** Somebody looks again later: what may still be carried out, or shown, is left unknown. Else what is read at once decides. */
  mayStayOpen?: boolean;
}

/** How what was made is taken back. */
export interface TakingBack {
  /** Whether the change with this index was made by us; what is not proven to be stays. */
  isOurs: (index: number) => boolean;
  /** Whether the change with this index may be made although the zone does not show it; none when left out. */
  mayBeMade?: (index: number) => boolean;
  mayStayOpen?: boolean;
  /** Whether the provider signs the zone. */
  signed?: boolean;
  beforeCall?: BeforeCall | undefined;
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
  const { mayStayOpen = false, beforeCall } = options;
  const { interruption, ours, unseen, signed, ...found } = await applyAndLook(provider, zone, changes, options);
  const taking: TakingBack = {
    isOurs: (index) => ours?.[index] ?? true,
    mayBeMade: (index) => unseen?.[index] ?? false,
    mayStayOpen,
    signed: signed ?? options.signed ?? false,
    beforeCall,
  };
  const answer = await putBack(provider, zone, changes, found, taking);
  const result = options.together ? await allOrTakenBack(provider, zone, changes, answer, taking) : answer;
  if (interruption && nothingMade(result.outcomes)) {
    throw new ProviderError(interruption.refusal ?? interruption.message, "none", { cause: interruption });
  }
  return result;
}

function nothingMade(outcomes: readonly ChangeOutcome[]): boolean {
  return outcomes.every((outcome) => !outcome.ok && !outcome.gone);
}

/** Gives records back that an interrupted update of ours took away and did not replace. What cannot be had back now is told as gone. @throws as `callProvider` */
export async function putBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  answer: ApplyResult,
  taking: TakingBack,
): Promise<ApplyResult> {
  const lost = changes.flatMap(({ before }, index) => {
    const outcome = answer.outcomes[index];
    return before && outcome && !outcome.ok && outcome.gone && taking.isOurs(index) ? [{ before, index }] : [];
  });
  if (lost.length === 0) return answer;
  const creates = lost.map(({ before }) => ({ action: "create", before: null, after: before }) as const);
  const back = await takeBack(provider, zone, creates, answer.after, taking);
  const outcomes = [...answer.outcomes];
  for (const [place, { index }] of lost.entries()) {
    if (back?.outcomes[place]?.ok)
      outcomes[index] = { ok: false, message: "The change was interrupted and has been taken back." };
  }
  return { ...answer, outcomes, after: back && back.before === answer.after ? back.after : null };
}

/**
 * Takes back what was made of changes of which all or none are to be. What cannot be taken back now, or may be what somebody else did, stays
 * and is told. @throws as `callProvider`
 */
export async function allOrTakenBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  answer: ApplyResult,
  taking: TakingBack,
): Promise<ApplyResult> {
  const indexed = changes.map((change, index) => ({ change, index }));
  const made = indexed.filter(({ index }) => answer.outcomes[index]?.ok);
  const unseen = indexed.filter(({ index }) => !answer.outcomes[index]?.ok && taking.mayBeMade?.(index));
  if (made.length + unseen.length === 0 || made.length === changes.length) return answer;
  const ours = made.filter(({ index }) => taking.isOurs(index));
  const mine = [...ours, ...unseen];
  const back = mine.map(({ change }) => inverse(change));
  const undone = back.length === 0 ? null : await takeBack(provider, zone, back, answer.after, taking);
  const takenBack = new Set(mine.flatMap(({ index }, place) => (undone?.outcomes[place]?.ok ? [index] : [])));
  const refused = allOrNone(answer.outcomes);
  const told = ours.length === made.length ? "" : othersStay;
  return {
    ...answer,
    outcomes: answer.outcomes.map((outcome, index) => {
      if (outcome.ok && !takenBack.has(index)) return outcome;
      const now = refused[index] ?? outcome;
      return now.ok ? now : { ...now, message: now.message + told };
    }),
    after: back.length === 0 ? answer.after : undone && undone.before === answer.after ? undone.after : null,
  };
}

const othersStay = " What else of the set is in the zone may have been made by somebody else, and was left as it is.";

/** Null where it cannot be done now: then what was made stays. @throws ProviderError when it may have been done */
async function takeBack(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  plannedOn: string | null,
  { mayStayOpen = false, signed = false, beforeCall }: TakingBack,
): Promise<ApplyResult | null> {
  try {
    const announce = beforeCall && { beforeCall: () => beforeCall([]) };
    return await applyAndLook(provider, zone, changes, { plannedOn, mayStayOpen, signed, undoes: true, ...announce });
  } catch (error) {
    if (error instanceof ProviderError && error.effect === "none") return null;
    throw error;
  }
}

interface Looked extends ApplyResult {
  /** Why the answer had to be read from the zone. */
  interruption?: ProviderError;
  /** Which of what is there then is proven to be ours. */
  ours?: boolean[];
  /** Which of what is not there may be made nevertheless. */
  unseen?: boolean[];
  /** Whether that reading shows that the provider signs the zone. */
  signed?: boolean;
}

async function applyAndLook(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  { mayStayOpen, beforeCall, ...options }: CallOptions,
): Promise<Looked> {
  const calls: (readonly RecordChange[])[] = [];
  const noting: BeforeCall = async (does) => {
    await beforeCall?.(does);
    if (does.length > 0) calls.push(does);
  };
  try {
    return await provider.applyChanges(zone, changes, { ...options, beforeCall: noting });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.effect === "none") throw error;
    const read = await readServed(provider, zone, [...changes, ...calls.flat()]).catch(() => null);
    if (read === null) throw error;
    const { served, signed } = read;
    const outcomes = outcomesIn(served, changes, error.refusal ?? undefined);
    const isSettled = isCertain(provider, error, read, outcomes);
    if (mayStayOpen && !isSettled) throw error;
    const mayCome = signed && !isSettled;
    if (nothingMade(outcomes) && !mayCome) throw new ProviderError(error.message, "none", { cause: error });
    return {
      outcomes,
      before: null,
      after: null,
      interruption: error,
      ours: provenOurs(served, changes, calls),
      signed,
      ...(mayCome ? { unseen: begunIn(changes, calls) } : {}),
    };
  }
}
