import { isDeepStrictEqual } from "node:util";
import { allOrNone, inverse, touchedNames } from "../applying/apply-to-records.ts";
import type { Pause } from "../../platform/pause.ts";
import { ProviderError, type ApplyOptions, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { recordKey } from "../../dns/record.ts";
import { confirmChanges, untilServed, type Confirmation } from "./confirm-changes.ts";
import { rcodes, updateMessage } from "../../dns/wire/messages.ts";
import { isPrerequisiteFailure, rcodeSentence, type NameServerSession } from "./session.ts";
import { guessNames, transferNames, type ServedRecord } from "./read-names.ts";
import { writeRdata } from "../../dns/wire/rdata-write.ts";
import { batchesOf, planUpdate, type UpdateUnit } from "./update-plan.ts";

/** Maximum attempts while somebody else changes the same names. */
const mostAttempts = 5;

/**
 * Milliseconds to wait before an attempt whose predecessor read the same records although prerequisites failed: a signer may not
 * have published a change yet.
 */
const pausesBeforeAttempts = [0, 200, 400, 800];

/**
 * Applies changes by dynamic update, as many per message as fit: reads the names they touch, sends the difference, and checks the
 * result. @throws ProviderError with effect `unknown` once an update was sent
 */
export async function applyByUpdate(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  options: ApplyOptions,
  pause: Pause,
): Promise<Confirmation> {
  try {
    const look = await carryOut(session, zone, changes, options, pause);
    const hidden = look.unserved?.flatMap((index) => changes[index] ?? []) ?? [];
    if (hidden.length > 0) {
      const beforeCall = async () => await options.beforeCall?.([]);
      await carryOut(session, zone, hidden.map(inverse), { signed: true, undoes: true, beforeCall }, pause);
    }
    return look;
  } catch (error) {
    throw error instanceof ProviderError && session.updates.sent > 0 ? error.afterSending() : error;
  }
}

async function carryOut(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  { atomic = false, beforeCall, signed: isSigned = false, undoes = false }: ApplyOptions,
  pause: Pause,
): Promise<Confirmation> {
  const outcomes: (ChangeOutcome | undefined)[] = changes.map(() => undefined);
  const open = () => changes.flatMap((_, index) => (outcomes[index] === undefined ? [index] : []));
  let before: ServedRecord[] | null = null;
  const found = new Map<string, ServedRecord[]>();
  for (let attempt = 1; attempt <= mostAttempts && open().length > 0; attempt++) {
    const indexes = open();
    const asked = indexes.flatMap((index) => changes[index] ?? []);
    const names = [...touchedNames(asked)];
    const guess = attempt === 1 ? await guessNames(session, zone, names) : null;
    const read = guess ? { served: guess, signed: isSigned } : await transferNames(session, zone, names);
    const { signed } = read;
    // A signer may not have published yet what is to be undone. The prerequisites check whether it is there.
    const served = undoes && signed ? presumingMade(read.served, asked) : read.served;
    const isSame = before !== null && isDeepStrictEqual(before, served);
    before = guess ? null : served;
    if (isSame && signed && attempt < mostAttempts) await pause(pausesBeforeAttempts[attempt - 1] ?? 0);
    // If prerequisites fail although nothing changed, the server cannot compare the records: PowerDNS treats the texts "a" and "A"
    // as equal.
    const exact = !isSame || (signed && attempt < mostAttempts);
    for (const name of names) found.set(name, []);
    for (const each of served) found.get(each.record.name)?.push(each);
    const plan = planUpdate(zone, served, asked, { exact, signed });
    const refused = plan.outcomes.some(({ ok }) => !ok);
    // A guess is not reason enough to refuse.
    if (refused && guess) continue;
    if (refused && atomic) {
      allOrNone(plan.outcomes).forEach((outcome, index) => (outcomes[indexes[index] ?? 0] = outcome));
      break;
    }
    const settle = (index: number, outcome: ChangeOutcome) => {
      outcomes[indexes[index] ?? 0] = outcome;
    };
    plan.outcomes.forEach((outcome, index) => {
      if (!outcome.ok) settle(index, outcome);
    });
    const send = async (batch: readonly UpdateUnit[]) => {
      await beforeCall?.(batch.flatMap((unit) => unit.changes.flatMap((index) => asked[index] ?? [])));
      return await sendUpdate(session, zone, batch);
    };
    const between = async (batch: readonly UpdateUnit[]) => {
      if (!signed) return;
      const sent = batch.flatMap((unit) => unit.changes.flatMap((index) => asked[index] ?? []));
      await untilServed(session, zone, sent, pause);
    };
    await sendUnits(zone, plan.units, { atomic, apart: undoes, between }, send, settle);
  }
  const settled = outcomes.map((outcome): ChangeOutcome => outcome ?? changedMeanwhile);
  return await confirmChanges(session, zone, changes, settled, [...found.values()].flat(), pause);
}

/** Returns the records as they will be served once the changes being undone are published. */
function presumingMade(served: readonly ServedRecord[], undoing: readonly RecordChange[]): ServedRecord[] {
  const records = new Map(served.map((each) => [recordKey(each.record), each]));
  for (const { after } of undoing) if (after) records.delete(recordKey(after));
  for (const { before } of undoing) {
    if (before === null) continue;
    const known = served.find(({ record }) => recordKey(record) === recordKey(before));
    const rdatas = known?.rdatas ?? [writeRdata(before.recordType, before.value, before.strings)];
    records.set(recordKey(before), { record: before, rdatas });
  }
  return [...records.values()];
}

const changedMeanwhile: ChangeOutcome = {
  ok: false,
  message: "Somebody else keeps changing the same records at the name server; try again in a moment.",
};

interface SendingUnits {
  atomic: boolean;
  /** Whether a unit with failing prerequisites must not block the others in its message. */
  apart: boolean;
  /** Awaited after an accepted message if another follows. */
  between: (batch: readonly UpdateUnit[]) => Promise<void>;
}

/** Sends the units and reports the outcomes of their changes. Changes whose prerequisites failed stay undecided. */
async function sendUnits(
  zone: string,
  units: readonly UpdateUnit[],
  { atomic, apart, between }: SendingUnits,
  send: (batch: readonly UpdateUnit[]) => Promise<number>,
  settleChange: (index: number, outcome: ChangeOutcome) => void,
): Promise<void> {
  const settle = (batch: readonly UpdateUnit[], outcome: ChangeOutcome) => {
    for (const unit of batch) for (const index of unit.changes) settleChange(index, outcome);
  };
  settle(
    units.filter(({ updates }) => updates.length === 0),
    { ok: true },
  );
  const queue = batchesOf(units.filter(({ updates }) => updates.length > 0));
  for (let batch = queue.shift(); batch; batch = queue.shift()) {
    const rcode = await send(batch);
    if (rcode === rcodes.NOERROR) {
      settle(batch, { ok: true });
      if (queue.length > 0) await between(batch);
    } else if (isPrerequisiteFailure(rcode) && !(apart && batch.length > 1)) continue;
    else if (atomic) {
      for (const rest of [batch, ...queue.splice(0)]) settle(rest, { ok: false, message: rcodeSentence(rcode, zone) });
    } else if (batch.length === 1) settle(batch, { ok: false, message: rcodeSentence(rcode, zone) });
    else {
      // Only one of them is at fault, so each half is tried again.
      const half = batch.length >> 1;
      queue.unshift(batch.slice(0, half), batch.slice(half));
    }
  }
}

async function sendUpdate(session: NameServerSession, zone: string, batch: readonly UpdateUnit[]): Promise<number> {
  const prerequisites = batch.flatMap((unit) => unit.prerequisites);
  const updates = batch.flatMap((unit) => unit.updates);
  const [answer] = await session.ask([(id) => updateMessage(id, zone, prerequisites, updates)], "unknown");
  return answer?.rcode ?? rcodes.SERVFAIL;
}
