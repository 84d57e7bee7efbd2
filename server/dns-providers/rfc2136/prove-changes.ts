import { rrsetKey } from "../../dns/record.ts";
import { isKeyType } from "../../dns/server-managed.ts";
import { inBatches } from "../applying/in-batches.ts";
import { recordsOf } from "../applying/apply-to-records.ts";
import type { RecordChange } from "../provider.ts";
import { rcodes, updateMessage } from "../../dns/wire/messages.ts";
import { isPrerequisiteFailure } from "./rcodes.ts";
import type { ServedRecord } from "./served-records.ts";
import type { NameServerSession } from "./session.ts";
import { mostUpdateOctets, planProofs, type RrsetProof } from "./update-plan.ts";

/**
 * What the zone that takes the updates shows of a change. `unknown`: the server did not answer, or the RRset is too large for one
 * message. `untested`: a change to a key, where that zone does not show what is served.
 */
export type Proof = "made" | "not made" | "unknown" | "untested";

/**
 * Checks which changes the zone that takes the updates has, by updates with prerequisites only, which change nothing. TTLs are not
 * compared. Batches that fail are halved until the RRset at fault is found, so each change is judged by its own RRsets.
 *
 * Keys are left out: BIND accepts a DNSKEY, CDS or CDNSKEY into a zone that it signs inline, but serves only the ones it made.
 * @param found the records that the names had before.
 * @returns one proof per change. @throws ProviderError
 */
export async function proveChanges(
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
      const rcode = answers[index]?.rcode ?? rcodes.servFail;
      if (isPrerequisiteFailure(rcode) && batch.length > 1) {
        const half = batch.length >> 1;
        return [batch.slice(0, half), batch.slice(half)];
      }
      const verdict = rcode === rcodes.noError ? "made" : isPrerequisiteFailure(rcode) ? "not made" : "unknown";
      for (const { key } of batch) verdicts.set(key, verdict);
      return [];
    });
  }
  return verdicts;
}
