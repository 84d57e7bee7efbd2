import { sameStrings, stringsOfGeneric } from "./values/character-strings.ts";
import { shortened } from "./rdata/field.ts";
import { ok, refuse, type Result } from "../platform/result.ts";

/** RFC 2181 §8: a TTL is an unsigned 31-bit number. */
export const maxTtl = 2 ** 31 - 1;

/** How the names of a record were first written, where they have capitals. DNS ignores these when it compares names (RFC 4343 §3). */
export interface Spelling {
  /** The owner as written; left out if it is as in `name`. */
  writtenName?: string | undefined;
  /** The value with its names as written; left out if it is as in `value`. */
  writtenValue?: string | undefined;
}

/**
 * A DNS record without identity, as exchanged between plans, providers and zone files.
 * All fields but those of its spelling are canonical (see `values/`): two records are equal exactly when these fields are.
 */
export interface RecordData extends Spelling {
  /** Type mnemonic in upper case, such as `MX`, or `TYPE65280` (RFC 3597). Types that are not editable are preserved as read. */
  recordType: string;
  /** Owner relative to the zone: `@` for the apex, else lower-case A-labels without a trailing dot. */
  name: string;
  /** Canonical value of the type. */
  value: string;
  /**
   * TXT: the character-strings, if the value is not split at every 255 octets (values/character-strings.ts). Otherwise null, as for other
   * types.
   */
  strings: string[] | null;
  /** Time to live in seconds, 0 to 2^31-1 (RFC 2181 §8). */
  ttl: number;
  /** MX and SRV: the priority, which is also part of the value. Null for other types. */
  priority: number | null;
  /** Whether the provider's proxy answers for this record. False for providers without one. */
  proxied: boolean;
}

/** A record read from a provider. */
export interface ReadRecord extends RecordData {
  /** True if the provider signs the zone and maintains this record itself. */
  serverManaged?: true;
}

/** The types that every provider stores. */
export const commonTypes = ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"] as const;

/** The types with a form or rules of their own. Clients may create most others, too, see `isWritableType`. */
export const editableTypes = [
  ...commonTypes,
  "PTR",
  "TLSA",
  "SSHFP",
  "HTTPS",
  "SVCB",
  "DS",
  "NAPTR",
  "DHCID",
  "ALIAS",
] as const;
export type EditableType = (typeof editableTypes)[number];

/** A type by name: those with a form, or any other. */
export type TypeName = EditableType | (string & {});

export function isCommonType(type: string): boolean {
  return (commonTypes as readonly string[]).includes(type);
}

export function isEditableType(type: string): type is EditableType {
  return (editableTypes as readonly string[]).includes(type);
}

/** Returns whether a record is one of the zone's own NS records. */
export function isApexNs({ recordType, name }: Pick<RecordData, "recordType" | "name">): boolean {
  return recordType === "NS" && name === "@";
}

/** Formats a record for messages. */
export function recordLabel(record: Pick<RecordData, "recordType" | "name" | "value"> & Spelling): string {
  return `${nameOf(record)} ${record.recordType} ${shortValue(valueOf(record))}`;
}

/** Returns a record's owner as written, to show or to send it. Compare `name`. */
export function nameOf({ name, writtenName }: Pick<RecordData, "name" | "writtenName">): string {
  return writtenName ?? name;
}

/** Returns a record's value as written, to show or to send it. Compare `value`. */
export function valueOf({ value, writtenValue }: Pick<RecordData, "value" | "writtenValue">): string {
  return writtenValue ?? value;
}

/** Returns how a record was written, without the fields that it does not have. */
export function spellingOf({ writtenName, writtenValue }: Spelling): Spelling {
  return {
    ...(writtenName === undefined ? {} : { writtenName }),
    ...(writtenValue === undefined ? {} : { writtenValue }),
  };
}

/**
 * Returns a record as it is shown: with the name and the value as written in place of the canonical ones, and with the strings of a TXT whose
 * value is in generic form.
 */
export function asWritten<
  Data extends Pick<RecordData, "name" | "value"> & Partial<Pick<RecordData, "recordType" | "strings">> & Spelling,
>(record: Data): Omit<Data, keyof Spelling> {
  const { writtenName, writtenValue, ...shown } = record;
  const { recordType, strings, value } = record;
  // Octets that are no text are readable only as strings.
  const octets = recordType === "TXT" && strings === null ? stringsOfGeneric(value) : null;
  const cut = octets === null ? {} : { strings: octets };
  return { ...shown, ...cut, name: writtenName ?? record.name, value: writtenValue ?? value };
}

/** Truncates a value to 60 characters for messages. */
export function shortValue(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}

/** Returns a record's identity within a zone, unique among live records. */
export function recordKey(record: Pick<RecordData, "recordType" | "name" | "value" | "strings">): string {
  const key = textKey(record);
  return record.strings === null ? key : `${key}\u0000${JSON.stringify(record.strings)}`;
}

