import { readOwner } from "../../dns/names/names.ts";
import { printRdata } from "../../dns/record-types.ts";
import { rdataToText } from "../../dns/rdata/rdata.ts";
import type { RecordData } from "../../dns/record.ts";
import { parseGeneric } from "../../dns/values/generic-form.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";
import type { ServedRrset } from "./client.ts";

/** A record on the server, with its canonical form. */
export interface ServedRecord {
  /** As the server prints it, to be sent back unchanged. */
  content: string;
  disabled: boolean;
  data: RecordData;
}

export interface ReadRrset {
  name: string;
  recordType: string;
  ttl: number;
  records: ServedRecord[];
}

/** Returns an RRset in canonical form; null for the SOA, which the server manages, and for names outside the zone. */
export function readRrset(zone: string, { name: owner, type, ttl, records }: ServedRrset): ReadRrset | null {
  const name = readOwner(owner, "", zone);
  const recordType = canonicalType(type) ?? type.toUpperCase();
  if (!name.ok || recordType === "SOA") return null;
  return {
    name: name.value.name,
    recordType,
    ttl,
    records: records.map(({ content, disabled }) => {
      const said = canonicalContent(recordType, content);
      return { content, disabled, data: { recordType, ...name.value, ...said, ttl, proxied: false } };
    }),
  };
}

/** Returns content in canonical form; unchanged if it cannot be read, so that nothing is lost. */
export function canonicalContent(recordType: string, content: string): RecordContent {
  return canonicalRdata(recordType, content) ?? unreadContent(content);
}

/**
 * Returns a record's content as PowerDNS takes it: without the dotted end of an IPv4-mapped address, and without generic form (RFC
 * 3597) for types that it knows.
 */
export function printContent(record: RecordData): string {
  const { recordType, value, strings } = record;
  const rdata = strings === null ? parseGeneric(value) : null;
  const text = rdata && rdataToText(recordType, rdata);
  const printed = text?.ok && text.value !== "" ? text.value : printRdata(record);
  if (recordType !== "AAAA" || !printed.includes(".")) return printed;
  return URL.parse(`http://[${printed}]`)?.hostname.slice(1, -1) ?? printed;
}
