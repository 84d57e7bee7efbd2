import {
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type BeforeCall,
  type ChangeOutcome,
  type DnsProvider,
  type RecordChange,
} from "../../dns-providers/provider.ts";
import { allOrNone, inverse, recordsOf } from "../../dns-providers/applying/apply-to-records.ts";
import { recordKey, rrsetKey, sameData, type RecordData } from "../../dns/record.ts";
import type { ZoneSigning } from "../../dns/zone-file/type-names.ts";

/** Options of `callProvider` besides those that the provider gets. */
interface CallOptions extends ApplyOptions {
  /** Whether the outcome may stay unknown because a repair reads it back later. Otherwise what is read at once decides. */
  mayStayOpen?: boolean;
}

/** The changes that a provider was called with. */
interface Call {
  provider: DnsProvider;
  zone: string;
  changes: readonly RecordChange[];
}

/** How changes that were made are taken back. */
interface TakingBack {
  /** Whether the change with this index was made by us. One that is not proven to be ours stays. */
  isOurs: (index: number) => boolean;
  /** Whether the change with this index may still be made although the zone does not show it. Left out: none. */
  mayBeMade?: (index: number) => boolean;
  mayStayOpen?: boolean;
  /** Whether the provider signs the zone. */
  signed?: boolean;
  beforeCall?: BeforeCall | undefined;
}

/**
 * Has a provider make changes, and reads the zone back where the provider cannot say what it did. If an atomic set was made only in part,
 * that part is taken back: not every provider makes a whole set in one step.
 * @throws ProviderError with effect `none` when nothing was changed, `unknown` when the outcome is not known yet
 */
export async function callProvider(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
  options: CallOptions,
): Promise<ApplyResult> {
  const { mayStayOpen = false, beforeCall } = options;
  const call = { provider, zone, changes };
  const { interruption, ours, unseen, retimed = [], signed, ...found } = await applyAndRead(call, options);
  const taking: TakingBack = {
    isOurs: (index) => ours?.[index] ?? true,
    mayBeMade: (index) => unseen?.[index] ?? false,
    mayStayOpen,
    signed: signed ?? options.signed ?? false,
    beforeCall,
  };
  const answer = await putTtlsBack(call, await putBack(call, found, retimed, taking), retimed, taking);
  const result = options.atomic ? await allOrTakenBack(call, answer, taking) : answer;
  if (interruption && nothingMade(result.outcomes)) {
    const why = interruption.refusal ?? interruption.message;
    const left = [ttlLeft, recordLeft].filter((note) =>
      answer.outcomes.some((outcome) => !outcome.ok && outcome.message === note),
    );
    throw new ProviderError([why, ...left].join(" "), "none", { cause: interruption });
  }
  if (interruption) await provider.publish?.(zone);
  return result;
}

function nothingMade(outcomes: readonly ChangeOutcome[]): boolean {
  return outcomes.every((outcome) => !outcome.ok && !outcome.gone);
}

const takenBack = "The change was interrupted and has been taken back.";
const ttlLeft = "Only the new TTL of the change was set, and could not be taken back.";
const recordLeft = "The new record was created with another TTL, and could not be taken back.";
const mayBeLeft = "The new record may still be there with another TTL.";

/**
 * Restores the TTL of records where nothing else of their change was made, and deletes new ones that lack theirs: some vendors set a TTL by a
 * call of its own. All records of an RRset share its TTL, so changes of their TTLs are taken back with it. What cannot be taken back now is
 * reported.
 * @param answer what `putBack` left @param retimed as `retimedOnly` returns them @throws as `callProvider`
 */
export async function putTtlsBack(
  call: Call,
  answer: ApplyResult,
  found: readonly Retimed[],
  taking: TakingBack,
): Promise<ApplyResult> {
  const retimed = found.filter(({ index }) => !isPutBack(answer.outcomes[index]));
  if (retimed.length === 0) return answer;
  const changes = retimed.map(({ effect }) => inverse(effect));
  const back = await takeBack({ ...call, changes }, answer.after, taking);
  const outcomes = [...answer.outcomes];
  for (const [position, { index, effect }] of retimed.entries()) {
    const isBack = back?.outcomes[position]?.ok ?? false;
    const now = outcomes[index];
    if (now && !now.ok && now.gone) {
      if (!isBack) outcomes[index] = { ...now, message: `${now.message} ${mayBeLeft}` };
      continue;
    }
    outcomes[index] = { ok: false, message: isBack ? takenBack : effect.before ? ttlLeft : recordLeft };
  }
  const restored = new Set(
    retimed.flatMap(({ effect }, position) =>
      effect.before && back?.outcomes[position]?.ok ? [rrsetKey(effect.before)] : [],
    ),
  );
  for (const [index, { before, after }] of call.changes.entries()) {
    const isTtl = before && after && recordKey(before) === recordKey(after) && before.ttl !== after.ttl;
    if (isTtl && outcomes[index]?.ok && restored.has(rrsetKey(before)))
      outcomes[index] = { ok: false, message: takenBack };
  }
  return { ...answer, outcomes, after: back && back.before === answer.after ? back.after : null };
}

