import { notDone } from "../applying/change-outcomes.ts";
import { inBatches } from "../applying/in-batches.ts";
import { connectedComponents } from "../applying/connected-components.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { touchedNames } from "../applying/touched-records.ts";
import { applyInOneCall, type SendRrsets } from "./apply-changes.ts";
import { printContent, type ReadRrset } from "./served-records.ts";

/** Below the 2 MB that PowerDNS takes unless `webserver-max-bodysize` says otherwise. */
const mostOctets = 1_500_000;
/** Of JSON around a record: names of fields, type, TTL and the owner. */
const frameOctets = 400;

/**
 * Carries changes out in as few calls as fit, which is one for all but huge sets; what hangs together is in one call. Where all or none are to
 * be made, a refusal ends it, and what earlier calls made is told.
 * @throws ProviderError with effect `unknown` once a call has been made
 */
export async function applyInCalls(
  zone: string,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  together: boolean,
  send: SendRrsets,
): Promise<{ outcomes: ChangeOutcome[]; calls: number }> {
  const outcomes = new Map<number, ChangeOutcome>();
  let calls = 0;
  for (const indexes of callsOf(present, changes)) {
    const some = indexes.flatMap((index) => changes[index] ?? []);
    const made = await applyInOneCall(zone, present, some, together, send).catch((error: unknown) => {
      throw calls > 0 && error instanceof ProviderError ? error.afterSending() : error;
    });
    indexes.forEach((index, place) => outcomes.set(index, made[place] ?? unanswered));
    if (made.some(({ ok }) => ok)) calls++;
    if (together && made.some(({ ok }) => !ok)) break;
  }
  const refusal = [...outcomes.values()].find((outcome) => !outcome.ok) ?? unanswered;
  const rest: ChangeOutcome = refusal.ok ? unanswered : { ok: false, message: notDone(refusal.message) };
  return { outcomes: changes.map((_, index) => outcomes.get(index) ?? rest), calls };
}

const unanswered: ChangeOutcome = { ok: false, message: "PowerDNS gave no answer." };

/** Indexes of the changes of each call. */
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
