import { isWritableType } from "../../../dns/zone-file/type-names.ts";
import { nameOf, recordKey, rrsetKey, valueOf, type LiveRecord, type RecordStatus } from "../../../dns/record.ts";
import { withEscapes } from "../../../dns/names/names.ts";
import type { Steps } from "../../../platform/slices.ts";
import type { Edit } from "../../../zones/records/editing/edits.ts";
import { textOf } from "./comments.ts";
import { otherTtl, type WantedData, type WantedRrset } from "./wanted-rrsets.ts";

/** An edit, and the RRset that it is made for. */
export interface RrsetEdit {
  edit: Edit;
  of: WantedRrset;
}

/**
 * Returns the edits that turn the present records into what is wanted. A replaced value is an update, so that the record keeps its identity
 * and notes. Pure.
 * @param present the records at the names of the RRsets @throws Unprocessable for a record to add whose TTL is another than its RRset's
 */
export function* rrsetEdits(wanted: readonly WantedRrset[], present: readonly LiveRecord[]): Steps<RrsetEdit[]> {
  const sets = Map.groupBy(present, rrsetKey);
  const edits: RrsetEdit[] = [];
  for (const of of wanted) {
    for (const edit of editsOf(of, sets.get(rrsetKey(of)) ?? [])) {
      edits.push({ edit, of });
      yield;
    }
    yield;
  }
  return edits;
}

function editsOf(wanted: WantedRrset, present: readonly LiveRecord[]): Edit[] {
  const { name, recordType, records, ttl, comments } = wanted;
  const owner = withEscapes(wanted.owner);
  const noted = comments === undefined ? {} : { comment: textOf(comments) || null };
  if (records === null) return adjustments(wanted, present, noted);
  const coming = new Map(records.map((data) => [recordKey({ name, recordType, ...data }), data]));
  const written = ttl === null ? noted : { ...noted, ttl };
  const edits: Edit[] = [];
  const going: LiveRecord[] = [];
  for (const record of present) {
    const data = coming.get(recordKey(record));
    if (data && coming.delete(recordKey(record)))
      edits.push(...updateOf(record, { ...written, status: statusOf(data), ...spelledAs(wanted, data, record) }));
    else going.push(record);
  }
  // Nobody may change the value of other types, but delete and create them.
  const replaceable = isWritableType(recordType) ? going : [];
  const shared = sharedComment(present);
  [...coming.values()].forEach((data: WantedData, index) => {
    const { strings } = data;
    const value = valueOf(data);
    const before = replaceable[index];
    const content = { door: "dns" as const, value, strings, status: statusOf(data), ...written };
    if (before) edits.push({ action: "update", recordId: before.id, patch: content });
    else edits.push({ action: "create", input: { name: owner, recordType, comment: shared, ...content } });
  });
  const deleted = going.slice(Math.min(replaceable.length, coming.size));
  return [...edits, ...deleted.map(({ id }): Edit => ({ action: "delete", recordId: id }))];
}

/** Returns the edits that add and remove single records, and leave the others as they are but for their comment. */
function adjustments(wanted: WantedRrset, present: readonly LiveRecord[], noted: Pick<Patch, "comment">): Edit[] {
  const { name, recordType, added, removed, ttl } = wanted;
  const keyOf = (data: WantedData) => recordKey({ name, recordType, ...data });
  const going = new Set(removed.map(keyOf));
  const [leaving, staying] = [true, false].map((leaves) =>
    present.filter((one) => going.has(recordKey(one)) === leaves),
  );
  const there = new Set((staying ?? []).map(recordKey));
  const coming = added.filter((data) => !there.has(keyOf(data)));
  const other = (staying ?? []).find((record) => !record.proxied && record.ttl !== ttl);
  if (other && coming.length > 0) throw otherTtl(wanted, other.ttl);
  return [
    ...(leaving ?? []).map(({ id }): Edit => ({ action: "delete", recordId: id })),
    ...(staying ?? []).flatMap((record) => updateOf(record, noted)),
    ...coming.map((data): Edit => {
      const content = { door: "dns" as const, value: valueOf(data), strings: data.strings, status: statusOf(data) };
      const input = { name: withEscapes(wanted.owner), recordType, comment: sharedComment(present), ...content };
      return { action: "create", input: { ...input, ...noted, ...(ttl === null ? {} : { ttl }) } };
    }),
  ];
}

function statusOf({ disabled }: WantedData): RecordStatus {
  return disabled ? "disabled" : "active";
}

/** Returns the name and the value of a record, if a client writes them with other capitals than they have. */
function spelledAs(wanted: WantedRrset, data: WantedData, record: LiveRecord): { name?: string; value?: string } {
  return {
    ...(nameOf(wanted) === nameOf(record) ? {} : { name: withEscapes(wanted.owner) }),
    ...(valueOf(data) === valueOf(record) ? {} : { value: valueOf(data) }),
  };
}

/** What an update of a record changes, if it is not so already. */
interface Patch {
  ttl?: number;
  status?: RecordStatus;
  comment?: string | null;
  name?: string;
  value?: string;
}

/** Returns the update of a record; none if it is so already. A proxied record's TTL is the proxy's. */
function updateOf(record: LiveRecord, patch: Patch): Edit[] {
  const { ttl = record.ttl, status = record.status, comment = record.comment, name, value } = patch;
  const isSpelled = name === undefined && value === undefined;
  const isNoted = status === record.status && comment === record.comment;
  const isSame = (record.proxied || ttl === record.ttl) && isNoted && isSpelled;
  return isSame ? [] : [{ action: "update", recordId: record.id, patch }];
}

/** Returns the comment that all records have, which in PowerDNS belongs to the RRset. */
function sharedComment([first, ...others]: readonly LiveRecord[]): string | null {
  return first && others.every(({ comment }) => comment === first.comment) ? first.comment : null;
}