function isPutBack(outcome: ChangeOutcome | undefined): boolean {
  return outcome !== undefined && !outcome.ok && outcome.message === takenBack;
}

/** A change that reached the zone only with its TTL, or without it, and what set the TTL that is there. */
interface Retimed {
  /** The index of the change. */
  index: number;
  effect: RecordChange;
}

/**
 * Returns the changes that set a TTL and nothing else before they were interrupted, and those that created a record without setting its TTL,
 * also in place of one that they deleted. Pure. @param calls what each started call was to do
 */
export function retimedOnly(
  served: ServedRecords,
  changes: readonly RecordChange[],
  outcomes: readonly ChangeOutcome[],
  calls: readonly (readonly RecordChange[])[],
): Retimed[] {
  const effects = new Map(
    calls.flat().flatMap((effect) => {
      const { before, after } = effect;
      return before && after && recordKey(before) === recordKey(after) ? [[recordKey(before), effect] as const] : [];
    }),
  );
  const creations = new Map(
    calls
      .flat()
      .flatMap((effect) => (effect.after && !effect.before ? [[recordKey(effect.after), effect] as const] : [])),
  );
  return changes.flatMap(({ before, after }, index) => {
    const outcome = outcomes[index];
    if (!outcome || outcome.ok) return [];
    const isNew = after && (!before || recordKey(before) !== recordKey(after));
    const touched = [
      ...(before && !outcome.gone ? [{ record: before, made: effects }] : []),
      ...(isNew ? [{ record: after, made: creations }] : []),
    ];
    for (const { record, made } of touched) {
      const effect = made.get(recordKey(record));
      const ttl = served.get(recordKey(record))?.ttl;
      if (effect && ttl === effect.after?.ttl && ttl !== record.ttl) return [{ index, effect }];
    }
    return [];
  });
}

/**
 * Restores records that an interrupted update of ours deleted and did not replace, or replaced by one without its TTL. One that cannot be
 * restored now is reported as gone. @param retimed as `retimedOnly` returns them @throws as `callProvider`
 */
export async function putBack(
  call: Call,
  answer: ApplyResult,
  retimed: readonly Retimed[],
  taking: TakingBack,
): Promise<ApplyResult> {
  const replacements = new Map(retimed.map(({ index, effect }) => [index, effect.after]));
  const lost = call.changes.flatMap(({ before }, index) => {
    const outcome = answer.outcomes[index];
    return before && outcome && !outcome.ok && outcome.gone && taking.isOurs(index) ? [{ before, index }] : [];
  });
  if (lost.length === 0) return answer;
  const changes = lost.map(({ before, index }): RecordChange => {
    const replacement = replacements.get(index);
    return replacement
      ? { action: "update", before: replacement, after: before }
      : { action: "create", before: null, after: before };
  });
  const back = await takeBack({ ...call, changes }, answer.after, taking);
  const outcomes = [...answer.outcomes];
  for (const [position, { index }] of lost.entries()) {
    if (back?.outcomes[position]?.ok) outcomes[index] = { ok: false, message: takenBack };
  }
  return { ...answer, outcomes, after: back && back.before === answer.after ? back.after : null };
}

/**
 * Takes back what was made of an atomic set that was made only in part. What cannot be taken back now, or may be somebody else's, stays and
 * is reported. @throws as `callProvider`
 */
