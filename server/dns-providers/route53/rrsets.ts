import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { readOwner, type OwnerName } from "../../dns/names/names.ts";
import { recordKey, type RecordData, isApexNs } from "../../dns/record.ts";
import { type RecordContent, canonicalRdata, unreadContent } from "../rdata-text.ts";
import { escapeOctets } from "../../dns/names/escapes.ts";
import { parseGeneric, splitStrings } from "../../dns/values/character-strings.ts";
import { ruleFor } from "../../dns/record-types.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";

// Route 53 writes names and values as a master file does, except that `\DDD` is an octet in octal; RFC 1035 §5.1 has it in decimal
// (Developer Guide, "DNS domain name format" and "Supported DNS record types").

/** Returns a name or value of Route 53's as master-file text. */
export function fromOctal(text: string): string {
  return text.replaceAll(/\\([0-3][0-7]{2})|\\[^]/g, (escape, digits?: string) =>
    digits === undefined ? escape : `\\${String(Number.parseInt(digits, 8)).padStart(3, "0")}`,
  );
}

/**
 * Returns master-file text as Route 53 takes it. In quotes `\"` and `\\` stay; in names, which have no other escapes, all become
 * octal.
 */
export function toOctal(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\[^])*"|(?:[^"\\]|\\[^])+/g, (part) =>
    part.replaceAll(/\\(\d{3}|[^])/g, (escape, escaped: string) => {
      if (escaped.length === 3) return octal(Number(escaped));
      return part.startsWith('"') ? escape : octal(escaped.charCodeAt(0));
    }),
  );
}

function octal(code: number): string {
  return `\\${code.toString(8).padStart(3, "0")}`;
}

/** Returns a value of Route 53's in canonical form; unchanged if it cannot be read, so that nothing is lost. */
export function readValue(recordType: string, text: string): RecordContent {
  return canonicalRdata(recordType, fromOctal(text)) ?? unreadContent(text);
}

/**
 * Returns a canonical value as Route 53 takes it; null for data in generic form, which it does not know. @param strings how a TXT
 * is split
 */
export function printValue(recordType: string, value: string, strings: readonly string[] | null = null): string | null {
  const rdata = strings === null ? parseGeneric(value) : null;
  if (rdata === null) return toOctal(ruleFor(recordType).print(value, strings));
  return recordType === "TXT" ? toOctal(characterStrings(rdata)) : null;
}

/** Returns a TXT that is not text, and is stored in generic form, as character-strings. */
function characterStrings(rdata: Buffer): string {
  return (splitStrings(rdata) ?? []).map((octets) => `"${escapeOctets(octets, '"\\')}"`).join(" ");
}

/** An RRset of Route 53's, with its canonical records. */
export interface ServedRrset {
  /** As Route 53 has it, to be deleted by exactly that content. */
  set: ResourceRecordSet;
  /** Canonical, relative to the zone. */
  name: string;
  recordType: string;
  /** Whether it is an alias or has a routing policy, and so is read-only. */
  own: boolean;
  records: RecordData[];
}

/** Returns an RRset in canonical form; null for the SOA, which Route 53 manages. */
export function readRrset(zone: string, set: ResourceRecordSet): ServedRrset | null {
  const recordType = set.Type ?? "";
  const owner = readOwner(fromOctal(set.Name ?? ""), "", zone);
  if (recordType === "SOA" || !owner.ok) return null;
  const { name } = owner.value;
  if (isOwn(set)) return { set, name, recordType, own: true, records: [ownRecord(name, set)] };
  const records = (set.ResourceRecords ?? []).map(({ Value = "" }): RecordData => {
    return recordOf(recordType, owner.value, readValue(recordType, Value), set.TTL ?? 0);
  });
  // Two values of an RRset may be the same in canonical form.
  const unique = new Map(records.map((record) => [recordKey(record), record]));
  return { set, name, recordType, own: false, records: [...unique.values()] };
}

function recordOf(recordType: string, owner: OwnerName, content: RecordContent, ttl: number): RecordData {
  return { recordType, ...owner, ...content, ttl, proxied: false };
}

// Records that only Route 53 has: aliases to AWS resources, and RRsets of one name and type among which it chooses. Each is shown
// as one read-only record of a type of its own.

const aliasType = "R53_ALIAS";
const routingType = "R53_ROUTING";

/** Returns whether an RRset has more than a name, a type, a TTL and values. */
function isOwn({ Name: _name, Type: _type, TTL: _ttl, ResourceRecords: _values, ...settings }: ResourceRecordSet) {
  return Object.values(settings).some((setting) => setting !== undefined);
}

/** Returns such an RRset as one record, whose value describes it whole: `A alias-target.dns-name=lb.example. …: values`. */
function ownRecord(
  name: string,
  { Name: _name, Type, TTL, ResourceRecords, ...settings }: ResourceRecordSet,
): RecordData {
  const values = (ResourceRecords ?? []).map(({ Value }) => Value ?? "");
  const said = [Type, ...settingsOf("", settings)].join(" ");
  return {
    recordType: settings.AliasTarget && settings.SetIdentifier === undefined ? aliasType : routingType,
    name,
    value: values.length === 0 ? said : `${said}: ${values.join(", ")}`,
    // An alias has the TTL of its target.
    ttl: TTL ?? 0,
    strings: null,
    priority: null,
    proxied: false,
  };
}

/** Returns settings as `weight=10`, `geo-location.country-code=DE`, sorted by name so that equal settings are equal text. */
function settingsOf(prefix: string, settings: object): string[] {
  return Object.entries(settings)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, value]: [string, unknown]) => {
      const name = `${prefix}${kebab(key)}`;
      if (value === undefined || value === null) return [];
      if (typeof value === "object") return settingsOf(`${name}.`, value);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [`${name}=${/^[!#-~]+$/.test(text) ? text : JSON.stringify(text)}`];
    });
}

function kebab(key: string): string {
  return key
    .replace("DNSName", "DnsName")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-")
    .toLowerCase();
}

/** The API's limit for a value in its own notation. */
const longestValue = 4_000;

/** The types that the API knows, except SOA, which Route 53 manages. */
export const recordTypes = [
  "A",
  "AAAA",
  "CAA",
  "CNAME",
  "DS",
  "HTTPS",
  "MX",
  "NAPTR",
  "NS",
  "PTR",
  "SPF",
  "SRV",
  "SSHFP",
  "SVCB",
  "TLSA",
  "TXT",
];

export function unsupportedReason(record: LimitedRecord): Unsupported | null {
  const { recordType, value, strings } = record;
  const text = printValue(recordType, value, strings);
  if (text === null)
    return { field: "value", reason: `does not support ${recordType} data in generic form (RFC 3597).` };
  if (text.length <= longestValue) return null;
  const cost = recordType === "TXT" ? ', counting four for each character written as \\ooo and two for " and \\' : "";
  return {
    field: "value",
    reason: `allows values of at most ${longestValue} characters${cost}; this one has ${text.length}.`,
  };
}

export function readOnlyReason(record: LimitedRecord): string | null {
  const { recordType } = record;
  if (recordType === aliasType) return "manages alias records in its own console; change them there.";
  if (recordType === routingType) return "manages records with a routing policy in its own console; change them there.";
  if (isApexNs(record)) {
    return "manages the name servers at the apex of a hosted zone, which it assigned.";
  }
  return null;
}
