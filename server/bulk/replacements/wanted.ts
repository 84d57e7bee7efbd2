import { ruleFor } from "../../dns/record-types.ts";
import { valueOf, type RecordData } from "../../dns/record.ts";
import { badField } from "../../platform/errors.ts";

/** What a caller wants replaced, as sent and as stored. */
export interface ReplaceRequest {
  recordType: string;
  value: string;
  newValue: string;
  newTtl?: number | undefined;
  domainIds?: string[] | undefined;
  tag?: string | undefined;
}

/**
 * A value that may leave out its leading numbers: an MX the priority, an SRV the priority, or the priority, weight and port. As the value to
 * find, it then matches any of them; as the new value, it keeps those of each record.
 */
interface ValueForm {
  /** How many leading fields are left out. */
  omitted: number;
  /** The canonical rest. */
  rest: string;
  /** The rest as written. */
  written: string;
}

export interface Wanted {
  recordType: string;
  from: ValueForm;
  to: ValueForm;
  /** Seconds; null keeps the TTLs. */
  newTtl: number | null;
}

/** Leading fields that stand in for those left out, so that the type's rule can read the rest. The first that works is meant. */
const leads: Readonly<Record<string, readonly string[]>> = { MX: ["", "0 "], SRV: ["", "0 ", "0 0 1 "] };

/** Reads what is wanted. Accepts any notation of the values. @throws AppError BAD_REQUEST */
export function readWanted(request: ReplaceRequest): { wanted: Wanted; warnings: string[] } {
  const { recordType, newTtl = null } = request;
  const { form: from } = formOf(recordType, request.value, "value");
  const { form: to, warnings } = formOf(recordType, request.newValue, "newValue");
  if (from.omitted === to.omitted && from.written === to.written && newTtl === null)
    throw badField(["newValue"], "`newValue` is the same as `value`. Send another value, or `newTtl`.");
  return { wanted: { recordType, from, to, newTtl }, warnings };
}

function formOf(recordType: string, value: string, field: "value" | "newValue") {
  const rule = ruleFor(recordType);
  for (const lead of leads[recordType] ?? [""]) {
    const written = rule.write(lead + value, null);
    if (!written.ok) continue;
    const omitted = lead.split(" ").length - 1;
    const [rest, asWritten] = [written.value.value, valueOf(written.value)].map((text) => restOf(text, omitted));
    return { form: { omitted, rest: rest ?? "", written: asWritten ?? "" }, warnings: written.value.warnings };
  }
  // A value that begins with a number is meant with its numbers; of another one, only the rest can be wrong.
  const lead = /^\s*\d+\s/.test(value) ? "" : (leads[recordType]?.at(-1) ?? "");
  const written = rule.write(lead + value, null);
  throw badField([field], written.ok ? "This value cannot be replaced." : written.message);
}

function restOf(value: string, omitted: number): string {
  return omitted === 0 ? value : value.split(" ").slice(omitted).join(" ");
}

/** Returns whether a record has the value to be replaced. */
export function isWanted({ recordType, from }: Wanted, record: RecordData): boolean {
  return record.recordType === recordType && restOf(record.value, from.omitted) === from.rest;
}

/** Returns the value that a record gets, canonical and as written. */
export function newValueOf({ to }: Wanted, record: RecordData): { value: string; written: string } {
  const lead = record.value.split(" ").slice(0, to.omitted);
  return { value: [...lead, to.rest].join(" "), written: [...lead, to.written].join(" ") };
}
