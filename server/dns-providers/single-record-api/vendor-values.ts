import { escapeOctets } from "../../dns/names/escapes.ts";
import {
  parseHostAsWritten,
  parseOwnerName,
  readHostAsWritten,
  readOwner,
  toUnicodeName,
  type OwnerName,
} from "../../dns/names/names.ts";
import { isCommonType } from "../../dns/record.ts";
import type { ApexCname } from "../../dns/zone-rules.ts";
import type { LimitedRecord, Unsupported } from "../provider.ts";
import { canonicalRdata, type RecordContent } from "../rdata-text.ts";

// Values as Alibaba Cloud DNS and DNSPod print them: TXT without quotes or escapes, host names in Unicode, MX priority as its own
// field.

/**
 * Both keep a CNAME at the apex beside these types and answer with it, at the risk of losing mail: "DNS record conflict rules" of
 * Alibaba Cloud (help.aliyun.com/en/dns/pubz-dns-record-conflict-rules), whose table for `@` DNSPod's answers agree with.
 */
export const apexCname: ApexCname = { beside: { only: ["MX", "NS", "TXT"] }, isFlattened: false };

/**
 * Returns whether records can be filtered by this name. Neither vendor documents which form of an international name its filter
 * takes.
 */
export function isQueryable(name: string): boolean {
  return !name.includes("xn--");
}

/**
 * Returns why these vendors refuse the names in a record: they take ASCII and Chinese characters only, and look into A-labels. Others found
 * that with real accounts (DNSControl #4770, #4775, and its audit of ALIDNS). Null if they take them.
 */
export function foreignName({ recordType, name, value }: LimitedRecord): Unsupported | null {
  const reason = "allows only ASCII and Chinese characters in names.";
  if (isForeign(name)) return { field: "name", reason };
  return hostTypes.has(recordType) && isForeign(value) ? { field: "value", reason } : null;
}

const hostTypes = new Set(["CNAME", "MX", "NS", "SRV"]);

function isForeign(text: string): boolean {
  if (!text.includes("xn--")) return false;
  const labels = text.split(/[. ]/).filter((label) => label.startsWith("xn--"));
  return labels.some((label) => /[^\0-\x7f\u3400-\u4dbf\u4e00-\u9fff]/u.test(toUnicodeName(label)));
}

/** Returns an owner relative to the zone, in A-labels; unchanged if it is not a valid name. */
export function canonicalOwner(printed: string, zone: string): OwnerName {
  if (printed === "" || printed === "@") return { name: "@" };
  const name = `${printed}.${zone}.`;
  const owner = parseOwnerName(name, zone);
  if (owner.ok) return owner.value;
  const read = readOwner(name, "", zone);
  return read.ok ? read.value : { name: printed };
}

/** Returns a printed value in canonical form; unchanged if it cannot be read, so that nothing is lost. */
export function canonicalValue(
  recordType: string,
  printed: string,
  mxPriority: number | undefined,
): Omit<RecordContent, "strings"> {
  const text = masterFileText(recordType, printed, mxPriority);
  const read = isCommonType(recordType) && text !== null ? canonicalRdata(recordType, text) : null;
  if (!read) return { value: printed, priority: null };
  const { strings: _, ...content } = read;
  return content;
}

/** Returns a value in master-file form; null if it cannot be converted. */
function masterFileText(recordType: string, printed: string, mxPriority: number | undefined): string | null {
  switch (recordType) {
    case "TXT":
      return `"${escapeOctets(Buffer.from(unquoted(printed), "utf8"), '"\\')}"`;
    case "CNAME":
    case "NS":
      return absoluteHost(printed);
    case "MX": {
      const host = absoluteHost(printed);
      return host && `${mxPriority ?? 0} ${host}`;
    }
    case "SRV": {
      const [priority, weight, port, target = "", ...others] = printed.trim().split(/\s+/);
      const host = absoluteHost(target);
      return host && others.length === 0 ? `${priority} ${weight} ${port} ${host}` : null;
    }
    default:
      return printed;
  }
}

/** Returns a text without the quotes around it, or around each part of it, which some people and programs enter with it. */
function unquoted(text: string): string {
  if (!/^"[^"]*"(?:\s+"[^"]*")*$/.test(text)) return text;
  return [...text.matchAll(/"([^"]*)"/g)].map(([, inner]) => inner).join("");
}

function absoluteHost(printed: string): string | null {
  if (printed === ".") return ".";
  const host = parseHostAsWritten(printed);
  if (host.ok) return `${host.value}.`;
  const read = readHostAsWritten(printed, "");
  return read.ok ? `${read.value}.` : null;
}
