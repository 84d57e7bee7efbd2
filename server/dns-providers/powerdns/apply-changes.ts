import { readOwner, absoluteName } from "../../dns/names/names.ts";
import { recordKey, recordLabel, rrsetKey, type RecordData } from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { ProviderError, type ChangeOutcome, type RecordChange } from "../provider.ts";
import { allOrNone, outcomesFrom, recordsOf, notDone, touchedNames } from "../applying/apply-to-records.ts";
import type { Answer, RrsetReplacement, ServedRrset } from "./client.ts";
import { printedRdata, canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";
import { inBatches, connectedComponents } from "../applying/batches.ts";

/**
 * Sends RRsets in one call, which the server carries out whole or not at all. `does` lists the changes that it makes. @throws
 * ProviderError
 */
type SendRrsets = (rrsets: readonly RrsetReplacement[], does: readonly RecordChange[]) => Promise<Answer<null>>;

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
    if (after) count(after.name, printedRdata(after));
  }
  const namesOf = (index: number) => [...touchedNames(changes.slice(index, index + 1))];
  const sizesOf = (indexes: readonly number[]) => [
    [...new Set(indexes.flatMap(namesOf))].reduce((sum, name) => sum + (octetsAt.get(name) ?? 0), 0),
  ];
  const parts = connectedComponents([...changes.keys()], namesOf);
  return inBatches(parts, sizesOf, [mostOctets]).map((call) => call.flat());
}

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
  const [, ...parsed] = said.split("(parsed as '");
  const [, form] = /^(.*)'\)\s*$/s.exec(parsed.join("(parsed as '")) ?? [];
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

interface Replacements {
  /** RRsets to send, emptied ones first: a CNAME and the addresses it replaces may then swap in one call. */
  rrsets: RrsetReplacement[];
  /** Changes that cannot be made whatever the server says, with the reason. */
  refused: Map<RecordChange, string>;
}

/**
 * Returns what the RRsets that the changes touch are to become. Other records stay as the server prints them, including disabled
 * ones. A TTL changed elsewhere does not matter. Deletions come before creations. Pure.
 * @param contents the notation that the server wants for some records, by `recordKey`.
 */
function replacementsFor(
  zone: string,
  present: readonly ReadRrset[],
  changes: readonly RecordChange[],
  contents: ReadonlyMap<string, string> = new Map(),
): Replacements {
  const refused = new Map<RecordChange, string>();
  for (;;) {
    const sets = new Map(present.map((rrset) => [rrsetKey(rrset), { ...rrset, records: [...rrset.records] }]));
    const touched = new Set<string>();
    const known = refused.size;
    const wanted = changes.filter((change) => !refused.has(change));
    for (const change of wanted) {
      if (change.before === null) continue;
      touched.add(rrsetKey(change.before));
      if (!take(sets.get(rrsetKey(change.before)), change.before)) {
        refused.set(change, `${recordLabel(change.before)} is no longer at PowerDNS; sync the zone first.`);
      }
    }
    for (const change of wanted) {
      if (change.after === null || refused.has(change)) continue;
      touched.add(rrsetKey(change.after));
      if (!put(sets, change.after)) {
        refused.set(change, `${recordLabel(change.after)} is already at PowerDNS; sync the zone first.`);
      }
    }
    // A refused change leaves its old record in place, which may block another change.
    if (refused.size > known) continue;
    const rrsets = [...touched].flatMap((key) => {
      const rrset = sets.get(key);
      return rrset ? [replacement(zone, rrset, contents)] : [];
    });
    return { rrsets: rrsets.toSorted((one, other) => emptyFirst(one) - emptyFirst(other)), refused };
  }
}

function take(rrset: ReadRrset | undefined, record: RecordData): boolean {
  const index = rrset?.records.findIndex((served) => isServed(served, record)) ?? -1;
  if (index === -1) return false;
  rrset?.records.splice(index, 1);
  return true;
}

function put(sets: Map<string, ReadRrset>, record: RecordData): boolean {
  const { name, recordType, ttl } = record;
  const rrset = sets.get(rrsetKey(record)) ?? { name, recordType, ttl, records: [] };
  if (rrset.records.some((served) => isServed(served, record))) return false;
  // A disabled record with the same content is enabled instead.
  rrset.records = rrset.records.filter((served) => recordKey(served.data) !== recordKey(record));
  rrset.records.push({ content: printedRdata(record), disabled: false, data: record });
  rrset.ttl = ttl;
  sets.set(rrsetKey(record), rrset);
  return true;
}

function isServed({ disabled, data }: ServedRecord, record: RecordData): boolean {
  return !disabled && recordKey(data) === recordKey(record);
}

/** Returns a replacement without `comments`, so that the server keeps them. */
function replacement(
  zone: string,
  { name, recordType, ttl, records }: ReadRrset,
  contents: ReadonlyMap<string, string>,
): RrsetReplacement {
  return {
    name: `${absoluteName(name, zone)}.`,
    type: recordType,
    ttl,
    changetype: "REPLACE",
    records: records.map(({ content, disabled, data }) => ({
      content: contents.get(recordKey(data)) ?? content,
      disabled,
    })),
  };
}

function emptyFirst({ records }: RrsetReplacement): number {
  return records.length === 0 ? 0 : 1;
}

/** A record on the server, with its canonical form. */
interface ServedRecord {
  /** As the server prints it, to be sent back unchanged. */
  content: string;
  disabled: boolean;
  data: RecordData;
}

export interface ReadRrset {
  name: string;
  recordType: string;
  ttl: number;
  records: ServedRecord[];
}

/** Returns an RRset in canonical form; null for the SOA, which the server manages, and for names outside the zone. */
export function readRrset(zone: string, { name: owner, type, ttl, records }: ServedRrset): ReadRrset | null {
  const name = readOwner(owner, "", zone);
  const recordType = canonicalType(type) ?? type.toUpperCase();
  if (!name.ok || recordType === "SOA") return null;
  return {
    name: name.value.name,
    recordType,
    ttl,
    records: records.map(({ content, disabled }) => {
      const said = canonicalContent(recordType, content);
      return { content, disabled, data: { recordType, ...name.value, ...said, ttl, proxied: false } };
    }),
  };
}

/** Returns content in canonical form; unchanged if it cannot be read, so that nothing is lost. */
export function canonicalContent(recordType: string, content: string): RecordContent {
  return canonicalRdata(recordType, content) ?? unreadContent(content);
}
