import { readOwner } from "../../dns/names/names.ts";
import { recordKey } from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { allOrNone, outcomesFrom, recordsOf } from "../applying/apply-to-records.ts";
import type { Answer } from "./client.ts";
import type { RrsetReplacement } from "./api.ts";
import { replacementsFor } from "./replacements.ts";
import { canonicalContent, type ReadRrset } from "./served-records.ts";

/**
 * Sends RRsets in one call, which the server carries out whole or not at all. `does` lists the changes that it makes. @throws
 * ProviderError
 */
export type SendRrsets = (rrsets: readonly RrsetReplacement[], does: readonly RecordChange[]) => Promise<Answer<null>>;

/** Attempts to make. A refused call changes nothing, so the rest may be sent again. */
const mostTries = 50;

/**
 * Applies changes in one call, which PowerDNS carries out whole or not at all. RRsets that it refuses by name are left out and the
 * rest sent again, unless the changes are atomic. If it asks for another notation of equal RDATA, that is used.
 */
export async function applyInOneCall(
  zone: string,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  atomic: boolean,
  send: SendRrsets,
): Promise<ChangeOutcome[]> {
  const refused = new Map<RecordChange, string>();
  const contents = new Map<string, string>();
  for (let tries = 0; tries < mostTries; tries++) {
    const wanted = changes.filter((change) => !refused.has(change));
    const made = replacementsFor(zone, present, wanted, contents);
    for (const [change, reason] of made.refused) refused.set(change, reason);
    if (refused.size > 0 && (atomic || refused.size === changes.length)) return outcomesOf(changes, refused, atomic);
    const left = () => wanted.filter((change) => !refused.has(change));
    const answer = made.rrsets.length === 0 ? null : await send(made.rrsets, left());
    if (answer === null || answer.ok) return outcomesOf(changes, refused, atomic);
    const { status, reason, said } = answer.refusal;
    if (status === 404) throw new ProviderError(`PowerDNS has no zone ${zone}.`, "none", { zoneMissing: true });
    const message = `PowerDNS refused the change: ${reason}`;
    const named = namedIn(zone, said);
    const meant = named ? wanted.filter((change) => concerns(change, named)) : [];
    if (named?.form !== undefined && takeForm(contents, present, meant, named)) continue;
    for (const change of meant.length > 0 ? meant : wanted) refused.set(change, message);
  }
  throw new ProviderError("PowerDNS refused too many of the changes. Send fewer at once.", "none");
}

/** Returns one outcome per change. If atomic, one refusal refuses the others. */
function outcomesOf(
  changes: readonly RecordChange[],
  refused: ReadonlyMap<RecordChange, string>,
  atomic: boolean,
): ChangeOutcome[] {
  const outcomes = outcomesFrom(changes, refused);
  return atomic ? allOrNone(outcomes) : outcomes;
}

interface Named {
  /** Relative to the zone. */
  name: string;
  recordType: string;
  /** The notation of the content that the server asks for. */
  form?: string;
}

/**
 * Returns the RRset that a refusal names, as PowerDNS 4 words it: `RRset a.example. IN CNAME: …`, `Record a.example./A '1.2.3': …`.
 */
function namedIn(zone: string, said: string): Named | null {
  const match = /\bRRset (\S+) IN ([A-Z0-9-]+)|\bRecord (\S+)\/([A-Z0-9-]+) /.exec(said);
  const [, rrsetName, rrsetType, recordName, type] = match ?? [];
  const name = readOwner(rrsetName ?? recordName ?? "", "", zone);
  const recordType = canonicalType(rrsetType ?? type ?? "");
  if (!name.ok || recordType === null) return null;
  const [, form] = /\(parsed as '(.*)'\)\s*$/s.exec(said) ?? [];
  return { name: name.value.name, recordType, ...(form === undefined ? {} : { form }) };
}

function concerns(change: RecordChange, named: Named): boolean {
  return recordsOf(change).some(({ name, recordType }) => name === named.name && recordType === named.recordType);
}

/** Stores the server's notation for the record that it equals. @returns whether it did, so that sending again may help. */
function takeForm(
  contents: Map<string, string>,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  { name, recordType, form = "" }: Named,
): boolean {
  const wanted = recordKey({ name, recordType, ...canonicalContent(recordType, form) });
  const known = present.flatMap((rrset) => rrset.records.map(({ data }) => data));
  const records = [...known, ...changes.flatMap(({ after }) => after ?? [])];
  const same = records.find((one) => recordKey(one) === wanted);
  if (!same || contents.has(recordKey(same))) return false;
  contents.set(recordKey(same), form);
  return true;
}
