import { serverViolationsAt } from "./server-rules/at-name.ts";
import type { ServerRules, Violation } from "./server-rules/rules.ts";
import { recordKey, shortValue, type RecordData } from "./record.ts";

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
