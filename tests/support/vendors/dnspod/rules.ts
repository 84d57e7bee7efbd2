import { isIP, isIPv4, isIPv6 } from "node:net";
import { domainToUnicode } from "node:url";

/** A record as the API shows it. */
export interface DnspodEntry {
  RecordId: number;
  Name: string;
  Type: string;
  Value: string;
  TTL: number;
  MX: number;
  Line: string;
  LineId: string;
  Status: "ENABLE" | "DISABLE";
  Weight: number | null;
  Remark: string;
  MonitorStatus: string;
  UpdatedOn: string;
  DefaultNS: boolean;
}

/** A refusal, which comes with status 200. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Wanted {
  Name: string;
  Type: string;
  Value: string;
  TTL: number;
  MX: number;
}

const types = new Set(["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"]);
const chinese = "\u3400-\u4dbf\u4e00-\u9fff";
const nameForm = new RegExp(`^(?:@|(?:\\*|[a-z0-9_${chinese}-]+)(?:\\.[a-z0-9_${chinese}-]+)*)$`, "i");
const hostForm = new RegExp(`^[a-z0-9_${chinese}-]+(?:\\.[a-z0-9_${chinese}-]+)*\\.?$`, "i");
const onlyChinese = new RegExp(`^[\\x00-\\x7f${chinese}]*$`);
/** Addresses of one name that may share the load. */
const mostRolled = 60;

const badValue = () => new Refused("InvalidParameter.RecordValueInvalid", "The record value is incorrect.");

/** Normalizes a record as the vendor does. @throws Refused */
export function accepted(wanted: Wanted, minTtl: number): Wanted {
  const { Type: type, TTL: ttl, MX: mx } = wanted;
  if (!types.has(type)) throw new Refused("InvalidParameter.RecordTypeInvalid", "The record type is incorrect.");
  if (!nameForm.test(wanted.Name) || isForeign(wanted.Name))
    throw new Refused("InvalidParameter.SubdomainInvalid", "The subdomain is incorrect.");
  if (ttl < minTtl || ttl > 604_800) {
    throw new Refused("LimitExceeded.RecordTtlLimit", "The TTL value of the record exceeds the limit.");
  }
  if (type === "MX" && !(mx >= 1 && mx <= 20)) {
    throw new Refused("InvalidParameter.MxInvalid", "The MX priority is incorrect.");
  }
  return {
    ...wanted,
    Name: wanted.Name.toLowerCase(),
    Value: shownValue(type, wanted.Value),
    MX: type === "MX" ? mx : 0,
  };
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
      return shownHost(value);
    case "TXT":
      return shownText(value);
    case "SRV": {
      const [, numbers = "", target = ""] = /^(\d+ \d+ \d+) (\S+)$/.exec(value) ?? [];
      if (numbers === "" || numbers.split(" ").some((number) => Number(number) > 65_535)) throw badValue();
      return `${numbers} ${shownHost(target)}`;
    }
    default:
      if (!/^\d{1,3} [a-z0-9]+ "[^"\\]*"$/.test(value)) throw badValue();
      return value;
  }
}

/** Chinese names in their own script, all with a trailing dot. */
function shownHost(value: string): string {
  if (!hostForm.test(value) || isIP(value) !== 0 || isForeign(value)) throw badValue();
  const host = value.toLowerCase().replace(/\.$/, "");
  const unicode = domainToUnicode(host);
  return `${unicode !== "" && onlyChinese.test(unicode) ? unicode : host}.`;
}

/** Only ASCII and Chinese, in A-labels too: https://github.com/DNSControl/dnscontrol/pull/4775. */
function isForeign(name: string): boolean {
  return !onlyChinese.test(domainToUnicode(name));
}

/** Refuses double quotes, and over 255 octets (https://github.com/DNSControl/dnscontrol/pull/4581); loses trailing backslashes and blanks, and turns single quotes into double ones. */
function shownText(value: string): string {
  const shown = value.replaceAll("\\", "").replaceAll("'", '"').trimEnd();
  if (value.includes('"') || shown === "" || Buffer.byteLength(value) > 255) throw badValue();
  return shown;
}

/**
 * Whether two types exclude each other at a name. A CNAME at `@` stands beside the NS that every zone has, and beside MX and TXT: the
 * vendor's staff at v2ex.com/t/204489, and DNSControl's TENCENTDNS, which stores its ALIAS at the apex as such a CNAME.
 */
function conflict(name: string, ...types: string[]): boolean {
  if (name !== "@") return types.includes("CNAME") || types.includes("NS");
  return types.includes("CNAME") && !types.some((type) => ["MX", "NS", "TXT"].includes(type));
}

/** @throws Refused for a conflicting record at the same name and line. */
export function refuseConflicts(entry: DnspodEntry, others: readonly DnspodEntry[]): void {
  const beside = others.filter((other) => other.Name === entry.Name && other.LineId === entry.LineId);
  const alike = beside.filter(({ Type: type }) => type === entry.Type);
  if (alike.some((other) => other.Value === entry.Value && other.MX === entry.MX)) {
    throw new Refused(
      "InvalidParameter.DomainRecordExist",
      "The record already exists and does not need to be added again.",
    );
  }
  if (beside.some(({ Type: type }) => type !== entry.Type && conflict(entry.Name, type, entry.Type))) {
    throw new Refused("InvalidParameter.CustomMessage", "The record conflicts with another one of the same name.");
  }
  if (["A", "AAAA", "CNAME"].includes(entry.Type) && alike.length >= mostRolled) {
    throw new Refused("LimitExceeded.SubdomainRollLimit", "The number of subdomain load balances exceeds the limit.");
  }
}
