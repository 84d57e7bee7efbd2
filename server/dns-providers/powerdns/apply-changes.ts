import { readOwner } from "../../dns/names/names.ts";
import { recordKey } from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { allOrNone, outcomesFrom } from "../applying/change-outcomes.ts";
import { recordsOf } from "../applying/touched-records.ts";
import type { Answer } from "./client.ts";
import type { RrsetReplacement } from "./api.ts";
import { replacementsFor } from "./replacements.ts";
import { canonicalContent, type ReadRrset } from "./served-records.ts";

/** Sends RRsets in one call, of which the server carries out all or none; `does` are the changes that it makes. @throws ProviderError */
export type SendRrsets = (rrsets: readonly RrsetReplacement[], does: readonly RecordChange[]) => Promise<Answer<null>>;

/** A call that is refused changes nothing, so the rest may be tried again; this is how often. */
const mostTries = 50;

/**
 * Carries changes out in one call, of which PowerDNS carries out all or none. What it refuses by name is left out and the rest sent again, unless
 * all belong together. A form of RDATA that it asks for in place of ours is taken over where it says the same.
 */
export async function applyInOneCall(
  zone: string,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  together: boolean,
  send: SendRrsets,
): Promise<ChangeOutcome[]> {
  const refused = new Map<RecordChange, string>();
  const contents = new Map<string, string>();
  for (let tries = 0; tries < mostTries; tries++) {
    const wanted = changes.filter((change) => !refused.has(change));
    const made = replacementsFor(zone, present, wanted, contents);
    for (const [change, reason] of made.refused) refused.set(change, reason);
    if (refused.size > 0 && (together || refused.size === changes.length))
      return outcomesOf(changes, refused, together);
    const left = () => wanted.filter((change) => !refused.has(change));
    const answer = made.rrsets.length === 0 ? null : await send(made.rrsets, left());
    if (answer === null || answer.ok) return outcomesOf(changes, refused, together);
    const { status, reason, said } = answer.refusal;
    if (status === 404) throw new ProviderError(`PowerDNS has no zone ${zone}.`, "none", { zoneMissing: true });
    const message = `PowerDNS refuses it: ${reason}`;
    const named = namedIn(zone, said);
    const meant = named ? wanted.filter((change) => concerns(change, named)) : [];
    if (named?.form !== undefined && takeForm(contents, present, meant, named)) continue;
    for (const change of meant.length > 0 ? meant : wanted) refused.set(change, message);
  }
  throw new ProviderError("PowerDNS refuses too many of the changes; send fewer at once.", "none");
}

/** One for each change. Where all belong together, one that was refused refuses the others. */
function outcomesOf(
  changes: readonly RecordChange[],
  refused: ReadonlyMap<RecordChange, string>,
  together: boolean,
): ChangeOutcome[] {
  const outcomes = outcomesFrom(changes, refused);
  return together ? allOrNone(outcomes) : outcomes;
}

interface Named {
  /** Relative to the zone. */
  name: string;
  recordType: string;
  /** How the server would have the content written. */
  form?: string;
}

/** Which RRset a refusal is about, in the words of PowerDNS 4: `RRset a.example. IN CNAME: …`, `Record a.example./A '1.2.3': …`. */
function namedIn(zone: string, said: string): Named | null {
  const match = /\bRRset (\S+) IN ([A-Z0-9-]+)|\bRecord (\S+)\/([A-Z0-9-]+) /.exec(said);
  const [, rrsetName, rrsetType, recordName, type] = match ?? [];
  const name = readOwner(rrsetName ?? recordName ?? "", "", zone);
  const recordType = canonicalType(rrsetType ?? type ?? "");
  if (!name.ok || recordType === null) return null;
  const [, form] = /\(parsed as '(.*)'\)\s*$/s.exec(said) ?? [];
  return { name: name.value, recordType, ...(form === undefined ? {} : { form }) };
}

function concerns(change: RecordChange, named: Named): boolean {
  return recordsOf(change).some(({ name, recordType }) => name === named.name && recordType === named.recordType);
}

/** Remembers the server's own form for the record that says the same. @returns whether it did, and sending again may help. */
function takeForm(
  contents: Map<string, string>,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  { name, recordType, form = "" }: Named,
): boolean {
  const wanted = recordKey({ name, recordType, ...canonicalContent(recordType, form) });
  const kept = present.flatMap((rrset) => rrset.records.map(({ data }) => data));
  const records = [...kept, ...changes.flatMap(({ after }) => after ?? [])];
  const same = records.find((one) => recordKey(one) === wanted);
  if (!same || contents.has(recordKey(same))) return false;
  contents.set(recordKey(same), form);
  return true;
}
