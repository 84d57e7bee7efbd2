import { absoluteName } from "../../dns/names/names.ts";
import { recordKey, recordLabel, rrsetKey, type RecordData } from "../../dns/record.ts";
import type { RecordChange } from "../provider.ts";
import type { RrsetReplacement } from "./api.ts";
import { printContent, type ReadRrset, type ServedRecord } from "./served-records.ts";

export interface Replacements {
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
export function replacementsFor(
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
  rrset.records.push({ content: printContent(record), disabled: false, data: record });
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