/** Returns a key that ignores how a TXT is split into strings. */
export function textKey(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${record.name}\u0000${record.recordType}\u0000${record.value}`;
}

/** Returns the RRset identity: all records with the same owner and type share a TTL (RFC 2181 §5.2). */
export function rrsetKey(record: Pick<RecordData, "recordType" | "name">): string {
  return `${record.name}\u0000${record.recordType}`;
}

/**
 * Returns the RRset identity, with signatures grouped by the RRset they cover: an RRSIG has the TTL of that RRset, so one name can hold
 * several RRSIG RRsets (RFC 4034 §3).
 */
function rrsetOf(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  if (record.recordType !== "RRSIG" && record.recordType !== "SIG") return rrsetKey(record);
  return `${rrsetKey(record)}\u0000${record.value.split(" ", 1)[0]}`;
}

/** Returns a key shared by records with the same TTL: those of an RRset, except that proxied records get the proxy's TTL. */
export function ttlKey(record: Pick<RecordData, "recordType" | "name" | "value" | "proxied">): string {
  return `${rrsetOf(record)}\u0000${record.proxied}`;
}

/** What Zonewright notes about a record. Not published in DNS. */
export interface RecordNotes {
  comment: string | null;
  /** Whether only the domain's owner and administrators may change or delete it, and only with `unlock`. */
  locked: boolean;
  /** The user to ask about it. */
  ownerId: string | null;
  /** When it is to be looked at again. */
  reviewAt: Date | null;
}

/** The notes of a new record. */
export const noNotes: RecordNotes = { comment: null, locked: false, ownerId: null, reviewAt: null };

/**
 * `active`: DNS has it. `disabled`: it is kept, shown and exported here, but no provider, secondary or rule of zones knows of it. Its name,
 * its type and its value then take no place.
 */
export type RecordStatus = "active" | "disabled";

/** A record's data, and whether DNS has it. */
export interface StatedData extends RecordData {
  status: RecordStatus;
}

/** A record in the newest revision. */
export interface LiveRecord extends StatedData, RecordNotes {
  id: string;
  /** Version number of this record, from 1; its ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  /** Set on a TXT stored by 0.1, which did not record its split into strings, until its provider is read again. `strings` is then null. */
  splitUnread?: true;
}

/** A record's new content. */
export interface RecordDraft extends StatedData, RecordNotes {}

/** One step of a plan. `before` and `after` are canonical. */
export type PlannedChange =
  | { action: "create"; id: string; before: null; after: RecordDraft }
  | { action: "update"; id: string; before: LiveRecord; after: RecordDraft }
  | { action: "delete"; id: string; before: LiveRecord; after: null };

/** Returns whether DNS has a record. */
export function isActive({ status }: Pick<StatedData, "status">): boolean {
  return status === "active";
}

/** The types that a provider's proxy may answer for. */
export const proxiable: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME"]);

/**
 * Returns whether a record that a client adds, and that cannot say so, is to be proxied: if all of its RRset are, or, without one, all of the
 * name's records that can be. Otherwise it would publish an address that the proxy hid.
 * @param present what the name has before the change
 */
export function proxiedLike(recordType: string, present: readonly LiveRecord[]): boolean {
  if (!proxiable.has(recordType)) return false;
  const ofName = present.filter((record) => proxiable.has(record.recordType));
  const ofType = ofName.filter((record) => record.recordType === recordType);
  const some = ofType.length > 0 ? ofType : ofName;
  const served = some.filter(isActive);
  const models = served.length > 0 ? served : some;
  return models.length > 0 && models.every(({ proxied }) => proxied);
}

/** Returns a change as DNS sees it: enabling a record creates it there, disabling one deletes it. Null if DNS sees nothing of it. */
export function servedChange(change: PlannedChange): PlannedChange | null {
  const { id, before, after } = change;
  const [was, is] = [before && isActive(before), after && isActive(after)];
  if (was && is) return change;
  if (before && was) return { action: "delete", id, before, after: null };
  return after && is ? { action: "create", id, before: null, after } : null;
}

/** Returns changes as DNS sees them, without those that it does not see. */
export function servedChanges(changes: readonly PlannedChange[]): PlannedChange[] {
  return changes.flatMap((change) => servedChange(change) ?? []);
}

const dataFields = ["recordType", "name", "value", "strings", "ttl", "priority", "proxied"] as const;

/** Returns whether two records are the same in DNS, however they are written. */
export function sameData(a: RecordData, b: RecordData): boolean {
  // Comparisons of whole zones call this for each record.
  return (
    a.recordType === b.recordType &&
    a.name === b.name &&
    a.value === b.value &&
    a.ttl === b.ttl &&
    a.priority === b.priority &&
    a.proxied === b.proxied &&
    sameStrings(a.strings, b.strings)
  );
}

function sameField(a: RecordData, b: RecordData, field: (typeof dataFields)[number]): boolean {
  return field === "strings" ? sameStrings(a.strings, b.strings) : a[field] === b[field];
}

/** Returns whether two records are the same in a zone, whatever is noted about them and however they are written. */
export function sameRecord(a: StatedData, b: StatedData): boolean {
  return a.status === b.status && sameData(a, b);
}

/** Returns whether two records with the same data are written alike. */
export function sameSpelling(a: Spelling, b: Spelling): boolean {
  return a.writtenName === b.writtenName && a.writtenValue === b.writtenValue;
}

/** Returns whether two records are the same and written alike, whatever is noted about them. */
export function sameAsWritten(a: StatedData, b: StatedData): boolean {
  return sameRecord(a, b) && sameSpelling(a, b);
}

/** Returns whether the draft equals the record, spelling and notes included. */
export function isUnchanged(before: LiveRecord, after: RecordDraft): boolean {
  return sameAsWritten(before, after) && noteFields.every((field) => sameNote(before, after, field));
}

const noteFields = ["comment", "locked", "ownerId", "reviewAt"] as const;

function sameNote(a: RecordNotes, b: RecordNotes, field: (typeof noteFields)[number]): boolean {
  return field === "reviewAt" ? a.reviewAt?.getTime() === b.reviewAt?.getTime() : a[field] === b[field];
}

/** Returns the notes of a record. */
export function notesOf({ comment, locked, ownerId, reviewAt }: RecordNotes): RecordNotes {
  return { comment, locked, ownerId, reviewAt };
}

/** Fields that differ, each as `[old, new]`. */
export type Differences<Fields> = { [Field in keyof Fields]?: [Fields[Field], Fields[Field]] };

/** Returns the notes that differ, each as `[old, new]`. */
export function changedNotes(before: RecordNotes, after: RecordNotes): Differences<RecordNotes> {
  return Object.fromEntries(
    noteFields
      .filter((field) => !sameNote(before, after, field))
      .map((field) => [field, [before[field], after[field]]]),
  );
}

/** Returns the fields that differ, each as `[old, new]` and as written, as snapshot diffs show them. */
export function changedFields(before: StatedData, after: StatedData): Differences<StatedData> {
  const [one, other] = [asWritten(before), asWritten(after)];
  const changed = Object.fromEntries(
    dataFields
      .filter((field) => !sameField(one, other, field))
      .map((field): [string, [unknown, unknown]] => [field, [one[field], other[field]]]),
  );
  return before.status === after.status ? changed : { ...changed, status: [before.status, after.status] };
}

/** Returns the fields of a record that a provider stores. */
export function dataOf(record: RecordData): RecordData {
  const { recordType, name, value, strings, ttl, priority, proxied } = record;
  return { recordType, name, value, strings, ttl, priority, proxied, ...spellingOf(record) };
}

/** Returns the fields of a record that answers show, as written. */
export function statedDataOf(record: StatedData): StatedData {
  return { ...asWritten(dataOf(record)), status: record.status };
}

/** Counts the changes by action. */
export function countActions(changes: readonly { action: "create" | "update" | "delete" }[]) {
  const counts = { creates: 0, updates: 0, deletes: 0 };
  for (const { action } of changes) counts[`${action}s`]++;
  return counts;
}

/** Value of the `strings` column in rows written by 0.1, which did not store the split. Meaningful only for TXT records. */
export const unreadSplit = "";

/** Returns a record's strings as its row stores them; null stands for the default split. */
export function storedStrings(strings: readonly string[] | null): string | null {
  return strings === null ? null : JSON.stringify(strings);
}

/** The label of the names where certificate authorities look (RFC 8555 §8.4). */
const challengeLabel = /^_acme-challenge(?:\.|$)/i;

/** Returns whether a record may be an ACME challenge. */
export function isChallenge({ recordType, name }: { recordType: string; name: string }): boolean {
  return recordType === "TXT" && challengeLabel.test(name);
}

const secondsPerUnit: Record<string, number> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };
/** Far longer than any real time, such as `99999999w99999999d99999999h`. */
const longestField = 30;
const ttlForm = /^(?:\d{1,10}|(?:\d{1,10}[wdhms])+)$/i;

/** Returns whether a field looks like a TTL: a number, or numbers with units (`1h30m`). It may still be too large. */
export function looksLikeTtl(text: string): boolean {
  const first = text.charCodeAt(0);
  return first >= 48 && first <= 57 && text.length <= longestField && ttlForm.test(text);
}

/** Parses `3600`, `1h30m` or `1W2D` into seconds, 0 to 2^31-1. Units are BIND's: w, d, h, m, s. */
export function parseTtl(text: string): Result<number> {
  if (!looksLikeTtl(text)) {
    return refuse(
      `"${shortened(text)}" is not a valid time; use seconds, or numbers with the units w, d, h, m and s, such as 1h30m.`,
    );
  }
  // Most are plain numbers.
  let seconds = Number(text);
  if (Number.isNaN(seconds)) {
    seconds = 0;
    for (const [, digits, unit] of text.matchAll(/(\d+)([wdhms]?)/gi)) {
      seconds += Number(digits) * (secondsPerUnit[unit?.toLowerCase() ?? ""] ?? 1);
    }
  }
  if (seconds > maxTtl) return refuse(`${text} exceeds the maximum of ${maxTtl} seconds.`);
  return ok(seconds);
}
