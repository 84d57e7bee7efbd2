import { printContent } from "../../dns-providers/powerdns/served-records.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { printRdata } from "../../dns/record-types.ts";
import { isActive, nameOf, rrsetKey, type LiveRecord, type RecordData } from "../../dns/record.ts";
import type { Soa } from "../../dns/zone-file/soa.ts";
import { grouped, mapped, type Steps } from "../../platform/slices.ts";

/** An RRset as PowerDNS shows it. */
export interface ShownRrset {
  /** Absolute, with a trailing dot. */
  name: string;
  type: string;
  ttl: number;
  records: { content: string; disabled: boolean }[];
  comments: { content: string; account: string; modified_at: number }[];
}

/** Returns records as RRsets, in the order in which their first records come. Pure. @param zone canonical */
export function* shownRrsets(zone: string, records: Iterable<LiveRecord>): Steps<ShownRrset[]> {
  const sets = yield* grouped(records, rrsetKey);
  return yield* mapped(sets.values(), (some): ShownRrset => {
    const [first] = some;
    if (!first) throw new Error("A group has at least one record.");
    return {
      name: `${absoluteName(nameOf(first), zone)}.`,
      type: first.recordType,
      // A disabled record may have a TTL of its own.
      ttl: (some.find(isActive) ?? first).ttl,
      // In the order of their contents, as PowerDNS shows them.
      records: some
        .map((record) => ({ content: shownContent(record), disabled: !isActive(record) }))
        .toSorted((one, other) => (one.content < other.content ? -1 : one.content > other.content ? 1 : 0)),
      comments: commentsOf(some),
    };
  });
}

/** Returns a record's data as PowerDNS shows it: an address keeps its own form. */
export function shownContent(record: RecordData): string {
  return record.recordType === "AAAA" ? printRdata(record) : printContent(record);
}

/** Returns the comments of an RRset's records, each text once. */
function commentsOf(records: readonly LiveRecord[]): ShownRrset["comments"] {
  const newest = new Map<string, number>();
  for (const { comment, updatedAt } of records) {
    if (comment === null || comment === "") continue;
    newest.set(comment, Math.max(newest.get(comment) ?? 0, Math.floor(updatedAt.getTime() / 1_000)));
  }
  return [...newest].map(([content, at]) => ({ content, account: "", modified_at: at }));
}

/** Returns the RRset of a zone's SOA. */
export function soaRrset(zone: string, soa: Soa): ShownRrset {
  const { mname, rname, serial, refresh, retry, expire, minimum, ttl } = soa;
  const content = [absolute(mname), absolute(rname), serial, refresh, retry, expire, minimum].join(" ");
  return { name: `${zone}.`, type: "SOA", ttl, records: [{ content, disabled: false }], comments: [] };
}

function absolute(name: string): string {
  return name === "." ? name : `${name}.`;
}

/** Returns an RRset as lines of a zone file, without disabled records. */
export function fileLines({ name, type, ttl, records }: ShownRrset): string {
  return records
    .map(({ content, disabled }) => (disabled ? "" : `${name}\t${ttl}\tIN\t${type}\t${content}\n`))
    .join("");
}
