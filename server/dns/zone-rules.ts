import { recordKey, shortValue, type RecordData } from "./record.ts";
import { writeRdata } from "./wire/rdata.ts";

const signedDelegation = "signed delegation";

/** Types allowed beside a CNAME: DNSSEC records (RFC 4034 §3, §4). */
const besideCname = new Set(["CNAME", "RRSIG", "NSEC"]);

const zoneKeyFlag = 0x1_00;

/** Returns whether a record is the key of a zone (RFC 4034 §2.1.1). */
function isZoneKey({ recordType, value }: RecordData): boolean {
  return recordType === "DNSKEY" && (Number.parseInt(value, 10) & zoneKeyFlag) !== 0;
}

/** Declares a CNAME at the apex of a zone, which RFC 1034 §3.6.2 rules out but some vendors have. */
export interface ApexCname {
  /** The types that may stand beside it: only some, or all but some. */
  beside: { only: readonly string[] } | { allBut: readonly string[] };
  /** Whether the vendor answers with the addresses of its target. */
  isFlattened: boolean;
}

/**
 * Returns the rules violated by the records of one name. `records` are all records of the name in the final state.
 * @param rules additional checks of the zone's name servers; null if unknown
 * @param apexCname the provider's CNAME at the apex; null if there must be none
 */
export function violationsAt(
  name: string,
  records: readonly RecordData[],
  rules: ServerRules | null = null,
  apexCname: ApexCname | null = null,
): Violation[] {
  const violations: Violation[] = rules ? serverViolationsAt(name, records, rules) : [];
  const cnames = records.filter((record) => record.recordType === "CNAME");
  const atApex = name === "@" ? apexCname : null;
  if (cnames.length > 0 && name === "@" && !atApex) {
    violations.push({
      rule: "apex",
      extent: cnames.length,
      code: "BAD_REQUEST",
      field: "recordType",
      message:
        "The apex of a zone cannot be a CNAME (RFC 1034 §3.6.2). Use A and AAAA records there, or ALIAS if the provider has it.",
    });
  }
  const delegations = records.filter((record) => record.recordType === "NS");
  if (delegations.length > 0 && name.startsWith("*")) {
    violations.push({
      rule: "wildcard delegation",
      extent: delegations.length,
      code: "BAD_REQUEST",
      field: "recordType",
      message: "A wildcard cannot have NS records (RFC 4592 §4.2); name servers refuse a zone with one.",
    });
  }
  const others = records.filter(({ recordType }) => !mayStandBeside(recordType, atApex));
  const [other] = others;
  if (cnames.length > 0 && other) {
    violations.push({
      rule: "alone",
      extent: cnames.length + others.length,
      code: "CONFLICT",
      field: "recordType",
      message: atApex
        ? `${allowedBeside(atApex)} beside a CNAME at the apex, which also has ${other.recordType}; delete one of them.`
        : `A CNAME must be the only record of its name, and ${name} also has ${other.recordType}; delete one of them.`,
    });
  }
  if (cnames.length > 1) {
    violations.push({
      rule: "single",
      extent: cnames.length,
      code: "CONFLICT",
      field: "recordType",
      message: `${name} can have only one CNAME; change the existing one instead.`,
    });
  }
  const exchangers = records.filter((record) => record.recordType === "MX");
  if (exchangers.length > 1 && exchangers.some(({ value }) => value === "0 .")) {
    violations.push({
      rule: "null MX",
      extent: exchangers.length,
      code: "CONFLICT",
      field: "value",
      message: `A null MX (0 .) says that ${name} accepts no mail, and must be its only MX record (RFC 7505 §3). Delete the others, or the null MX.`,
    });
  }
  const redirections = records.filter((record) => record.recordType === "DNAME");
  // The rules of name servers have this one, too.
  if (redirections.length > 1 && rules === null) {
    violations.push({
      rule: "single DNAME",
      extent: redirections.length,
      code: "CONFLICT",
      field: "recordType",
      message: `${name} can have only one DNAME (RFC 6672 §2.4); change the existing one instead.`,
    });
  }
  const signers = records.filter((record) => record.recordType === "DS");
  // The rules of name servers have one of their own for the apex.
  if (signers.length > 0 && (name === "@" ? rules === null : delegations.length === 0)) {
    violations.push({
      rule: signedDelegation,
      extent: signers.length,
      code: "CONFLICT",
      field: "recordType",
      message:
        name === "@"
          ? "The DS records of a zone belong to its parent zone (RFC 4035 §2.4). Enter them at the registrar or in the parent zone."
          : `A DS record belongs beside the NS records of a delegation (RFC 4035 §2.4), but ${name} has none. Add the NS first, or both in one plan.`,
    });
  }
  const keys = name === "@" ? [] : records.filter(isZoneKey);
  if (keys.length > 0) {
    violations.push({
      rule: "keys below the apex",
      extent: keys.length,
      code: "BAD_REQUEST",
      field: "name",
      message: `The DNSKEY record of a zone key is only allowed at the apex (RFC 4035 §2.1). Create it at "@" instead of ${name}.`,
    });
  }
  for (const type of ["HTTPS", "SVCB"]) {
    const services = records.filter(({ recordType }) => recordType === type);
    if (services.length < 2 || !services.some(isAlias)) continue;
    violations.push({
      rule: `alias ${type}`,
      extent: services.length,
      code: "CONFLICT",
      field: "value",
      message: `${type} in alias mode (priority 0) must be the only ${type} record of ${name} (RFC 9460 §2.4.2). Delete the others, or change its priority.`,
    });
  }
  for (const [key, count, record] of repeated(records)) {
    violations.push({
      rule: `repeated ${key}`,
      extent: count,
      code: "CONFLICT",
      field: "value",
      repeats: key,
      message: `${name} has this ${record.recordType} record ${count === 2 ? "already" : `${count} times`}: ${shortValue(record.value)}.`,
    });
  }
  return violations;
}

