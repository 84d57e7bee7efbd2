import { absoluteName } from "../../dns/names/names.ts";
import { printRdata } from "../../dns/record-types.ts";
import type { RecordData } from "../../dns/record.ts";
import { parseGeneric } from "../../dns/values/generic-form.ts";
import { sameStrings } from "../../dns/values/character-strings.ts";
import { joinOctets, splitStrings } from "../../dns/values/text.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { rdataFields } from "../rdata-text.ts";
import type { RecordBody, ServedRecord } from "./api.ts";
import { fieldsOf, hasFields } from "./rdata-fields.ts";

/** Leaves the TTL to Cloudflare. */
export const automaticTtl = 1;
const proxiable = new Set(["A", "AAAA", "CNAME"]);
/** Of a record's RDATA (https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/). */
const longestRdata = 4_096;

/** Of the content of all records with one name and type (ibid.). */
const longestRrset = 8_192;

type Content = Pick<LimitedRecord, "recordType" | "value" | "strings">;

/** What Cloudflare cannot store beyond type and TTL. */
export function unsupported(
  record: Pick<LimitedRecord, "recordType" | "value" | "strings" | "proxied">,
): Unsupported | null {
  const { recordType, value, proxied } = record;
  if (proxied && !proxiable.has(recordType)) {
    return {
      field: "proxied",
      reason: `proxies A, AAAA and CNAME records only; set proxied to false for ${recordType}.`,
    };
  }
  if (recordType === "TXT" && textOctets(record) > longestRdata) {
    return { field: "value", reason: `stores at most ${longestRdata} octets in a TXT record.` };
  }
  if (contentLength(record) > longestRrset) {
    return {
      field: "value",
      reason: `stores at most ${longestRrset} characters, as it writes them, in the records of one name and type.`,
    };
  }
  const readable = value === "" || !hasFields(recordType) || fieldsOf(recordType, value) !== null;
  if (readable && (recordType === "TXT" || !value.startsWith("\\#"))) return null;
  return { field: "value", reason: `takes ${recordType} records field by field, and this value does not come apart.` };
}

/** Why Cloudflare cannot store all these records of one name and type. */
export function sharedUnsupported(rrset: readonly LimitedRecord[]): string | null {
  const [first] = rrset;
  if (!first || rrset.reduce((sum, record) => sum + contentLength(record), 0) <= longestRrset) return null;
  return `stores at most ${longestRrset} characters in all records of one name and type; ${first.name} ${first.recordType} would have more.`;
}

/** How many characters a record's content has as Cloudflare writes it. */
function contentLength(record: Content): number {
  const { recordType } = record;
  const printed = printRdata(record);
  return (recordType === "TXT" ? quoted(printed) : printed).length;
}

/** Octets of TXT RDATA, the length octets of its strings included. */
function textOctets(record: Content): number {
  const fields = rdataFields("TXT", printRdata(record)) ?? [];
  return fields.reduce((octets, { raw }) => octets + 1 + (joinOctets([raw])?.length ?? 0), 0);
}

/** A record as Cloudflare takes it. @throws Error for one that `unsupported` refuses. */
export function bodyOf(zone: string, record: RecordData): RecordBody {
  return { ...headOf(zone, record), ...contentOf(record) };
}

/** What turns a served record into another of its name and type: content that stays is not sent. */
export function patchOf(zone: string, before: RecordData, after: RecordData): RecordBody {
  const isSame = before.value === after.value && sameStrings(before.strings, after.strings);
  return { ...headOf(zone, after), ...(isSame ? {} : contentOf(after)) };
}

function headOf(zone: string, { name, recordType, ttl, proxied }: RecordData): RecordBody {
  const head = { name: absoluteName(name, zone), type: recordType, ttl };
  return proxiable.has(recordType) ? { ...head, proxied } : head;
}

function contentOf(record: RecordData): Partial<RecordBody> {
  const { recordType, value } = record;
  if (hasFields(recordType)) {
    const fields = fieldsOf(recordType, value);
    if (!fields) throw new Error(`This ${recordType} record does not come apart into fields.`);
    const { priority, ...data } = fields;
    return recordType === "URI" ? { priority: Number(priority), data } : { data: fields };
  }
  const printed = printRdata(record);
  if (recordType === "TXT") return { content: quoted(printed) };
  const [, priority, content = printed] = recordType === "MX" ? (/^(\d+) (.+)$/.exec(printed) ?? []) : [];
  const plain = content === "." ? content : content.replace(/\.$/, "");
  return { content: plain, ...(priority === undefined ? {} : { priority: Number(priority) }) };
}

/** Data in generic form (`\# 3 026869`) as the character-strings that it is. */
function quoted(printed: string): string {
  const rdata = parseGeneric(printed);
  if (rdata === null) return printed;
  return (splitStrings(rdata) ?? []).map((string) => `"${inDecimal(string)}"`).join(" ");
}

function inDecimal(octets: Buffer): string {
  return [...octets].map((octet) => `\\${String(octet).padStart(3, "0")}`).join("");
}

/** A served record to be made once more, with all that people noted on it and set for it. */
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

/** What people noted on a record at Cloudflare. */
export function notesOf({ comment, tags }: ServedRecord): Partial<RecordBody> {
  return {
    ...(comment === undefined || comment === null ? {} : { comment }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
  };
}

/** What people set for it, which depends on its type. */
export function settingsOf({ settings, private_routing }: ServedRecord): Partial<RecordBody> {
  return {
    ...(settings === undefined || Object.keys(settings).length === 0 ? {} : { settings }),
    ...(private_routing === undefined ? {} : { private_routing }),
  };
}
