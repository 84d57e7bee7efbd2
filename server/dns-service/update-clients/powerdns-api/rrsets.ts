import { absoluteName, readOwner, shown, withEscapes } from "../../../dns/names/names.ts";
import { ruleFor, printRdata } from "../../../dns/record-types.ts";
import {
  nameOf,
  shortValue,
  spellingOf,
  valueOf,
  type Spelling,
  maxTtl,
  isActive,
  rrsetKey,
  type LiveRecord,
  type RecordData,
} from "../../../dns/record.ts";
import { splitLongStrings, textTypes } from "../../../dns/values/character-strings.ts";
import { writeStrings } from "../../../dns/values/txt.ts";
import { readData, readLeniently } from "../../../dns/zone-file/record-data.ts";
import { logicalLines } from "../../../dns/zone-file/tokens.ts";
import { canonicalType } from "../../../dns/zone-file/type-names.ts";
import { ok, refuse, type Result } from "../../../platform/result.ts";
import { mapped, type Steps, grouped } from "../../../platform/slices.ts";
import { commentsIn, type GivenComment, commentsOf, type ShownComment, type StoredComments } from "./comments.ts";
import { Unprocessable } from "./refusals.ts";
import { printedRdata } from "../../../dns-providers/rdata-text.ts";
import type { Soa } from "../../../dns/zone-file/contents.ts";

/** A record's data as `Edit` takes it, if it is canonical, with its spelling. */
export interface WantedData extends Pick<Spelling, "writtenValue"> {
  value: string;
  strings: string[] | null;
  disabled: boolean;
}

/** What a client wants an RRset to be. */
export interface WantedRrset extends Pick<Spelling, "writtenName"> {
  /** Absolute, with a trailing dot, as written. */
  owner: string;
  /** Relative to the zone, canonical. */
  name: string;
  recordType: string;
  /** Its whole content; empty deletes it, null leaves its records as they are. */
  records: readonly WantedData[] | null;
  /** Records to add, if they are not there yet. */
  added: readonly WantedData[];
  /** Records to remove, if they are there. */
  removed: readonly WantedData[];
  /** Null only where there is no record to write. */
  ttl: number | null;
  /** Undefined: as they are. */
  comments: readonly GivenComment[] | undefined;
}

/**
 * Reads the `rrsets` of a body, in the order in which they are given; several for the same RRset take effect one after the other. Unknown
 * fields mean nothing, as in PowerDNS. Pure.
 * @param zone canonical @param changing whether each has a `changetype`; otherwise each is an RRset of a new zone
 * @throws Unprocessable that names the RRset
 */
export function* wantedRrsets(given: unknown, zone: string, changing: boolean): Steps<WantedRrset[]> {
  if (!Array.isArray(given)) throw refused("Send `rrsets`: a list of RRsets.");
  const drafts = new Map<string, Draft>();
  const seen = new Set<string>();
  for (const one of given as unknown[]) {
    if (!isObject(one)) throw refused("Each of `rrsets` must be an object.");
    // As in PowerDNS: there is nothing to delete outside the zone.
    if (changing && isDeletion(one) && isOutside(one, zone)) continue;
    const place = placeOf(one, zone);
    const said = label(place);
    const changetype = changing ? changetypeOf(one, said) : "REPLACE";
    const key = `${place.name} ${place.recordType}`;
    const draft = drafts.get(key) ?? untouched(place);
    drafts.delete(key);
    drafts.set(key, draft);
    if (changetype === "EXTEND" || changetype === "PRUNE") {
      const only = yield* onlyRecord(one, place);
      if (changetype === "EXTEND") extend(draft, only);
      else prune(draft, only);
      continue;
    }
    if (seen.has(`${key} ${changetype}`)) throw refused(`${said}: It is given twice with changetype ${changetype}.`);
    seen.add(`${key} ${changetype}`);
    const read =
      changetype === "DELETE" ? { records: [], ttl: null, comments: undefined } : yield* contentOf(one, place);
    draft.place = place;
    draft.comments = read.comments;
    // Comments alone leave the records as they are, or as what was said before makes them.
    if (read.records !== null) yield* replace(draft, read.records, read.ttl);
    yield;
  }
  return yield* mapped(drafts.values(), wantedIn);
}