export async function allOrTakenBack(call: Call, answer: ApplyResult, taking: TakingBack): Promise<ApplyResult> {
  const { changes } = call;
  const indexed = changes.map((change, index) => ({ change, index }));
  const made = indexed.filter(({ index }) => answer.outcomes[index]?.ok);
  const unseen = indexed.filter(({ index }) => !answer.outcomes[index]?.ok && taking.mayBeMade?.(index));
  if (made.length + unseen.length === 0 || made.length === changes.length) return answer;
  const ours = made.filter(({ index }) => taking.isOurs(index));
  const mine = [...ours, ...unseen];
  const back = mine.map(({ change }) => inverse(change));
  const undone = back.length === 0 ? null : await takeBack({ ...call, changes: back }, answer.after, taking);
  const backAgain = new Set(mine.flatMap(({ index }, position) => (undone?.outcomes[position]?.ok ? [index] : [])));
  const refused = allOrNone(answer.outcomes);
  const note = ours.length === made.length ? "" : othersStay;
  return {
    ...answer,
    outcomes: answer.outcomes.map((outcome, index) => {
      if (outcome.ok && !backAgain.has(index)) return outcome;
      const now = refused[index] ?? outcome;
      return now.ok ? now : { ...now, message: now.message + note };
    }),
    after: back.length === 0 ? answer.after : undone && undone.before === answer.after ? undone.after : null,
  };
}

const othersStay =
  " Other changes of the set that are in the zone may have been made by somebody else and were left in place.";

/** Makes changes that undo others. Null when that is impossible now; what was made then stays. @throws ProviderError when it may have been done */
async function takeBack(
  { provider, zone, changes }: Call,
  plannedOn: string | null,
  { mayStayOpen = false, signed = false, beforeCall }: TakingBack,
): Promise<ApplyResult | null> {
  try {
    const announce = beforeCall && { beforeCall: () => beforeCall([]) };
    return await applyAndRead(
      { provider, zone, changes },
      { plannedOn, mayStayOpen, signed, undoes: true, ...announce },
    );
  } catch (error) {
    if (error instanceof ProviderError && error.effect === "none") return null;
    throw error;
  }
}

interface AppliedAndRead extends ApplyResult {
  /** Why the outcome had to be read from the zone. */
  interruption?: ProviderError;
  /** For each change, whether it is proven to be ours. */
  ours?: boolean[];
  /** For each change that the zone does not show, whether it may still be made. */
  unseen?: boolean[];
  /** Changes that set a TTL and nothing else. */
  retimed?: Retimed[];
  /** Whether the reading shows that the provider signs the zone. */
  signed?: boolean;
}

/** Has a provider make changes; if it cannot say what it did, reads the zone. @throws as `callProvider` */
async function applyAndRead(
  { provider, zone, changes }: Call,
  { mayStayOpen, beforeCall, ...options }: CallOptions,
): Promise<AppliedAndRead> {
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
    const retimed = retimedOnly(served, changes, outcomes, calls);
    if (nothingMade(outcomes) && !mayCome && retimed.length === 0)
      throw new ProviderError(error.message, "none", { cause: error });
    return {
      outcomes,
      before: null,
      after: null,
      interruption: error,
      ours: provenOurs(served, changes, calls),
      retimed,
      signed,
      ...(mayCome ? { unseen: begunIn(changes, calls) } : {}),
    };
  }
}

/** The records in a zone that some changes are about, by `recordKey`. */
type ServedRecords = ReadonlyMap<string, RecordData>;

/** What a reading of the zone shows of some changes. */
interface ReadBack {
  served: ServedRecords;
  /** Whether the provider signs the zone. Changes may then appear with a delay. */
  signed: boolean;
}

/** Reads a zone at its provider for the records that changes are about. @throws ProviderError */
export async function readServed(
  provider: DnsProvider,
  zone: string,
  changes: readonly RecordChange[],
): Promise<ReadBack> {
  const concerned = new Set(changes.flatMap(recordsOf).map(recordKey));
  const served = new Map<string, RecordData>();
  let signed = false;
  for await (const batch of provider.readZone(zone)) {
    for (const record of batch) {
      const key = recordKey(record);
      if (concerned.has(key)) served.set(key, record);
      signed ||= record.serverManaged === true;
    }
  }
  return { served, signed };
}