/**
 * Returns the violations that a change adds or makes worse. Existing violations are tolerated, so that zones imported with faults can be
 * edited.
 */
export function newViolations(
  name: string,
  before: readonly RecordData[],
  after: readonly RecordData[],
  rules: ServerRules | null = null,
  apexCname: ApexCname | null = null,
): Violation[] {
  const known = new Map(violationsAt(name, before, rules, apexCname).map(({ rule, extent }) => [rule, extent]));
  // The NS of a signed delegation may go first: some servers then drop the DS by themselves.
  const addsSigner = signersOf(after) > signersOf(before);
  return violationsAt(name, after, rules, apexCname).filter(
    ({ rule, extent }) => extent > (known.get(rule) ?? 0) && (rule !== signedDelegation || addsSigner),
  );
}

function mayStandBeside(recordType: string, atApex: ApexCname | null): boolean {
  if (besideCname.has(recordType)) return true;
  if (!atApex) return false;
  const { beside } = atApex;
  return "only" in beside ? beside.only.includes(recordType) : !beside.allBut.includes(recordType);
}

function allowedBeside({ beside }: ApexCname): string {
  if ("only" in beside) return `Only ${listed(beside.only, "and")} may stand`;
  return `No ${listed(beside.allBut, "or")} may stand`;
}

function listed(types: readonly string[], conjunction: string): string {
  return types.join(", ").replace(/, ([^,]*)$/, ` ${conjunction} $1`);
}

function signersOf(records: readonly RecordData[]): number {
  return records.filter(({ recordType }) => recordType === "DS").length;
}

function isAlias({ value }: RecordData): boolean {
  return value.startsWith("0 ");
}

function repeated(records: readonly RecordData[]): [string, number, RecordData][] {
  const counts = new Map<string, [string, number, RecordData]>();
  for (const record of records) {
    const key = recordKey(record);
    const [, count] = counts.get(key) ?? [key, 0];
    counts.set(key, [key, count + 1, record]);
  }
  return [...counts.values()].filter(([, count]) => count > 1);
}

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

/** The checks that a zone's name servers make on loading, beyond the general zone rules. */
export interface ServerRules {
  /** Whether they refuse a zone because of names that are not host names, like BIND's `check-names`. */
  checkNames: boolean;
  /** Maximum records of one name and type (BIND's `max-records-per-type`); 0: unlimited. */
  maxRecordsPerType: number;
  /** Maximum types at one name (BIND's `max-types-per-name`); 0: unlimited. */
  maxTypesPerName: number;
}

/** A rule violated by the records of one name. */
export interface Violation {
  /** Identifies the violated rule; stable across a change. */
  rule: string;
  /** The number of records involved, which a change must not increase. */
  extent: number;
  code: "BAD_REQUEST" | "CONFLICT";
  field: "name" | "recordType" | "value";
  message: string;
  /** The `recordKey` of a duplicate record. */
  repeats?: string;
}
