import { isApexNs, recordKey, recordLabel, rrsetKey, type RecordData } from "../records/record.ts";
import { placeholderNameServer, type Soa } from "./soa.ts";

/** What has been read of a zone so far. Each addition costs the same, however large the zone. */
export interface Contents {
  records: RecordData[];
  soa: Soa | null;
  keys: Set<string>;
  /** TTL of each RRset by its first record; -1 once a deviation has been told. */
  rrsetTtls: Map<string, number>;
}

export function emptyContents(): Contents {
  return { records: [], soa: null, keys: new Set(), rrsetTtls: new Map() };
}

/** Takes a record in. Answers with what is odd about it, else null. */
export function addRecord(contents: Contents, record: RecordData): string | null {
  if (isPlaceholder(record)) return null;
  const key = recordKey(record);
  if (contents.keys.has(key)) {
    return `${recordLabel(record)} is there already; the repetition is left out.`;
  }
  contents.keys.add(key);
  contents.records.push(record);
  return deviatingTtl(contents.rrsetTtls, record);
}

/** Takes the SOA in. Answers with why it cannot, else null. An identical second one, as a zone transfer ends with, is fine. */
export function addSoa(contents: Contents, name: string, soa: Soa): string | null {
  if (name !== "@") return `The SOA belongs to the zone's apex, not to ${name}.`;
  if (contents.soa && !sameSoa(contents.soa, soa)) return "The zone has a different SOA already.";
  contents.soa ??= soa;
  return null;
}

/** The apex NS that `printZoneFile` adds to a zone without one. It is no record of the zone. */
export function isPlaceholder(record: Pick<RecordData, "recordType" | "name" | "value">): boolean {
  return isApexNs(record) && record.value === placeholderNameServer;
}

function deviatingTtl(rrsetTtls: Map<string, number>, record: RecordData): string | null {
  const key = rrsetKey(record);
  const first = rrsetTtls.get(key);
  if (first === undefined) {
    rrsetTtls.set(key, record.ttl);
    return null;
  }
  if (first === -1 || first === record.ttl) return null;
  rrsetTtls.set(key, -1);
  return `${record.name} ${record.recordType} has records with different TTLs; servers use one of them (RFC 2181 §5.2).`;
}

function sameSoa(one: Soa, other: Soa): boolean {
  return (
    one.mname === other.mname &&
    one.rname === other.rname &&
    one.serial === other.serial &&
    one.refresh === other.refresh &&
    one.retry === other.retry &&
    one.expire === other.expire &&
    one.minimum === other.minimum
  );
}
