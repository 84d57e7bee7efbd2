import { readOwner } from "../../dns/names/names.ts";
import type { RecordData } from "../../dns/record.ts";
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
