import { escapeOctets } from "../../dns/names/escapes.ts";
import { readOwner } from "../../dns/names/names.ts";
import { nameOf, spellingOf, valueOf, type RecordData } from "../../dns/record.ts";
import { ruleFor } from "../../dns/record-types.ts";
import type { RdataField } from "../../dns/values/value-rule.ts";
import type { StoredRecord } from "../single-record-api/record-calls.ts";
import type { DomainRecord, RecordFields } from "./api.ts";

/** Returns a record in canonical form; null for the SOA, which DigitalOcean manages. */
export function readRecord(zone: string, record: DomainRecord): StoredRecord | null {
  const { id, type: recordType, ttl } = record;
  const owner = readOwner(record.name, zone, zone);
  if (recordType === "SOA" || typeof id !== "number" || !owner.ok) return null;
  const read = ruleFor(recordType).read(fieldsOf(zone, record), "");
  const unread = { value: record.data ?? "", writtenValue: undefined, priority: record.priority ?? null };
  const { value, writtenValue, priority } = read.ok ? read.value : unread;
  const content = { value, ...spellingOf({ writtenValue }), strings: null, priority };
  const data = { recordType, ...owner.value, ...content, ttl: ttl ?? 0, proxied: false };
  return { id: String(id), data };
}

/** Returns the fields of a record's data in master-file form. */
function fieldsOf(zone: string, { type, data, priority, weight, port, flags, tag }: DomainRecord): RdataField[] {
  const text = data ?? "";
  switch (type) {
    case "CNAME":
    case "NS":
      return plain(hostOf(zone, text));
    case "MX":
      return plain(priority, hostOf(zone, text));
    case "SRV":
      return plain(priority, weight, port, hostOf(zone, text));
    case "CAA":
      return [...plain(flags, tag), quoted(isUrl(tag) ? text : text.replace(/\.$/, ""))];
    case "TXT":
      return [quoted(text)];
    default:
      return plain(...text.split(" "));
  }
}

/**
 * Returns whether a CAA tag has a URL (RFC 8659 §4.4), which is stored as given. The domains of `issue` and `issuewild` need a dot at their
 * end that the API does not show (digitalocean/terraform-provider-digitalocean#422).
 */
function isUrl(tag: string | null | undefined): boolean {
  return tag === "iodef";
}

function quoted(text: string): RdataField {
  return { raw: escapeOctets(Buffer.from(text), '"\\'), quoted: true };
}

function plain(...fields: (string | number | null | undefined)[]): RdataField[] {
  return fields.map((field) => ({ raw: String(field ?? ""), quoted: false }));
}

/** Returns a host name with a trailing dot; the API prints it without one, and the domain itself as `@`. */
function hostOf(zone: string, data: string): string {
  if (data === "@") return `${zone}.`;
  return data.endsWith(".") ? data : `${data}.`;
}

/** Returns a record as DigitalOcean takes it: hosts and the domains of CAA with a trailing dot, TXT as plain text. */
export function writeRecord(record: RecordData): RecordFields {
  const { recordType, ttl } = record;
  const value = valueOf(record);
  const fields = { type: recordType, name: nameOf(record), ttl };
  const printed = ruleFor(recordType).print(value).split(" ");
  const [first = "", second = "", third = "", fourth = ""] = printed;
  switch (recordType) {
    case "MX":
      return { ...fields, priority: Number(first), data: second };
    case "SRV":
      return { ...fields, priority: Number(first), weight: Number(second), port: Number(third), data: fourth };
    case "CAA": {
      const text = value.split(" ").slice(2).join(" ");
      return { ...fields, flags: Number(first), tag: second, data: isUrl(second) ? text : `${text}.` };
    }
    case "TXT":
      return { ...fields, data: value };
    default:
      return { ...fields, data: first };
  }
}
