import { ownerWithin } from "../names/names.ts";
import { isApexNs, recordKey, recordLabel, rrsetOf, type RecordData } from "../records/record.ts";
import { mapped, type Steps } from "../slices.ts";
import { placeholderNameServer, type Soa } from "./soa.ts";

/** What has been read of a zone so far. Each addition costs the same, however large the zone. */
export interface Contents {
  records: RecordData[];
  soa: Soa | null;
  keys: Set<string>;
  ttls: RrsetTtls;
}

interface RrsetTtls {
  /** Canonical zone name. */
  zone: string;
  /** The records that were read last, and of a host that they name as a name server those behind them. */
  run: Run;
  glue: Run | null;
  /** Of each RRset the TTL that holds so far. */
  all: Map<string, number>;
  /** RRsets whose records differ, with the TTL that was told last. */
  mixed: Map<string, number>;
}

/** Records of one owner in a row. */
interface Run {
  owner: string | null;
  /** The TTLs of the RRsets among them. */
  ttls: Map<string, number>;
  /** Where their NS records lead, as owners. */
  servers: Set<string>;
}

export function emptyContents(zone: string): Contents {
  return {
    records: [],
    soa: null,
    keys: new Set(),
    ttls: { zone, run: runOf(null), glue: null, all: new Map(), mixed: new Map() },
  };
}

/** Takes a record in. Answers with what is odd about it, else null. */
export function addRecord(contents: Contents, record: RecordData): string | null {
  if (isPlaceholder(record)) return null;
  const odd = takeTtl(contents.ttls, record);
  const key = recordKey(record);
  if (contents.keys.has(key)) {
    return `${recordLabel(record)} is there already; the repetition is left out.`;
  }
  contents.keys.add(key);
  contents.records.push(record);
  return odd;
}

/** Takes the SOA in. Answers with why it cannot, else null. An identical second one, as a zone transfer ends with, is fine. */
export function addSoa(contents: Contents, name: string, soa: Soa): string | null {
  if (name !== "@") return `The SOA belongs to the zone's apex, not to ${name}.`;
  if (contents.soa && !sameSoa(contents.soa, soa)) return "The zone has a different SOA already.";
  contents.soa ??= soa;
  return null;
}

/** The records, those of an RRset with one TTL, a step for each. */
export function* recordsOf({ records, ttls }: Contents): Steps<RecordData[]> {
  if (ttls.mixed.size === 0) return records;
  return yield* mapped(records, (record) => {
    const rrset = rrsetOf(record);
    return ttls.mixed.has(rrset) ? { ...record, ttl: ttls.all.get(rrset) ?? record.ttl } : record;
  });
}

/** The apex NS that `printZoneFile` adds to a zone without one. It is no record of the zone. */
export function isPlaceholder(record: Pick<RecordData, "recordType" | "name" | "value">): boolean {
  return isApexNs(record) && record.value === placeholderNameServer;
}

/**
 * RFC 2181 §5.2 wants one TTL for an RRset and leaves open which. BIND's choice is what the zone's resolvers saw before: among records of
 * one owner in a row the first counts, and where the owner comes again later, the later row. Addresses of the name servers that a row names
 * do not end it.
 */
function takeTtl(ttls: RrsetTtls, record: RecordData): string | null {
  const run = runFor(ttls, record.name);
  if (record.recordType === "NS") {
    const server = ownerWithin(record.value, ttls.zone);
    if (server !== null) run.servers.add(server);
  }
  const rrset = rrsetOf(record);
  const ttl = run.ttls.get(rrset) ?? record.ttl;
  const before = ttls.all.get(rrset);
  run.ttls.set(rrset, ttl);
  ttls.all.set(rrset, ttl);
  if (ttl === record.ttl && (before === undefined || before === ttl)) return null;
  if (ttls.mixed.get(rrset) === ttl) return null;
  ttls.mixed.set(rrset, ttl);
  return `${record.name} ${record.recordType} has records with different TTLs; ${ttl} holds for all of them, as in BIND (RFC 2181 §5.2).`;
}

/** The row that the next record of `owner` belongs to. */
function runFor(ttls: RrsetTtls, owner: string): Run {
  if (ttls.glue?.owner === owner) return ttls.glue;
  ttls.glue = null;
  if (ttls.run.owner === owner) return ttls.run;
  if (ttls.run.servers.has(owner)) return (ttls.glue = runOf(owner));
  return (ttls.run = runOf(owner));
}

function runOf(owner: string | null): Run {
  return { owner, ttls: new Map(), servers: new Set() };
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
