import { writeRdata } from "../wire/rdata-write.ts";
import type { RecordData } from "../record.ts";
import type { Violation } from "./rules.ts";
import type { ServerRules } from "./rules.ts";

/** BIND's maximum size of an RRset in octets: the data plus two octets per record. */
const mostRrsetOctets = 65_512;
const octetsBesideData = 2;
// A UTF-16 code unit of a value is at most three octets of data (UTF-8).
const mostOctetsPerCharacter = 3;

const signaturesToDnskey = new Set(["CDS", "CDNSKEY"]);
/** SHA-1, the only registered hash algorithm (RFC 5155 §11). */
const knownNsec3Hash = "1";

/**
 * Returns the reasons in one name's records for which name servers refuse a zone. `records` are all records of the name in the final
 * state. Based on tests with BIND 9.18 and Knot 3.2, see docs/decisions/0036-what-name-servers-refuse.md.
 */
export function serverViolationsAt(name: string, records: readonly RecordData[], rules: ServerRules): Violation[] {
  const rrsets = [...Map.groupBy(records, typeKey)];
  return [
    ...tooMany(name, rrsets, rules),
    ...rrsets.flatMap(([type, rrset]) => tooLarge(name, type, rrset)),
    ...delegationNames(name, records),
    ...(name === "@" ? apexFaults(records) : []),
  ];
}

/** Signatures that cover different types count as different types. */
function typeKey({ recordType, value }: RecordData): string {
  return recordType === "RRSIG" ? `RRSIG of ${value.split(" ", 1)[0]}` : recordType;
}

function tooMany(
  name: string,
  rrsets: readonly [string, readonly RecordData[]][],
  { maxRecordsPerType, maxTypesPerName }: ServerRules,
): Violation[] {
  const violations: Violation[] = [];
  for (const [type, { length }] of rrsets) {
    if (maxRecordsPerType === 0 || length <= maxRecordsPerType) continue;
    const message = `${name} would have ${length} ${type} records; name servers refuse a zone with more than ${maxRecordsPerType} of one name and type (max-records-per-type).`;
    violations.push({ rule: `records ${type}`, extent: length, code: "CONFLICT", field: "value", message });
  }
  // The SOA counts as one.
  const types = rrsets.length + (name === "@" ? 1 : 0);
  if (maxTypesPerName !== 0 && types > maxTypesPerName) {
    const message = `${name} would have ${types} record types; name servers refuse a zone with more than ${maxTypesPerName} at one name (max-types-per-name).`;
    violations.push({ rule: "types", extent: types, code: "CONFLICT", field: "recordType", message });
  }
  return violations;
}

function tooLarge(name: string, type: string, rrset: readonly RecordData[]): Violation[] {
  // Each TXT string has a length octet.
  const characters = rrset.reduce((sum, { value, strings }) => sum + value.length + (strings?.length ?? 0), 0);
  if (characters * mostOctetsPerCharacter + rrset.length * octetsBesideData <= mostRrsetOctets) return [];
  const octets = rrset.reduce((sum, record) => sum + octetsOf(record) + octetsBesideData, 0);
  if (octets <= mostRrsetOctets) return [];
  const message = `The ${type} records of ${name} would total ${octets} octets; name servers hold at most ${mostRrsetOctets} per name and type.`;
  return [{ rule: `octets ${type}`, extent: octets, code: "CONFLICT", field: "value", message }];
}

function octetsOf({ recordType, value, strings }: RecordData): number {
  try {
    return writeRdata(recordType, value, strings).length;
  } catch {
    // Stored data that does not follow its type's grammar: its text length is an upper bound.
    return value.length;
  }
}

function delegationNames(name: string, records: readonly RecordData[]): Violation[] {
  const violations: Violation[] = [];
  const redirections = records.filter(({ recordType }) => recordType === "DNAME").length;
  const nameServers = records.filter(({ recordType }) => recordType === "NS").length;
  if (redirections > 1) {
    const message = `${name} can have only one DNAME (RFC 6672 §2.4); change the existing one instead.`;
    violations.push({ rule: "single DNAME", extent: redirections, code: "CONFLICT", field: "recordType", message });
  }
  if (redirections > 0 && nameServers > 0 && name !== "@") {
    const message = `${name} cannot have both NS and DNAME records (RFC 6672 §2.3); delete one of them.`;
    const extent = redirections + nameServers;
    violations.push({ rule: "DNAME and NS", extent, code: "CONFLICT", field: "recordType", message });
  }
  return violations;
}

/** Checks rules of the apex: records about the zone's own keys. */
function apexFaults(records: readonly RecordData[]): Violation[] {
  const violations: Violation[] = [];
  const of = (type: string) => records.filter(({ recordType }) => recordType === type);
  const add = (rule: string, extent: number, message: string) =>
    violations.push({ rule, extent, code: "CONFLICT", field: "recordType", message });

  const delegationSigners = of("DS").length;
  if (delegationSigners > 0)
    add("DS at apex", delegationSigners, "A DS record belongs to the parent zone, not to the apex (RFC 4035 §2.4).");
  const algorithms = new Set(of("DNSKEY").map(({ value }) => value.split(" ")[2]));
  for (const type of signaturesToDnskey) {
    const present = of(type);
    const deleting = present.filter((record) => algorithmOf(record) === "0").length;
    if (deleting > 0 && present.length > 1)
      add(`${type} deletes`, present.length, `A ${type} that requests deletion must be the only one (RFC 8078 §4).`);
    const unkeyed = present.filter((record) => {
      const algorithm = algorithmOf(record);
      return algorithm !== "0" && !algorithms.has(algorithm);
    });
    const [first] = unkeyed;
    if (first)
      add(
        `${type} without key`,
        unkeyed.length,
        `The apex has a ${type} for algorithm ${algorithmOf(first)} but would have no DNSKEY for it; delete the ${type} first (RFC 7344 §4.1).`,
      );
  }
  const parameters = of("NSEC3PARAM");
  if (parameters.length > 1)
    add("NSEC3PARAM", parameters.length, "The apex can have only one NSEC3PARAM; Knot refuses a zone file with more.");
  if (parameters.length > 0 && parameters.every(({ value }) => value.split(" ")[0] !== knownNsec3Hash))
    add("NSEC3 hash", parameters.length, "The NSEC3PARAM has an unknown hash algorithm; use 1 (SHA-1).");
  return violations;
}

/** Returns the algorithm of a CDS (RFC 4034 §5.1) or CDNSKEY (§2.1). */
function algorithmOf({ recordType, value }: RecordData): string | undefined {
  return value.split(" ")[recordType === "CDS" ? 1 : 2];
}
