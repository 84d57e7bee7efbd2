import { printRdata } from "../record-types.ts";
import { isApexNs, type RecordData } from "../record.ts";
import { isPlaceholder } from "./contents.ts";
import { nameOrderKey } from "./name-order.ts";
import { placeholderNameServer, type Soa } from "./soa.ts";
import { inFile } from "./printed-data.ts";
import { atOnce, mapped, sorted, type Steps } from "../../platform/slices.ts";
import { isProviderType, typeNumber } from "./type-names.ts";

export interface ZoneFileContent {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  soa: Soa;
  records: readonly RecordData[];
  /** Seconds for $TTL; 3600 when left out. Every record names its own all the same. */
  defaultTtl?: number;
  /** Writes ALIAS, ANAME and LUA as records, which only some servers load, and not as comments. */
  vendorTypes?: boolean;
  /** The records are not all that the zone has. */
  isPart?: boolean;
}

// Longer owners push their line to the right instead of every other one.
const widestOwner = 32;

/**
 * Prints a master file (RFC 1035 §5) that BIND, NSD and Knot load: the same records give the same text, in whatever order they come. The
 * SOA leads, then the apex, then the other owners in canonical order, one record a line. `parseZoneFile` gives the records back.
 */
export function printZoneFile(content: ZoneFileContent): string {
  return atOnce(printingZoneFile(content));
}

/** {@link printZoneFile} in steps. */
export function* printingZoneFile({
  zone,
  soa,
  records,
  defaultTtl = 3600,
  vendorTypes = false,
  isPart = false,
}: ZoneFileContent): Steps<string> {
  const ordered = yield* inOrder(records);
  let width = 1;
  for (const { name } of ordered) width = Math.min(widestOwner, Math.max(width, name.length));
  const lines = [
    `; Zone ${zone}, written by Zonewright. Records added by hand are kept, comments are not.`,
    `$ORIGIN ${zone}.`,
    `$TTL ${defaultTtl}`,
    ...printSoa(soa, width),
  ];
  if (!ordered.some((record) => isApexNs(record) && !isPlaceholder(record))) {
    lines.push(
      isPart
        ? "; Records of some hosts of the zone; its name servers are not among them. The next line stands in for them."
        : "; A zone does not load without a name server, and this one lists none. The next line stands in for it.",
    );
    lines.push(printLine("@", soa.ttl, "NS", `${placeholderNameServer}.`, width));
  }
  for (const record of ordered) {
    yield;
    if (isPlaceholder(record)) continue;
    const { name, ttl, recordType } = record;
    const line = printLine(name, ttl, ...inFile(recordType, printRdata(record)), width);
    lines.push(isCommented(recordType, vendorTypes) ? `; ${line.replaceAll(/\p{Cc}+/gu, " ")}` : line);
  }
  lines.push("");
  return lines.join("\n");
}

function printSoa(soa: Soa, width: number): string[] {
  const numbers: [number, string][] = [
    [soa.serial, "serial"],
    [soa.refresh, "refresh"],
    [soa.retry, "retry"],
    [soa.expire, "expire"],
    [soa.minimum, "minimum"],
  ];
  return [
    printLine("@", soa.ttl, "SOA", `${absolute(soa.mname)} ${absolute(soa.rname)} (`, width),
    ...numbers.map(([number, meaning]) => `${" ".repeat(8)}${String(number).padEnd(11)}; ${meaning}`),
    `${" ".repeat(8)})`,
  ];
}

function printLine(name: string, ttl: number, recordType: string, rdata: string, width: number): string {
  return `${name.padEnd(width)} ${String(ttl).padEnd(6)} IN ${recordType.padEnd(6)} ${rdata}`;
}

/** What only its provider has, no name server loads and no import takes in. */
function isCommented(recordType: string, vendorTypes: boolean): boolean {
  return isProviderType(recordType) || (!vendorTypes && typeNumber(recordType) === null);
}

function absolute(host: string): string {
  return host === "." ? host : `${host}.`;
}

/** By owner, then name servers first, then by type, value and how a text is cut. */
function* inOrder(records: readonly RecordData[]): Steps<RecordData[]> {
  const keys = new Map<string, string>();
  const keyed = yield* mapped(records, (record) => {
    let key = keys.get(record.name);
    if (key === undefined) {
      key = nameOrderKey(record.name);
      keys.set(record.name, key);
    }
    return { key, type: record.recordType === "NS" ? "" : record.recordType, record };
  });
  const ordered = yield* sorted(
    keyed,
    (one, other) =>
      compare(one.key, other.key) ||
      compare(one.type, other.type) ||
      compare(one.record.value, other.record.value) ||
      compare(splitOf(one.record), splitOf(other.record)),
  );
  return yield* mapped(ordered, ({ record }) => record);
}

function splitOf({ strings }: RecordData): string {
  return strings === null ? "" : JSON.stringify(strings);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
