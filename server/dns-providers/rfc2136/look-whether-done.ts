import type { Pause } from "../../platform/pause.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { isServerManaged } from "../../dns/server-managed.ts";
import { recordsOf, touchedNames } from "../applying/touched-records.ts";
import type { ChangeOutcome, RecordChange } from "../provider.ts";
import { updateMessage } from "./messages.ts";
import { askForRrsets, transferNames } from "./read-names.ts";
import type { ServedRecord } from "./served-records.ts";
import type { NameServerSession } from "./session.ts";
import { planProof } from "./update-plan.ts";

/** What a look at the zone tells of changes that were sent. */
export interface Look {
  outcomes: ChangeOutcome[];
  /** Records beside the changed ones that the server dropped. */
  dropped: RecordData[];
}

/** For a signer that publishes later than the server answers: ten seconds in all. */
const pauses = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_850];

/**
 * Looks what became of changes that the server accepted. Servers skip in silence what their rules forbid (RFC 2136 §3.4.2), and drop what a
 * change leaves without sense, so only the zone itself tells. Where the server signs the zone it may serve what it has a moment later: then
 * it is asked again, and the zone that takes the updates is asked by prerequisites, which no signer delays.
 * @param found what the names had before.
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
  const isThere = await holds(session, zone, found, accepted);
  for (const milliseconds of pauses) {
    await pause(milliseconds);
    const next = (await byAsking()) ?? lookAt((await transferNames(session, zone, [...names])).served);
    if (isAsSent(next)) return next;
    look = next;
  }
  return isThere ? { ...look, outcomes: [...outcomes] } : look;
}

/** Whether the zone that takes updates has the changes: an update of prerequisites alone, which changes nothing. TTLs are not told by it. */
async function holds(
  session: NameServerSession,
  zone: string,
  found: readonly ServedRecord[],
  changes: readonly RecordChange[],
): Promise<boolean> {
  const proof = planProof(zone, found, changes);
  if (proof === null) return false;
  const [answer] = await session.ask([(id) => updateMessage(id, zone, proof, [])], "none");
  return answer?.rcode === 0;
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
