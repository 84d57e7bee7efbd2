import { printedRdata } from "../../../dns-providers/rdata-text.ts";
import { absoluteName, withEscapes } from "../../../dns/names/names.ts";
import { printRdata } from "../../../dns/record-types.ts";
import { isActive, nameOf, rrsetKey, type LiveRecord, type RecordData } from "../../../dns/record.ts";
import type { Soa } from "../../../dns/zone-file/contents.ts";
import { grouped, mapped, type Steps } from "../../../platform/slices.ts";
import { commentsOf, type ShownComment, type StoredComments } from "./comments.ts";

/** An RRset as PowerDNS shows it. */
export interface ShownRrset {
  /** Absolute, with a trailing dot. */
  name: string;
  type: string;
  ttl: number;
  records: { content: string; disabled: boolean }[];
  comments: ShownComment[];
}

/**
 * Returns records as RRsets, in the order in which their first records come. Pure.
 * @param zone canonical @param stored comments by `rrsetKey`
 */
export function* shownRrsets(
  zone: string,
  records: Iterable<LiveRecord>,
  stored: ReadonlyMap<string, StoredComments> = new Map(),
): Steps<ShownRrset[]> {
  const sets = yield* grouped(records, rrsetKey);
  return yield* mapped(sets.values(), (some): ShownRrset => {
    const [first] = some;
    if (!first) throw new Error("A group has at least one record.");
    return {
      name: shownOwner(nameOf(first), zone),
      type: first.recordType,
      // A disabled record may have a TTL of its own.
      ttl: (some.find(isActive) ?? first).ttl,
      // In the order of their contents, as PowerDNS shows them.
      records: some
        .map((record) => ({ content: shownContent(record), disabled: !isActive(record) }))
        .toSorted((one, other) => (one.content < other.content ? -1 : one.content > other.content ? 1 : 0)),
      comments: commentsOf(some, stored.get(rrsetKey(first))),
    };
  });
}

/** Returns the name of an RRset, in a form that can be sent again. */
export function shownOwner(name: string, zone: string): string {
  return `${withEscapes(absoluteName(name, zone))}.`;
}

/** Returns a record's data as PowerDNS shows it: an address keeps its own form. */
export function shownContent(record: RecordData): string {
  return record.recordType === "AAAA" ? printRdata(record) : printedRdata(record);
}

/** Returns the RRset of a zone's SOA. */
export function soaRrset(zone: string, soa: Soa, comments: ShownComment[] = []): ShownRrset {
  const { mname, rname, serial, refresh, retry, expire, minimum, ttl } = soa;
  const content = [absolute(mname), absolute(rname), serial, refresh, retry, expire, minimum].join(" ");
  return { name: `${zone}.`, type: "SOA", ttl, records: [{ content, disabled: false }], comments };
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
