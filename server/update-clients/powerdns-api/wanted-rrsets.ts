import { absoluteName, readOwner, shown } from "../../dns/names/names.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { nameOf, shortValue, spellingOf, valueOf, type Spelling } from "../../dns/record.ts";
import { splitLongStrings } from "../../dns/values/long-strings.ts";
import { writeStrings } from "../../dns/values/txt.ts";
import { readData, readLeniently } from "../../dns/zone-file/record-data.ts";
import { logicalLines } from "../../dns/zone-file/tokens.ts";
import { maxTtl } from "../../dns/zone-file/ttl.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import type { Steps } from "../../platform/slices.ts";
import { Unprocessable } from "./refusals.ts";
import { line } from "../../api/schemas.ts";

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
  /** Null only where there is no record to write. */
  ttl: number | null;
  /** Undefined: as it is. */
  comment: string | null | undefined;
}

/**
 * Reads the `rrsets` of a body, in the order in which they are given; of two for the same RRset the later counts. Unknown fields mean nothing,
 * as in PowerDNS. Pure.
 * @param zone canonical @param changing whether each says `REPLACE` or `DELETE`; otherwise each is an RRset of a new zone
 * @throws Unprocessable that names the RRset
 */
export function* wantedRrsets(given: unknown, zone: string, changing: boolean): Steps<WantedRrset[]> {
  if (!Array.isArray(given)) throw refused("Send `rrsets`: a list of RRsets.");
  const wanted = new Map<string, WantedRrset>();
  const seen = new Set<string>();
  for (const one of given as unknown[]) {
    if (!isObject(one)) throw refused("Each of `rrsets` must be an object.");
    // As in PowerDNS: there is nothing to delete outside the zone.
    if (changing && isDeletion(one) && isOutside(one, zone)) continue;
    const place = placeOf(one, zone);
    const said = label(place);
    const changetype = changing ? changetypeOf(one, said) : "REPLACE";
    const key = `${place.name} ${place.recordType}`;
    if (seen.has(`${key} ${changetype}`)) throw refused(`${said}: It is given twice with changetype ${changetype}.`);
    seen.add(`${key} ${changetype}`);
    const read =
      changetype === "DELETE" ? { records: [], ttl: null, comment: undefined } : yield* contentOf(one, place);
    wanted.delete(key);
    wanted.set(key, { ...place, ...read });
    yield;
  }
  return [...wanted.values()];
}

/** Names an RRset in an error, as PowerDNS does: clients read these words. */
export function label({ owner, recordType }: Place): string {
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
  const name = readOwner(owner, "", zone);
  if (!name.ok) throw refused(`RRset ${shown(owner)} IN ${recordType}: Name is out of zone. ${name.message}`);
  return { owner: `${absoluteName(nameOf(name.value), zone)}.`, ...name.value, recordType };
}

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

function changetypeOf({ changetype }: Readonly<Record<string, unknown>>, said: string): "REPLACE" | "DELETE" {
  const word = typeof changetype === "string" ? changetype.toUpperCase() : "";
  if (word === "REPLACE" || word === "DELETE") return word;
  throw refused(`${said}: \`changetype\` must be REPLACE or DELETE.`);
}

function* contentOf(
  given: Readonly<Record<string, unknown>>,
  place: Place,
): Steps<Pick<WantedRrset, "records" | "ttl" | "comment">> {
  const said = label(place);
  const comment = commentIn(given["comments"], said);
  if (given["records"] === undefined || given["records"] === null) {
    if (comment === undefined) throw refused(`${said}: Send \`records\`, \`comments\` or both.`);
    return { records: null, ttl: null, comment };
  }
  if (!Array.isArray(given["records"])) throw refused(`${said}: \`records\` must be a list.`);
  const some = given["records"] as unknown[];
  const records: WantedData[] = [];
  const seen = new Set<string>();
  for (const one of some) {
    const data = dataOf(one, place);
    const key = JSON.stringify([data.value, data.strings]);
    if (seen.has(key)) throw refused(`${said}: The content ${shown(data.value)} is given twice.`);
    seen.add(key);
    records.push(data);
    yield;
  }
  const { ttl } = given;
  if (some.length === 0) return { records, ttl: null, comment };
  const isTtl = typeof ttl === "number" && Number.isInteger(ttl) && ttl >= 0 && ttl <= maxTtl;
  if (!isTtl) throw refused(`${said}: \`ttl\` must be whole seconds from 0 to ${maxTtl}.`);
  return { records, ttl, comment };
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

function readContent(recordType: string, content: string): Result<Omit<WantedData, "disabled">> {
  const [only, ...others] = logicalLines(content);
  if (only?.kind !== "line" || others.length > 0)
    return refuse("The content must be one line of data as in a zone file, with all quotes closed.");
  const fields = splitLongStrings(recordType, only.fields).fields;
  if (recordType === "TXT" && fields.some(({ quoted }) => !quoted) && fields[0]?.raw !== "\\#")
    return refuse('The content of a TXT record must be in quotes, such as "v=spf1 -all".');
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

const commentForm = line(1_000);

/** Returns the comments as one text; null for none, undefined if they are not given. */
function commentIn(given: unknown, said: string): string | null | undefined {
  if (given === undefined || given === null) return undefined;
  const contents = Array.isArray(given)
    ? given.map((one: unknown) => (isObject(one) ? one["content"] : undefined))
    : [null];
  const text = contents.every((content) => typeof content === "string") ? contents.join("; ") : null;
  if (text === null) throw refused(`${said}: \`comments\` must be a list of objects with \`content\`.`);
  const read = commentForm.safeParse(text);
  if (!read.success) throw refused(`${said}: comments: ${read.error.issues[0]?.message ?? ""}`);
  return text === "" ? null : text;
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

function refused(message: string): Unprocessable {
  return new Unprocessable("BAD_REQUEST", message);
}