/** Returns the outcomes of changes as the zone shows them. Pure. @param why the reason given for changes that were not made */
export function outcomesIn(
  served: ServedRecords,
  changes: readonly RecordChange[],
  why = "The change was interrupted and did not reach the provider.",
): ChangeOutcome[] {
  const brought = new Map(
    changes.flatMap((change) => (change.after ? [[recordKey(change.after), change] as const] : [])),
  );
  const isServed = (record: RecordData) => {
    const present = served.get(recordKey(record));
    return present !== undefined && sameData(present, record);
  };
  /** Returns the other change of the set that brings this same record. If there is one, the record being served proves nothing. */
  const replaced = (record: RecordData, by: RecordChange) => {
    const other = brought.get(recordKey(record));
    return other !== undefined && other !== by ? other : null;
  };
  const happened = (change: RecordChange): boolean => {
    const { before, after } = change;
    if (after && !isServed(after)) return false;
    if (!before || (after && recordKey(after) === recordKey(before)) || !served.has(recordKey(before))) return true;
    const other = replaced(before, change);
    return other?.after ? isServed(other.after) : false;
  };
  const done = new Set(changes.filter(happened));
  return changes.map((change): ChangeOutcome => {
    if (done.has(change)) return { ok: true };
    const { before, after } = change;
    const other = before && replaced(before, change);
    const gone = before && after && (!served.has(recordKey(before)) || (other && done.has(other)));
    return gone
      ? {
          ok: false,
          message: "The change was interrupted: the old record is gone and the new one is missing.",
          gone: true,
        }
      : { ok: false, message: why };
  });
}

/**
 * Returns, for each change, whether it is proven to be ours: a call for it was started, and the zone shows everything that this call was to
 * do, or what a later call made of it. Any other change that the zone shows may have been made by somebody else. Pure.
 * @param calls what each started call was to do, in their order. A call is carried out whole or not at all.
 */
export function provenOurs(
  served: ServedRecords,
  changes: readonly RecordChange[],
  calls: readonly (readonly RecordChange[])[],
): boolean[] {
  const effects = calls.flat();
  const outcomes = outcomesIn(served, effects);
  const shown = new Set(effects.filter((_, index) => outcomes[index]?.ok));
  const proven: (readonly RecordChange[])[] = [];
  /** Records that later calls took, and which the zone shows so. */
  const taken = new Set<string>();
  for (const call of calls.toReversed()) {
    const isShown = (effect: RecordChange) =>
      shown.has(effect) || (effect.after !== null && taken.has(recordKey(effect.after)));
    if (call.every(isShown)) proven.push(call);
    for (const effect of call.filter(isShown)) if (effect.before) taken.add(recordKey(effect.before));
  }
  return begunIn(changes, proven);
}

/** Returns, for each change, whether a started call was to make it, whatever the zone shows. Pure. */
function begunIn(changes: readonly RecordChange[], calls: readonly (readonly RecordChange[])[]): boolean[] {
  const taken = new Set(calls.flat().flatMap(({ before }) => (before ? [recordKey(before)] : [])));
  const brought = new Set(calls.flat().flatMap(({ after }) => (after ? [recordKey(after)] : [])));
  return changes.map(
    ({ before, after }) =>
      (before !== null && taken.has(recordKey(before))) || (after !== null && brought.has(recordKey(after))),
  );
}

/**
 * Returns how many seconds after a call without an answer a reading is final: what it does not show then was not done, and no longer will be.
 */
export function secondsToSettle(provider: DnsProvider, read: Pick<ReadBack, "signed">): number {
  return Math.max(provider.settlesAfterSeconds ?? 0, lagOf(provider, read));
}

/** Returns for how many seconds a reading may not show what is done. */
export function lagOf(
  { readLagSeconds = 0, signingLagSeconds = 0 }: DnsProvider,
  { signed }: Pick<ReadBack, "signed">,
): number {
  return Math.max(readLagSeconds, signed ? signingLagSeconds : 0);
}

/** Returns whether a reading right after a failed call is final: what it shows is there, but what it lacks may only be delayed. */
function isCertain(
  provider: DnsProvider,
  { answered }: ProviderError,
  read: Pick<ReadBack, "signed">,
  outcomes: readonly ChangeOutcome[],
): boolean {
  if (outcomes.every(({ ok }) => ok)) return true;
  return (answered ? lagOf(provider, read) : secondsToSettle(provider, read)) === 0;
}

/** Reads all records of the zone at its provider, without those that the provider maintains itself. @throws ProviderError */
export async function readAll(provider: DnsProvider, zone: string): Promise<RecordData[]> {
  return (await readWhole(provider, zone)).records;
}

/** Reads all records of the zone at its provider, those that it maintains apart. @throws ProviderError */
export async function readWhole(
  provider: DnsProvider,
  zone: string,
): Promise<{ records: RecordData[]; signing: ZoneSigning }> {
  const records: RecordData[] = [];
  const managed: RecordData[] = [];
  for await (const batch of provider.readZone(zone)) {
    for (const record of batch) (record.serverManaged ? managed : records).push(record);
  }
  const signed = managed.length > 0 || ((await provider.signs?.(zone)) ?? false);
  return { records, signing: { signed, managed } };
}