/** What the items for one RRset make of it so far. */
interface Draft {
  place: Place;
  /** By content, as are the others: disabled ones may repeat it. Null: the records that the zone has. */
  records: Map<string, WantedData[]> | null;
  added: Map<string, WantedData[]>;
  removed: Map<string, WantedData>;
  ttl: number | null;
  comments: WantedRrset["comments"];
}

function untouched(place: Place): Draft {
  return { place, records: null, added: new Map(), removed: new Map(), ttl: null, comments: undefined };
}

function wantedIn({ place, records, added, removed, ttl, comments }: Draft): WantedRrset {
  const others = { added: [...added.values()].flat(), removed: [...removed.values()], ttl, comments };
  return { ...place, records: records && [...records.values()].flat(), ...others };
}

function* replace(draft: Draft, records: readonly WantedData[], ttl: number | null): Steps<void> {
  draft.records = yield* grouped(records, contentKey);
  draft.added.clear();
  draft.removed.clear();
  draft.ttl = ttl;
}

/** A record to add to an RRset or to remove from it. */
interface OnlyRecord {
  data: WantedData;
  ttl: number;
}

function* onlyRecord(given: Readonly<Record<string, unknown>>, place: Place): Steps<OnlyRecord> {
  const { records, ttl } = yield* contentOf({ ...given, comments: undefined, records: given["records"] ?? [] }, place);
  const [data, ...others] = records ?? [];
  if (data === undefined || ttl === null || others.length > 0)
    throw refused(`${label(place)}: EXTEND and PRUNE take exactly one record in \`records\`.`);
  return { data, ttl };
}

/** Adds a record, or makes one of the same content active or disabled. @throws Unprocessable for another TTL than the others have */
function extend(draft: Draft, { data, ttl }: OnlyRecord): void {
  const key = contentKey(data);
  const into = draft.records ?? draft.added;
  const same = into.get(key) ?? [];
  if (same.some(({ disabled }) => disabled === data.disabled)) return;
  if (same.length > 0) {
    same[0] = data;
    return;
  }
  if (into.size > 0 && draft.ttl !== null && draft.ttl !== ttl) throw otherTtl(draft.place, draft.ttl);
  draft.removed.delete(key);
  draft.ttl = ttl;
  into.set(key, [data]);
}

function prune(draft: Draft, { data }: OnlyRecord): void {
  const key = contentKey(data);
  (draft.records ?? draft.added).delete(key);
  if (draft.records === null) draft.removed.set(key, data);
}

function contentKey({ value, strings }: WantedData): string {
  return JSON.stringify([value, strings]);
}

/** Returns the refusal of a record whose TTL is another than that of its RRset. */
export function otherTtl(place: Pick<Place, "owner" | "recordType">, ttl: number): Unprocessable {
  return refused(
    `${label(place)}: It uses a different TTL value than the remainder of the RRset, which has ${ttl}. Send that, or REPLACE the RRset.`,
  );
}

/** Names an RRset in an error, as PowerDNS does: clients read these words. */
export function label({ owner, recordType }: Pick<Place, "owner" | "recordType">): string {
  return `RRset ${owner} IN ${recordType}`;
}

type Place = Pick<WantedRrset, "owner" | "name" | "writtenName" | "recordType">;

/** Reads a name that must end with a dot. */
export function readAbsolute(given: unknown, field: string): string {
  if (typeof given !== "string") throw refused(`\`${field}\` must be a text.`);
  if (!given.endsWith(".")) throw refused(`DNS Name ${shown(given)} is not canonical: end it with a dot.`);
  return given;
}

