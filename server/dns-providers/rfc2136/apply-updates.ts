import { isDeepStrictEqual } from "node:util";
import { allOrNone, inverse, touchedNames, recordsOf } from "../applying/apply-to-records.ts";
import type { Pause } from "../../platform/pause.ts";
import { ProviderError, type ApplyOptions, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { recordKey, rrsetKey, type RecordData } from "../../dns/record.ts";
import { rcodes, updateMessage } from "../../dns/wire/messages.ts";
import { isPrerequisiteFailure, rcodeSentence, type NameServerSession } from "./session.ts";
import { guessNames, transferNames, type ServedRecord, askForRrsets } from "./read-names.ts";
import { writeRdata } from "../../dns/wire/rdata.ts";
import {
  batchesOf,
  planUpdate,
  type UpdateUnit,
  mostUpdateOctets,
  planProofs,
  type RrsetProof,
} from "./update-plan.ts";
import { isKeyType, isServerManaged } from "../../dns/zone-file/type-names.ts";
import { inBatches } from "../applying/batches.ts";

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

/** What the zone shows of the changes that were sent. */
interface Confirmation {
  outcomes: ChangeOutcome[];
  /** Other records that the server dropped. */
  dropped: RecordData[];
  /** Indexes of changes that the server stored but does not serve in the zone that it signs. */
  unserved?: number[];
}

/** Milliseconds between readings while a signer publishes: ten seconds in all. */
const pauses = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_850];

/**
 * Checks whether accepted changes were made. Servers silently skip what their rules forbid (RFC 2136 §3.4.2) and drop records that
 * a change makes pointless, so only the zone itself shows the result. A server that signs the zone may serve changes late: it is
 * then asked again, and the zone that takes the updates is checked by prerequisites, which signing does not delay.
 * @param found the records that the names had before. @throws ProviderError with effect `unknown` if neither shows the result
 */
async function confirmChanges(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  outcomes: readonly ChangeOutcome[],
  found: readonly ServedRecord[],
  pause: Pause,
): Promise<Confirmation> {
  const accepted = changes.filter((_, index) => outcomes[index]?.ok);
  if (accepted.length === 0) return { outcomes: [...outcomes], dropped: [] };
  const names = touchedNames(accepted);
  const others = otherRecords(found, accepted);
  const asked = [...accepted.flatMap(recordsOf), ...others];
  const confirmationBy = (served: readonly ServedRecord[]): Confirmation => ({
    outcomes: outcomesIn(changes, outcomes, served),
    dropped: missingIn(served, others),
  });
  const isAsSent = (latest: Confirmation | null) =>
    latest?.outcomes.every(({ ok }, index) => ok === outcomes[index]?.ok) ?? false;
  const byAsking = async () => {
    const served = await askForRrsets(session, zone, asked);
    return served && confirmationBy(served);
  };

  const first = await byAsking();
  if (first && isAsSent(first)) return first;
  const { served, signed } = await transferNames(session, zone, [...names]);
  let latest = confirmationBy(served);
  if (isAsSent(latest) || !signed) return latest;
  const proofs = await proveChanges(session, zone, found, accepted);
  const proofOf = new Map(accepted.map((change, index) => [change, proofs[index]]));
  for (const milliseconds of pauses) {
    await pause(milliseconds);
    const next = (await byAsking()) ?? confirmationBy((await transferNames(session, zone, [...names])).served);
    if (isAsSent(next)) return next;
    latest = next;
  }
  return proven(changes, outcomes, latest, (change) => proofOf.get(change));
}

/**
 * Waits up to ten seconds until a signer has published an update, judging by its last change. BIND with inline signing misses an
 * update that arrives while it publishes the previous one, until yet another arrives.
 */
async function untilServed(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  pause: Pause,
): Promise<void> {
  const last = changes.findLast((change) => !recordsOf(change).some(isKeyType));
  if (!last) return;
  for (const milliseconds of [0, ...pauses]) {
    if (milliseconds > 0) await pause(milliseconds);
    const served = await askForRrsets(session, zone, recordsOf(last));
    if (served === null || outcomesIn([last], [{ ok: true }], served)[0]?.ok) return;
  }
}

/**
 * Returns the outcomes if a signer did not publish everything in time: an unseen change counts as made if the zone that takes the
 * updates has it. A key that alone is unseen is not served at all. @throws ProviderError with effect `unknown` if neither zone
 * shows the result
 */
function proven(
  changes: readonly RecordChange[],
  sent: readonly ChangeOutcome[],
  latest: Confirmation,
  proofOf: (change: RecordChange) => Proof | undefined,
): Confirmation {
  const isUnseen = (_: RecordChange, index: number) => sent[index]?.ok && !latest.outcomes[index]?.ok;
  const unseen = new Set(changes.filter(isUnseen).map(proofOf));
  const isBehind = unseen.has("made");
  if (unseen.has("unknown") || (isBehind && unseen.has("untested"))) {
    throw new ProviderError(
      "The name server accepted the changes but does not serve all of them yet, because it is still signing the zone.",
      "unknown",
    );
  }
  const unserved: number[] = [];
  const outcomes = changes.map((change, index): ChangeOutcome => {
    const outcome = latest.outcomes[index] ?? notServed;
    if (outcome.ok || !sent[index]?.ok) return outcome;
    const proof = proofOf(change);
    if (proof === "made") return { ok: true };
    if (proof !== "untested" || change.action !== "create") return outcome;
    unserved.push(index);
    return keyNotServed;
  });
  return { ...latest, outcomes, unserved };
}

