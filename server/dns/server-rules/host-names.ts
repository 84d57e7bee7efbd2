import { absoluteName } from "../names/names.ts";
import type { RecordData } from "../record.ts";

/** A name for which BIND's `check-names` refuses the whole zone. */
export interface NameFault {
  field: "name" | "value";
  /** Completes a sentence that begins with the provider's name. */
  reason: string;
}

type Named = Pick<RecordData, "recordType" | "name" | "value">;

/** Types whose owner must be a host name, optionally with a wildcard label. */
export const hostOwners: ReadonlySet<string> = new Set(["A", "AAAA", "A6", "WKS", "MX"]);
/** Types whose owner is a mailbox: one arbitrary label, then a host name. */
const mailboxOwners = new Set(["MB", "MG"]);
/** Active Directory's global catalog (gc._msdcs of a forest), which BIND exempts. */
const globalCatalog = /^gc\._msdcs\./;

/** Index of the value's field that is a host name. */
const hostFields: ReadonlyMap<string, number> = new Map([
  ["NS", 0],
  ["MX", 1],
  ["AFSDB", 1],
  ["RT", 1],
  ["A6", 2],
  ["SRV", 3],
]);
const serviceTypes = new Set(["SVCB", "HTTPS"]);
const reverseTrees = /(?:^|\.)(?:in-addr\.arpa|ip6\.arpa|ip6\.int)$/;
/** DNS-SD domain enumeration (RFC 6763 §11) may point to arbitrary names. */
const domainEnumeration = /^(?:b|db|r|dr|lb)\._dns-sd\._udp\./;
const base32Hex = /^[0-9a-v]+$/;

const hostNameRule = "Use only letters, digits and inner hyphens";

/** Returns the faults that BIND 9.18's `check-names` finds in a record of a primary zone. */
export function nameFaults(record: Named, zone: string): NameFault[] {
  const { recordType } = record;
  const faults: NameFault[] = [];
  const owner = absoluteName(record.name, zone);
  if (!isOwner(recordType, owner)) {
    const reason = `cannot hold ${recordType} records of ${owner}: BIND refuses a zone with such a name (check-names). ${hostNameRule}.`;
    faults.push({ field: "name", reason });
  }
  const host = hostIn(record, owner);
  if (host !== null && !isHostName(host)) {
    const reason = `cannot hold ${recordType} records with the target ${host}: BIND refuses a zone with such a name (check-names). ${hostNameRule}.`;
    faults.push({ field: "value", reason });
  }
  return faults;
}

function isOwner(recordType: string, owner: string): boolean {
  if (recordType === "NSEC3") return isBase32(owner.split(".", 1)[0] ?? "");
  if (mailboxOwners.has(recordType)) return isMailbox(owner);
  if (!hostOwners.has(recordType)) return true;
  const isCatalog = (recordType === "A" || recordType === "AAAA") && globalCatalog.test(owner);
  return isHostName(owner.replace(isCatalog ? globalCatalog : /^\*\./, ""));
}

/** Returns the host name in the value, or null if BIND checks none. BIND does not check generic data (RFC 3597). */
function hostIn({ recordType, value }: Named, owner: string): string | null {
  if (value.startsWith(String.raw`\# `)) return null;
  const fields = value.split(" ");
  if (recordType === "PTR") return reverseTrees.test(owner) && !domainEnumeration.test(owner) ? hostOf(value) : null;
  if (serviceTypes.has(recordType)) return Number(fields[0]) > 0 ? hostOf(fields[1]) : null;
  const field = hostFields.get(recordType);
  return field === undefined ? null : hostOf(fields[field]);
}

function hostOf(field: string | undefined): string | null {
  return field === undefined ? null : field.replace(/(?<=.)\.$/, "");
}

/** Returns whether BIND accepts a name as the SOA mailbox: one arbitrary label, then a host name. */
export function isMailbox(name: string): boolean {
  return isHostName(withoutFirstLabel(name));
}

/** Accepts letters, digits and inner hyphens in each label (RFC 952, RFC 1123 §2.1), and the root. */
function isHostName(name: string): boolean {
  return (
    name === "." || name === "" || name.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label))
  );
}

function withoutFirstLabel(name: string): string {
  return name.replace(/^(?:\\\d{3}|\\.|[^.\\])*\.?/s, "");
}

/** Accepts whole octets in base32hex (RFC 4648 §7), as in the owner of NSEC3 records. */
function isBase32(label: string): boolean {
  return base32Hex.test(label) && [0, 2, 4, 5, 7].includes(label.length % 8);
}
