import { isDeepStrictEqual } from "node:util";
import { allOrNone } from "../applying/change-outcomes.ts";
import type { Pause } from "../../platform/pause.ts";
import { ProviderError, type ApplyOptions, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { recordKey } from "../../dns/record.ts";
import { inverse } from "../applying/inverse.ts";
import { touchedNames } from "../applying/touched-records.ts";
import { lookWhetherDone, untilServed, type Look } from "./look-whether-done.ts";
import { updateMessage } from "./messages.ts";
import { isPrerequisiteFailure, rcodeSentence } from "./rcodes.ts";
import { guessNames, transferNames } from "./read-names.ts";
import { writeRdata } from "../../dns/wire/rdata-write.ts";
import type { ServedRecord } from "./served-records.ts";
import type { NameServerSession } from "./session.ts";
import { batchesOf, planUpdate, type UpdateUnit } from "./update-plan.ts";

/** How often the zone is read anew when somebody else changes the same names at the same time. */
const mostAttempts = 5;

/** Before an attempt that reads what the last one read although its prerequisites failed: a signer may not have published it yet. */
const pausesBeforeAttempts = [0, 200, 400, 800];

/**
 * Carries changes out by dynamic update, as many in a message as fit: reads the names that they touch, sends what leads from there to where
 * they are to be, and looks whether it is so. @throws ProviderError with effect `unknown` as soon as an update has gone out
 */
export async function applyByUpdate(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  options: ApplyOptions,
  pause: Pause,
): Promise<Look> {
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
  { together = false, beforeCall, signed: isSigned = false, undoes = false }: ApplyOptions,
  pause: Pause,
): Promise<Look> {
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
    // A signer may not have published yet what is to be undone. The prerequisites tell whether it is there.
    const served = undoes && signed ? presumingMade(read.served, asked) : read.served;
    const isSame = before !== null && isDeepStrictEqual(before, served);
    before = guess ? null : served;
    if (isSame && signed && attempt < mostAttempts) await pause(pausesBeforeAttempts[attempt - 1] ?? 0);
    // Prerequisites that fail although nothing has changed are beyond the server: PowerDNS takes "a" and "A" for one text.
    const exact = !isSame || (signed && attempt < mostAttempts);
    for (const name of names) found.set(name, []);
    for (const each of served) found.get(each.record.name)?.push(each);
    const plan = planUpdate(zone, served, asked, { exact, signed });
    const refused = plan.outcomes.some(({ ok }) => !ok);
    // Nothing is refused on a guess.
    if (refused && guess) continue;
    if (refused && together) {
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
    await sendUnits(zone, plan.units, { together, apart: undoes, between }, send, settle);
  }
  const settled = outcomes.map((outcome): ChangeOutcome => outcome ?? changedMeanwhile);
  return await lookWhetherDone(session, zone, changes, settled, [...found.values()].flat(), pause);
}

/** Records of names as they are once what the changes undo has been made. */
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
  together: boolean;
  /** Whether a unit whose prerequisites fail must not hold up the others of its message. */
  apart: boolean;
  /** Awaited after a message that was accepted, where another one follows. */
  between: (batch: readonly UpdateUnit[]) => Promise<void>;
}

/** Sends the units and settles what became of their changes; those whose prerequisites failed stay open. */
async function sendUnits(
  zone: string,
  units: readonly UpdateUnit[],
  { together, apart, between }: SendingUnits,
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
    if (rcode === 0) {
      settle(batch, { ok: true });
      if (queue.length > 0) await between(batch);
    } else if (isPrerequisiteFailure(rcode) && !(apart && batch.length > 1)) continue;
    else if (together) {
      for (const rest of [batch, ...queue.splice(0)]) settle(rest, { ok: false, message: rcodeSentence(rcode, zone) });
    } else if (batch.length === 1) settle(batch, { ok: false, message: rcodeSentence(rcode, zone) });
    else {
      // One of them is the reason, and the others are not to suffer for it.
      const half = batch.length >> 1;
      queue.unshift(batch.slice(0, half), batch.slice(half));
    }
  }
}

async function sendUpdate(session: NameServerSession, zone: string, batch: readonly UpdateUnit[]): Promise<number> {
  const prerequisites = batch.flatMap((unit) => unit.prerequisites);
  const updates = batch.flatMap((unit) => unit.updates);
  const [answer] = await session.ask([(id) => updateMessage(id, zone, prerequisites, updates)], "unknown");
  return answer?.rcode ?? 2;
}
