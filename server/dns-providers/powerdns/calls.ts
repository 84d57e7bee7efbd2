import { notDone, touchedNames } from "../applying/apply-to-records.ts";
import { inBatches } from "../applying/in-batches.ts";
import { connectedComponents } from "../applying/connected-components.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { applyInOneCall, type SendRrsets } from "./apply-changes.ts";
import { printContent, type ReadRrset } from "./served-records.ts";

/** Below the 2 MB that PowerDNS accepts by default (`webserver-max-bodysize`). */
const mostOctets = 1_500_000;
/** Octets of JSON around a record: field names, type, TTL and owner. */
const frameOctets = 400;

/**
 * Applies changes in as few calls as possible: one, except for huge sets. Dependent changes share a call. If the changes are
 * atomic, a refusal ends the sequence and earlier calls are reported as made.
 * @throws ProviderError with effect `unknown` once a call has been made
 */
export async function applyInCalls(
  zone: string,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  atomic: boolean,
  send: SendRrsets,
): Promise<{ outcomes: ChangeOutcome[]; calls: number }> {
  const outcomes = new Map<number, ChangeOutcome>();
  let calls = 0;
  for (const indexes of callsOf(present, changes)) {
    const some = indexes.flatMap((index) => changes[index] ?? []);
    const made = await applyInOneCall(zone, present, some, atomic, send).catch((error: unknown) => {
      throw calls > 0 && error instanceof ProviderError ? error.afterSending() : error;
    });
    indexes.forEach((index, place) => outcomes.set(index, made[place] ?? unanswered));
    if (made.some(({ ok }) => ok)) calls++;
    if (atomic && made.some(({ ok }) => !ok)) break;
  }
  const refusal = [...outcomes.values()].find((outcome) => !outcome.ok) ?? unanswered;
  const rest: ChangeOutcome = refusal.ok ? unanswered : { ok: false, message: notDone(refusal.message) };
  return { outcomes: changes.map((_, index) => outcomes.get(index) ?? rest), calls };
}

const unanswered: ChangeOutcome = { ok: false, message: "PowerDNS did not answer." };

/** Returns the indexes of the changes in each call. */
function callsOf(present: readonly ReadRrset[], changes: readonly RecordChange[]): number[][] {
  const octetsAt = new Map<string, number>();
  const count = (name: string, content: string) =>
    octetsAt.set(name, (octetsAt.get(name) ?? 0) + Buffer.byteLength(JSON.stringify(content)) + frameOctets);
  for (const { name, records } of present) for (const { content } of records) count(name, content);
  for (const { before, after } of changes) {
    if (before) count(before.name, "");
    if (after) count(after.name, printContent(after));
  }
  const namesOf = (index: number) => [...touchedNames(changes.slice(index, index + 1))];
  const sizesOf = (indexes: readonly number[]) => [
    [...new Set(indexes.flatMap(namesOf))].reduce((sum, name) => sum + (octetsAt.get(name) ?? 0), 0),
  ];
  const parts = connectedComponents([...changes.keys()], namesOf);
  return inBatches(parts, sizesOf, [mostOctets]).map((call) => call.flat());
}