function placeOf(given: Readonly<Record<string, unknown>>, zone: string): Place {
  const owner = readAbsolute(given["name"], "name");
  const { type } = given;
  const recordType = typeof type === "string" ? canonicalOrOwn(type) : null;
  if (recordType === null) throw refused(`RRset ${shown(owner)}: The type is unknown. Use a mnemonic such as MX.`);
  if (mistyped.test(owner.replaceAll(anEscape, "")))
    throw refused(
      `RRset ${shown(owner)} IN ${recordType}: The name contains unsupported characters. Write them as \\DDD, such as \\058 for a colon.`,
    );
  const name = readOwner(owner, "", zone);
  if (!name.ok) throw refused(`RRset ${shown(owner)} IN ${recordType}: Name is out of zone. ${name.message}`);
  return { owner: `${absoluteName(nameOf(name.value), zone)}.`, ...name.value, recordType };
}

/** What is rarely meant in a name, such as the colon of an address on the web. */
const mistyped = /(?![\w.*/-])[ -~]/;
const anEscape = /\\\d{3}|\\[^]/g;

function isDeletion({ changetype }: Readonly<Record<string, unknown>>): boolean {
  return typeof changetype === "string" && changetype.toUpperCase() === "DELETE";
}

function isOutside({ name }: Readonly<Record<string, unknown>>, zone: string): boolean {
  const owner = readAbsolute(name, "name").toLowerCase();
  return owner !== `${zone}.` && !owner.endsWith(`.${zone}.`);
}

function canonicalOrOwn(type: string): string | null {
  return canonicalType(type) ?? (type.toUpperCase() === "ALIAS" ? "ALIAS" : null);
}

const changetypes = ["REPLACE", "DELETE", "EXTEND", "PRUNE"] as const;
type Changetype = (typeof changetypes)[number];

function changetypeOf({ changetype }: Readonly<Record<string, unknown>>, said: string): Changetype {
  const word = typeof changetype === "string" ? changetype.toUpperCase() : "";
  const known = changetypes.find((one) => one === word);
  if (known) return known;
  throw refused(`${said}: \`changetype\` must be REPLACE, DELETE, EXTEND or PRUNE.`);
}

function* contentOf(
  given: Readonly<Record<string, unknown>>,
  place: Place,
): Steps<Pick<WantedRrset, "records" | "ttl" | "comments">> {
  const said = label(place);
  const comments = commentsIn(given["comments"], said);
  if (given["records"] === undefined || given["records"] === null) {
    if (comments === undefined) throw refused(`${said}: Send \`records\`, \`comments\` or both.`);
    return { records: null, ttl: null, comments };
  }
  if (!Array.isArray(given["records"])) throw refused(`${said}: \`records\` must be a list.`);
  const some = given["records"] as unknown[];
  const records: WantedData[] = [];
  const seen = new Set<string>();
  for (const one of some) {
    const data = dataOf(one, place);
    const key = contentKey(data);
    // Disabled records may repeat others: they are in no RRset of DNS.
    if (!data.disabled && seen.has(key)) throw refused(`${said}: The content ${shown(data.value)} is given twice.`);
    if (!data.disabled) seen.add(key);
    records.push(data);
    yield;
  }
  const { ttl } = given;
  if (some.length === 0) return { records, ttl: null, comments };
  const isTtl = typeof ttl === "number" && Number.isInteger(ttl) && ttl >= 0 && ttl <= maxTtl;
  if (!isTtl) throw refused(`${said}: \`ttl\` must be whole seconds from 0 to ${maxTtl}.`);
  return { records, ttl, comments };
}

/** Returns the data of a record. @throws Unprocessable in PowerDNS's form, which names the record */
function dataOf(given: unknown, { owner, recordType }: Place): WantedData {
  const said = (content: string) => `Record ${owner}/${recordType} '${shortValue(content)}'`;
  const content = isObject(given) ? given["content"] : undefined;
  if (!isObject(given) || typeof content !== "string") throw refused(`${said("")}: \`content\` must be a text.`);
  const { disabled = false } = given;
  if (typeof disabled !== "boolean") throw refused(`${said(content)}: \`disabled\` must be true or false.`);
  const read = readContent(recordType, content);
  if (!read.ok) throw refused(`${said(content)}: ${read.message}`);
  return { ...read.value, disabled };
}

/** A zone that nobody has: completes names without a trailing dot, to find them. */
const elsewhere = "relative.invalid";