/** Returns the other records of the names that lose a record. */
function otherRecords(found: readonly ServedRecord[], changes: readonly RecordChange[]): RecordData[] {
  const about = new Set(changes.flatMap(recordsOf).map(recordKey));
  const losing = new Set(changes.flatMap(({ before }) => (before ? [before.name] : [])));
  return found.flatMap(({ record }) =>
    losing.has(record.name) && !about.has(recordKey(record)) && !isServerManaged(record) ? [record] : [],
  );
}

function missingIn(served: readonly ServedRecord[], records: readonly RecordData[]): RecordData[] {
  const there = new Set(served.map(({ record }) => recordKey(record)));
  return records.filter((record) => !there.has(recordKey(record)));
}

function outcomesIn(
  changes: readonly RecordChange[],
  outcomes: readonly ChangeOutcome[],
  served: readonly ServedRecord[],
): ChangeOutcome[] {
  const ttls = new Map(served.map(({ record }) => [recordKey(record), record.ttl]));
  // One change may add the record that another deletes.
  const wanted = new Set(
    changes.flatMap(({ after }, index) => (after && outcomes[index]?.ok ? [recordKey(after)] : [])),
  );
  return changes.map(({ before, after }, index): ChangeOutcome => {
    const outcome = outcomes[index] ?? notServed;
    if (!outcome.ok) return outcome;
    const gone = before === null || wanted.has(recordKey(before)) || !ttls.has(recordKey(before));
    const there = after === null || ttls.get(recordKey(after)) === after.ttl;
    return gone && there ? outcome : notServed;
  });
}

const notServed: ChangeOutcome = {
  ok: false,
  message:
    "The name server accepted this change, but the zone does not contain it: a server rule forbids it, or somebody undid it at the same moment.",
};

const keyNotServed: ChangeOutcome = {
  ok: false,
  message:
    "The name server accepted this change but does not serve it: a server that signs a zone inline serves only its own keys. Add the key on the server instead.",
};

/**
 * What the zone that takes the updates shows of a change. `unknown`: the server did not answer, or the RRset is too large for one
 * message. `untested`: a change to a key, where that zone does not show what is served.
 */
type Proof = "made" | "not made" | "unknown" | "untested";

/**
 * Checks which changes the zone that takes the updates has, by updates with prerequisites only, which change nothing. TTLs are not
 * compared. Batches that fail are halved until the RRset at fault is found, so each change is judged by its own RRsets.
 *
 * Keys are left out: BIND accepts a DNSKEY, CDS or CDNSKEY into a zone that it signs inline, but serves only the ones it made.
 * @param found the records that the names had before.
 * @returns one proof per change. @throws ProviderError
 */
async function proveChanges(
  session: NameServerSession,
  zone: string,
  found: readonly ServedRecord[],
  changes: readonly RecordChange[],
): Promise<Proof[]> {
  const proofs = planProofs(zone, found, changes.filter(isTestable));
  const verdicts = await ask(session, zone, proofs);
  return changes.map((change): Proof => {
    if (!isTestable(change)) return "untested";
    const said = new Set(recordsOf(change).map((record) => verdicts.get(rrsetKey(record)) ?? "unknown"));
    if (said.has("not made")) return "not made";
    return said.has("unknown") ? "unknown" : "made";
  });
}

function isTestable(change: RecordChange): boolean {
  return !recordsOf(change).some(isKeyType);
}

async function ask(
  session: NameServerSession,
  zone: string,
  proofs: readonly RrsetProof[],
): Promise<Map<string, Proof>> {
  const verdicts = new Map<string, Proof>();
  const fitting = proofs.filter(({ octets }) => octets <= mostUpdateOctets);
  let batches = inBatches(fitting, ({ octets }) => [octets], [mostUpdateOctets]);
  while (batches.length > 0) {
    const answers = await session.ask(
      batches.map((batch) => (id) => {
        const prerequisites = batch.flatMap((proof) => proof.prerequisites);
        return updateMessage(id, zone, prerequisites, []);
      }),
      "none",
    );
    batches = batches.flatMap((batch, index) => {
      const rcode = answers[index]?.rcode ?? rcodes.SERVFAIL;
      if (isPrerequisiteFailure(rcode) && batch.length > 1) {
        const half = batch.length >> 1;
        return [batch.slice(0, half), batch.slice(half)];
      }
      const verdict = rcode === rcodes.NOERROR ? "made" : isPrerequisiteFailure(rcode) ? "not made" : "unknown";
      for (const { key } of batch) verdicts.set(key, verdict);
      return [];
    });
  }
  return verdicts;
}
