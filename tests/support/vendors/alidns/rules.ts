import { isIPv4, isIPv6, isIP } from "node:net";
import { domainToUnicode } from "node:url";

/** A record as the API shows it. */
export interface AlidnsEntry {
  RecordId: string;
  DomainName: string;
  RR: string;
  Type: string;
  Value: string;
  TTL: number;
  Priority?: number;
  Line: string;
  Status: "ENABLE" | "DISABLE";
  Locked: boolean;
  LbaStatus?: boolean;
  Weight?: number;
}

/** A refusal: code and words, with status 400. */
export class Refused extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** "DNS record type format". */
const types = new Set(["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA", "REDIRECT_URL", "FORWARD_URL"]);
const chinese = "\u3400-\u4dbf\u4e00-\u9fff";
const rrForm = new RegExp(`^(?:@|(?:\\*|[a-z0-9_${chinese}-]+)(?:\\.[a-z0-9_${chinese}-]+)*)$`, "i");
const nameForm = new RegExp(`^[a-z0-9_${chinese}-]+(?:\\.[a-z0-9_${chinese}-]+)*\\.?$`, "i");
const onlyChinese = new RegExp(`^[\\x00-\\x7f${chinese}]*$`);
const mostAlike = 90;

const badValue = () => new Refused("SubDomainInvalid.Value", "The DNS record is invalid or in the wrong format.");

/** Normalizes a record as the vendor does. @throws Refused */
export function accepted(given: Omit<AlidnsEntry, "RecordId" | "DomainName" | "Status" | "Locked">, minTtl: number) {
  const { Type: type, TTL: ttl } = given;
  const rr = given.RR.toLowerCase();
  if (!types.has(type)) throw new Refused("SubDomainInvalid.Type", "The type of the DNS record is invalid.");
  if (!rrForm.test(rr) || isForeign(rr)) throw new Refused("InvalidRR.Format", "The parameter value RR is invalid.");
  if (rr.startsWith("*") && ["NS", "TXT", "SRV"].includes(type)) {
    throw new Refused("InvalidRR.Format", "The parameter value RR is invalid.");
  }
  if (ttl < minTtl || ttl > 86_400) throw new Refused("QuotaExceeded.TTL", "The TTL value is out of the limit.");
  const priority = given.Priority;
  if (type === "MX" && !(priority !== undefined && priority >= 1 && priority <= 50)) {
    throw new Refused("SubDomainInvalid.Priority", "The priority of the MX record is invalid.");
  }
  const { Priority: _priority, ...rest } = given;
  return { ...rest, RR: rr, Value: shownValue(type, given.Value), ...(type === "MX" ? { Priority: priority } : {}) };
}

/** The value as the API shows it afterwards. */
function shownValue(type: string, value: string): string {
  switch (type) {
    case "A":
      if (!isIPv4(value)) throw badValue();
      return value;
    case "AAAA":
      if (!isIPv6(value)) throw badValue();
      return value.toLowerCase();
    case "CNAME":
    case "NS":
    case "MX":
      return shownName(value);
    case "TXT": {
      // Trailing quotes and blanks are silently lost.
      const shown = value.replaceAll('"', "").trimEnd();
      if (shown === "" || shown.length >= 512 || !/^[ -~]*$/.test(shown)) throw badValue();
      return shown;
    }
    case "SRV": {
      const [, numbers = "", target = ""] = /^(\d+ \d+ \d+) (\S+)$/.exec(value) ?? [];
      if (numbers === "" || numbers.split(" ").some((number) => Number(number) > 65_535)) throw badValue();
      return `${numbers} ${shownName(target)}`;
    }
    case "CAA":
      if (!/^\d{1,3} [a-z0-9]+ "[^"\\]*"$/.test(value)) throw badValue();
      return value;
    default:
      return value;
  }
}

/** Only ASCII and Chinese, in A-labels too: DNSControl's audit of ALIDNS, "last verified at 2025-12-03". */
function isForeign(name: string): boolean {
  return !onlyChinese.test(domainToUnicode(name));
}

function shownName(value: string): string {
  if (!nameForm.test(value) || isIP(value) !== 0 || isForeign(value)) throw badValue();
  return value.toLowerCase().replace(/\.$/, "");
}

/**
 * Whether two types exclude each other at a name: "DNS record conflict rules"
 * (https://help.aliyun.com/en/dns/pubz-dns-record-conflict-rules). At `@`, NS stands beside everything, and CNAME beside MX, NS and TXT.
 */
function conflict(rr: string, ...types: string[]): boolean {
  if (rr !== "@") return types.includes("CNAME") || types.includes("NS");
  return types.includes("CNAME") && !types.some((type) => ["MX", "NS", "TXT"].includes(type));
}

/** "DNS record conflict rules", and the limit of similar records. @throws Refused */
export function refuseConflicts(entry: AlidnsEntry, others: readonly AlidnsEntry[]): void {
  const beside = others.filter((other) => other.RR === entry.RR && other.Line === entry.Line);
  const alike = beside.filter(({ Type: type }) => type === entry.Type);
  const same = alike.some((other) => other.Value === entry.Value && other.Priority === entry.Priority);
  if (same) throw new Refused("DomainRecordDuplicate", "The domain record is duplicated.");
  if (beside.some(({ Type: type }) => type !== entry.Type && conflict(entry.RR, type, entry.Type))) {
    throw new Refused("DomainRecordConflict", "The domain record is conflict with other records.");
  }
  if (alike.length >= mostAlike) {
    const what = `${entry.Type} ${entry.RR} ${entry.Line}`;
    throw new Refused(
      "QuotaExceeded.Record",
      `You can't add this domain record because the {"${what}"} record has been out of MAX count (90).`,
    );
  }
}
