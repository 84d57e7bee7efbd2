import { recordKey, type RecordData } from "./record.ts";

/** A rule that the records of one name break together. */
export interface Violation {
  code: "BAD_REQUEST" | "CONFLICT";
  field: "recordType" | "value";
  message: string;
}

/** DNSSEC records stand beside a CNAME by design (RFC 4034 §3, §4). */
const besideCname = new Set(["CNAME", "RRSIG", "NSEC"]);

/** What the records of one name break together; `records` are all that the name has in the final state. */
export function violationsAt(name: string, records: readonly RecordData[]): Violation[] {
  const violations: Violation[] = [];
  const cnames = records.filter((record) => record.recordType === "CNAME");
  if (cnames.length > 0 && name === "@") {
    violations.push({
      code: "BAD_REQUEST",
      field: "recordType",
      message: "The apex of a zone cannot be a CNAME (RFC 1034 §3.6.2); use A and AAAA records there.",
    });
  }
  const others = records.find((record) => !besideCname.has(record.recordType));
  if (cnames.length > 0 && others) {
    violations.push({
      code: "CONFLICT",
      field: "recordType",
      message: `A CNAME must be the only record of its name, and ${name} also has ${others.recordType}; delete one of them.`,
    });
  }
  if (cnames.length > 1) {
    violations.push({
      code: "CONFLICT",
      field: "recordType",
      message: `${name} can have only one CNAME; change the present one instead.`,
    });
  }
  for (const [, count, record] of repeated(records)) {
    violations.push({
      code: "CONFLICT",
      field: "value",
      message: `${name} has this ${record.recordType} record ${count === 2 ? "already" : `${count} times`}: ${shorten(record.value)}.`,
    });
  }
  return violations;
}

/** Violations that a change brought about: what was broken before may stay, so that zones read from elsewhere can be edited. */
export function newViolations(name: string, before: readonly RecordData[], after: readonly RecordData[]): Violation[] {
  const known = new Set(violationsAt(name, before).map(({ message }) => message));
  return violationsAt(name, after).filter(({ message }) => !known.has(message));
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

function shorten(value: string): string {
  return value.length > 80 ? `${value.slice(0, 77)}…` : value;
}
