import { readOwner } from "../../dns/names/names.ts";
import type { RecordData } from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";
import type { ServedRecord } from "./api.ts";
import { textOf } from "./rdata-fields.ts";

/** Returns a record in canonical form; null for the SOA and for names outside the zone. */
export function readRecord(zone: string, served: ServedRecord): RecordData | null {
  const name = readOwner(served.name, "", zone);
  const recordType = canonicalType(served.type) ?? served.type.toUpperCase();
  if (!name.ok || recordType === "SOA") return null;
  const { ttl, proxied } = served;
  return { recordType, ...name.value, ...contentOf(recordType, served), ttl, proxied };
}

function contentOf(recordType: string, { content, data, priority }: ServedRecord): RecordContent {
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
