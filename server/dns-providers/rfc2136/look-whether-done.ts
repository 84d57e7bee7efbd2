import type { Pause } from "../../platform/pause.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { isKeyType, isServerManaged } from "../../dns/server-managed.ts";
import { recordsOf, touchedNames } from "../applying/touched-records.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { proveChanges, type Proof } from "./prove-changes.ts";
import { askForRrsets, transferNames } from "./read-names.ts";
import type { ServedRecord } from "./served-records.ts";
import type { NameServerSession } from "./session.ts";

/** What a look at the zone tells of changes that were sent. */
export interface Look {
  outcomes: ChangeOutcome[];
  /** Records beside the changed ones that the server dropped. */
  dropped: RecordData[];
  /** Indexes of changes that the server keeps in the zone that it signs, and does not serve. */
  unserved?: number[];
}

/** For a signer that publishes later than the server answers: ten seconds in all. */
const pauses = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_850];

/**
 * Looks what became of changes that the server accepted. Servers skip in silence what their rules forbid (RFC 2136 §3.4.2), and drop what a
 * change leaves without sense, so only the zone itself tells. Where the server signs the zone it may serve what it has a moment later: then
 * it is asked again, and the zone that takes the updates is asked by prerequisites, which no signer delays.
 * @param found what the names had before. @throws ProviderError with effect `unknown` where neither says
 */
export async function lookWhetherDone(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  outcomes: readonly ChangeOutcome[],
  found: readonly ServedRecord[],
  pause: Pause,
): Promise<Look> {
  const accepted = changes.filter((_, index) => outcomes[index]?.ok);
  if (accepted.length === 0) return { outcomes: [...outcomes], dropped: [] };
  const names = touchedNames(accepted);
  const beside = besideThem(found, accepted);
  const asked = [...accepted.flatMap(recordsOf), ...beside];
  const lookAt = (served: readonly ServedRecord[]): Look => ({
    outcomes: judge(changes, outcomes, served),
    dropped: missingIn(served, beside),
  });
  const isAsSent = (look: Look | null) => look?.outcomes.every(({ ok }, index) => ok === outcomes[index]?.ok) ?? false;
  const byAsking = async () => {
    const served = await askForRrsets(session, zone, asked);
    return served && lookAt(served);
  };

  const first = await byAsking();
  if (first && isAsSent(first)) return first;
  const { served, signed } = await transferNames(session, zone, [...names]);
  let look = lookAt(served);
  if (isAsSent(look) || !signed) return look;
  const proofs = await proveChanges(session, zone, found, accepted);
  const proofOf = new Map(accepted.map((change, index) => [change, proofs[index]]));
  for (const milliseconds of pauses) {
    await pause(milliseconds);
    const next = (await byAsking()) ?? lookAt((await transferNames(session, zone, [...names])).served);
    if (isAsSent(next)) return next;
    look = next;
  }
  return proven(changes, outcomes, look, (change) => proofOf.get(change));
}

/**
 * Waits, ten seconds at most, until a signer has published an update, going by its last change. BIND that signs a zone inline loses sight of
 * an update which comes while it publishes the one before, until yet another one comes.
 */
export async function untilServed(
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
    if (served === null || judge([last], [{ ok: true }], served)[0]?.ok) return;
  }
}

/**
 * Outcomes where a signer has not published all in time: what is not seen is made if the zone that takes updates has it. A key that is not
 * seen although all else is, is not served at all. @throws ProviderError with effect `unknown` where nobody can say
 */
function proven(
  changes: readonly RecordChange[],
  sent: readonly ChangeOutcome[],
  look: Look,
  proofOf: (change: RecordChange) => Proof | undefined,
): Look {
  const isUnseen = (_: RecordChange, index: number) => sent[index]?.ok && !look.outcomes[index]?.ok;
  const unseen = new Set(changes.filter(isUnseen).map(proofOf));
  const isBehind = unseen.has("made");
  if (unseen.has("unknown") || (isBehind && unseen.has("unasked"))) {
    throw new ProviderError(
      "The name server has accepted the changes and does not serve all of them yet, because it is still signing them.",
      "unknown",
    );
  }
  const unserved: number[] = [];
  const outcomes = changes.map((change, index): ChangeOutcome => {
    const outcome = look.outcomes[index] ?? notServed;
    if (outcome.ok || !sent[index]?.ok) return outcome;
    const proof = proofOf(change);
    if (proof === "made") return { ok: true };
    if (proof !== "unasked" || change.action !== "create") return outcome;
    unserved.push(index);
    return keyNotServed;
  });
  return { ...look, outcomes, unserved };
}

/** What the names had from which a change takes something away, beside what the changes are about. */
function besideThem(found: readonly ServedRecord[], changes: readonly RecordChange[]): RecordData[] {
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

function judge(
  changes: readonly RecordChange[],
  outcomes: readonly ChangeOutcome[],
  served: readonly ServedRecord[],
): ChangeOutcome[] {
  const ttls = new Map(served.map(({ record }) => [recordKey(record), record.ttl]));
  // What one change takes away, another may put back.
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
    "The name server accepted this change, and yet the zone does not have it: a rule of the server forbids it, or somebody undid it at the same moment.",
};

const keyNotServed: ChangeOutcome = {
  ok: false,
  message:
    "The name server accepted this change, and yet does not serve it: a server that signs a zone inline serves no keys but its own. Enter the key at the server instead.",
};
