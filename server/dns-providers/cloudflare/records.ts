import { absoluteName, readOwner } from "../../dns/names/names.ts";
import { printRdata } from "../../dns/record-types.ts";
import { nameOf, proxiable, valueOf, type RecordData } from "../../dns/record.ts";
import { parseGeneric, sameStrings, joinOctets, splitStrings } from "../../dns/values/character-strings.ts";
import type { ApexCname } from "../../dns/zone-rules.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { rdataFields } from "../../dns/zone-file/record-data.ts";
import { canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";
import type { RecordBody, ServedRecord } from "./client.ts";
import { fieldsOf, hasFields, textOf } from "../../dns/formats/cloudflare-fields.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";

/** Lets Cloudflare choose the TTL. */
export const automaticTtl = 1;
/** It flattens a CNAME at the apex, which takes the place of addresses only. */
export const apexCname: ApexCname = { beside: { allBut: ["A", "AAAA"] }, isFlattened: true };
/** Octets of a record's RDATA (https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/). */
const longestRdata = 4_096;

/** Characters in the content of all records of one name and type (ibid.). */
const longestRrset = 8_192;

type Content = Pick<LimitedRecord, "recordType" | "value" | "strings">;

/** Returns why Cloudflare cannot store a record, beyond type and TTL; null if it can. */
export function unsupported(
  record: Pick<LimitedRecord, "recordType" | "value" | "strings" | "proxied">,
): Unsupported | null {
  const { recordType, value, proxied } = record;
  if (proxied && !proxiable.has(recordType)) {
    return {
      field: "proxied",
      reason: `proxies only A, AAAA and CNAME records; set proxied to false for ${recordType}.`,
    };
  }
  if (recordType === "TXT" && textOctets(record) > longestRdata) {
    return { field: "value", reason: `stores at most ${longestRdata} octets in a TXT record.` };
  }
  if (contentLength(record) > longestRrset) {
    return {
      field: "value",
      reason: `stores at most ${longestRrset} characters, in its own notation, in all records of one name and type.`,
    };
  }
  const readable = !hasFields(recordType) || fieldsOf(recordType, value) !== null;
  if (readable && (recordType === "TXT" || !value.startsWith("\\#"))) return null;
  return {
    field: "value",
    reason: `stores ${recordType} records field by field, and this value cannot be split into fields.`,
  };
}

/** Returns why Cloudflare cannot store an RRset; null if it can. */
export function sharedUnsupported(rrset: readonly LimitedRecord[]): string | null {
  const [first] = rrset;
  if (!first || rrset.reduce((sum, record) => sum + contentLength(record), 0) <= longestRrset) return null;
  return `stores at most ${longestRrset} characters in all records of one name and type; ${first.name} ${first.recordType} would have more.`;
}

/** Returns the length of a record's content in Cloudflare's notation. */
function contentLength(record: Content): number {
  const { recordType } = record;
  const printed = printRdata(record);
  return (recordType === "TXT" ? quoted(printed) : printed).length;
}

/** Returns the octets of TXT RDATA, including the length octets of its strings. */
function textOctets(record: Content): number {
  const fields = rdataFields("TXT", printRdata(record)) ?? [];
  return fields.reduce((octets, { raw }) => octets + 1 + (joinOctets([raw])?.length ?? 0), 0);
}

/** Returns a record as Cloudflare takes it. @throws Error for one that `unsupported` refuses. */
export function bodyOf(zone: string, record: RecordData): RecordBody {
  return { ...headOf(zone, record), ...contentOf(record) };
}

/** Returns the patch that turns a record into another of its name and type. Unchanged content is not sent. */
export function patchOf(zone: string, before: RecordData, after: RecordData): RecordBody {
  const isSame = valueOf(before) === valueOf(after) && sameStrings(before.strings, after.strings);
  return { ...headOf(zone, after), ...(isSame ? {} : contentOf(after)) };
}

function headOf(zone: string, record: RecordData): RecordBody {
  const { recordType, ttl, proxied } = record;
  const head = { name: absoluteName(nameOf(record), zone), type: recordType, ttl };
  return proxiable.has(recordType) ? { ...head, proxied } : head;
}

function contentOf(record: RecordData): Partial<RecordBody> {
  const { recordType } = record;
  if (hasFields(recordType)) {
    const fields = fieldsOf(recordType, valueOf(record));
    if (!fields) throw new Error(`This ${recordType} record cannot be split into fields.`);
    const { priority, ...data } = fields;
    return recordType === "URI" ? { priority: Number(priority), data } : { data: fields };
  }
  const printed = printRdata(record);
  if (recordType === "TXT") return { content: quoted(printed) };
  const [, priority, content = printed] = recordType === "MX" ? (/^(\d+) (.+)$/.exec(printed) ?? []) : [];
  const plain = content === "." ? content : content.replace(/\.$/, "");
  return { content: plain, ...(priority === undefined ? {} : { priority: Number(priority) }) };
}

/** Returns data in generic form (`\# 3 026869`) as character-strings. */
function quoted(printed: string): string {
  const rdata = parseGeneric(printed);
  if (rdata === null) return printed;
  return (splitStrings(rdata) ?? []).map((string) => `"${inDecimal(string)}"`).join(" ");
}

function inDecimal(octets: Buffer): string {
  return [...octets].map((octet) => `\\${String(octet).padStart(3, "0")}`).join("");
}

/** Returns the body that recreates a record, with its comment, tags and settings. */
export function again(served: ServedRecord): RecordBody {
  const { name, type, ttl, content, data, priority, proxied } = served;
  const withData = data !== undefined && hasFields(type);
  return {
    name,
    type,
    ttl,
    ...(withData ? { data } : { content }),
    ...(priority === undefined || (withData && type !== "URI") ? {} : { priority }),
    ...(proxiable.has(type) ? { proxied } : {}),
    ...notesOf(served),
    ...settingsOf(served),
  };
}

/** Returns the comment and tags of a record. */
export function notesOf({ comment, tags }: ServedRecord): Partial<RecordBody> {
  return {
    ...(comment === undefined || comment === null ? {} : { comment }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
  };
}

/** Returns the settings of a record, which depend on its type. */
export function settingsOf({ settings, private_routing }: ServedRecord): Partial<RecordBody> {
  return {
    ...(settings === undefined || Object.keys(settings).length === 0 ? {} : { settings }),
    ...(private_routing === undefined ? {} : { private_routing }),
  };
}

/** Returns a record in canonical form; null for the SOA and for names outside the zone. */
export function readRecord(zone: string, served: ServedRecord): RecordData | null {
  const name = readOwner(served.name, "", zone);
  const recordType = canonicalType(served.type) ?? served.type.toUpperCase();
  if (!name.ok || recordType === "SOA") return null;
  const { ttl, proxied } = served;
  return { recordType, ...name.value, ...contentIn(recordType, served), ttl, proxied };
}

function contentIn(recordType: string, { content, data, priority }: ServedRecord): RecordContent {
  if (recordType === "TXT") return textIn(content);
  const fields = data && textOf(recordType, { ...(priority === undefined ? {} : { priority }), ...data });
  const text = recordType === "MX" ? `${priority ?? 0} ${content}` : content;
  return canonicalRdata(recordType, fields ?? text) ?? unreadContent(fields ?? text);
}

/**
 * Reads a TXT record's content, which is quoted character-strings (RFC 1035 §5.1). Content without quotes, which the API accepted
 * for years, is taken literally.
 */
function textIn(content: string): RecordContent {
  const isQuoted = /^\s*"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*\s*$/s.test(content);
  return (isQuoted ? canonicalRdata("TXT", content) : null) ?? unreadContent(content);
}

/** Returns why a record is read-only, or null. */
export function ownReason({ meta }: ServedRecord): string | null {
  return meta?.read_only === true
    ? "created this record for one of its services, such as Email Routing or Workers; change it in that service's settings."
    : null;
}
