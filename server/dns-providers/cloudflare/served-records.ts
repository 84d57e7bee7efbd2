import { readOwner } from "../../dns/names/names.ts";
import type { RecordData } from "../../dns/record.ts";
import { canonicalType } from "../../dns/zone-file/type-names.ts";
import { canonicalRdata, unreadContent, type RecordContent } from "../rdata-text.ts";
import type { ServedRecord } from "./api.ts";
import { textOf } from "./rdata-fields.ts";

/** A served record in our words. Null for the SOA and for names outside the zone. */
export function readRecord(zone: string, served: ServedRecord): RecordData | null {
  const name = readOwner(served.name, "", zone);
  const recordType = canonicalType(served.type) ?? served.type.toUpperCase();
  if (!name.ok || recordType === "SOA") return null;
  const { ttl, proxied } = served;
  return { recordType, name: name.value, ...contentOf(recordType, served), ttl, proxied };
}

function contentOf(recordType: string, { content, data, priority }: ServedRecord): RecordContent {
  if (recordType === "TXT") return textIn(content);
  const fields = data && textOf(recordType, { ...(priority === undefined ? {} : { priority }), ...data });
  const text = recordType === "MX" ? `${priority ?? 0} ${content}` : content;
  return canonicalRdata(recordType, fields ?? text) ?? unreadContent(fields ?? text);
}

/**
 * Content of a TXT record is character-strings in quotes (RFC 1035 §5.1). What came in without them, as the API let it for years, stands as it
 * was given and means itself.
 */
function textIn(content: string): RecordContent {
  const isQuoted = /^\s*"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*\s*$/s.test(content);
  return (isQuoted ? canonicalRdata("TXT", content) : null) ?? unreadContent(content);
}

/** Why nobody but Cloudflare changes a record; null where people may. */
export function ownReason({ meta }: ServedRecord): string | null {
  return meta?.read_only === true
    ? "made this record for a service of its own, such as Email Routing or Workers; change it in that service's settings there."
    : null;
}