/** Quoted strings and escapes, in which no character has a meaning of its own. */
const outsideSyntax = /"(?:\\[^]|[^"\\])*"|\\[^]/g;

/** Types whose data has names, numbers and addresses only, and whose own rules take a name in quotes, too. */
const withoutTexts: ReadonlySet<string> = new Set(["A", "AAAA", "ALIAS", "CNAME", "MX", "NS", "PTR", "SRV"]);

function readContent(recordType: string, content: string): Result<Omit<WantedData, "disabled">> {
  if (/[();]/.test(content.replaceAll(outsideSyntax, "")))
    return refuse("The content has a parenthesis or semicolon outside quotes. Leave out parentheses and comments.");
  const [only, ...others] = logicalLines(content);
  if (only?.kind !== "line" || others.length > 0)
    return refuse("The content must be one line of data as in a zone file, with all quotes closed.");
  const fields = splitLongStrings(recordType, only.fields).fields;
  if (textTypes.has(recordType) && fields.some(({ quoted }) => !quoted) && fields[0]?.raw !== "\\#")
    return refuse(`The content of a ${recordType} record must be in quotes, such as "v=spf1 -all".`);
  if (withoutTexts.has(recordType) && fields.some(({ quoted }) => quoted))
    return refuse(`The ${recordType} content must not be in quotes.`);
  const [absolute, completed] = ["", elsewhere].map((origin) => readLeniently(recordType, fields, origin));
  if (absolute?.ok && completed?.ok && absolute.value.value !== completed.value.value)
    return refuse("Names in the content must end with a dot, such as www.example.com.");
  const read = recordType === "ALIAS" ? ruleFor(recordType).read(fields, "") : readData(recordType, fields, "");
  if (!read.ok) return read;
  const { strings = null } = read.value;
  const written =
    strings === null ? ruleFor(recordType).write(valueOf(read.value), null, "dns") : writeStrings(strings, undefined);
  if (!written.ok) return written;
  const { writtenValue } = written.value;
  return ok({ value: written.value.value, ...spellingOf({ writtenValue }), strings: written.value.strings ?? null });
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

function refused(message: string): Unprocessable {
  return new Unprocessable("BAD_REQUEST", message);
}

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
      ttl: shownTtl(some),
      // In the order of their contents, as PowerDNS shows them.
      records: some
        .map((record) => ({ content: shownContent(record), disabled: !isActive(record) }))
        .toSorted((one, other) => (one.content < other.content ? -1 : one.content > other.content ? 1 : 0)),
      comments: commentsOf(some, stored.get(rrsetKey(first))),
    };
  });
}

/**
 * Returns the TTL of an RRset as it is shown. A proxied record's TTL is the proxy's, and counts only without others. Disabled records may have
 * TTLs of their own: without active ones, it is the smallest.
 */
export function shownTtl(records: readonly LiveRecord[]): number {
  const active = records.filter(isActive);
  return (
    (active.find(({ proxied }) => !proxied) ?? active[0])?.ttl ??
    records.reduce((least, { ttl }) => Math.min(least, ttl), maxTtl)
  );
}

/** Returns the name of an RRset, in a form that can be sent again. */
export function shownOwner(name: string, zone: string): string {
  return `${withEscapes(absoluteName(name, zone))}.`;
}

/** Returns a record's data as PowerDNS shows it: an address keeps its own form. */
export function shownContent(record: RecordData): string {
  if (record.recordType === "AAAA") return printRdata(record);
  const text = printedRdata(record);
  if (text.startsWith("\\#")) return text;
  switch (record.recordType) {
    case "LOC":
      return text.replaceAll(/(?<= )\d+(?=m)/g, "$&.00");
    case "L64":
    case "NID":
      return text.toUpperCase();
    case "SVCB":
    case "HTTPS":
      return text.replaceAll(quotedOrOctets, (part) => (part.startsWith('"') ? part : `"${part}"`));
    default:
      return text;
  }
}

/** Quoted values, and the values that PowerDNS quotes. */
const quotedOrOctets = /"(?:\\[^]|[^"\\])*"|(?<= (?:ech|key\d+)=)[^" ]+/g;

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
