import {
  absoluteName,
  ownerNameWithin,
  parseOwnerName,
  readHostAsWritten,
  shown,
  toALabel,
  withAsciiDots,
  type OwnerName,
} from "../names/names.ts";
import { printRdata, ruleFor } from "../record-types.ts";
import { recordKey, type RecordData } from "../record.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import type { Steps } from "../../platform/slices.ts";
import { readingOf, type Reading } from "../zone-file/contents.ts";
import { dataFields, note, readType, report, resultOf, takeRecord } from "../zone-file/parse.ts";
import { nameFields } from "./zone-file-meaning.ts";
import { joinParameters, type Field, type LogicalLine } from "../zone-file/tokens.ts";
import type { FormatOptions, FormatReading, FormatRecord } from "./format.ts";

/** A record as a structured format has it. */
export interface Entry {
  line: number;
  owner: OwnerName;
  /** Seconds; null for none. */
  ttl: number | null;
  /** Canonical. */
  recordType: string;
  fields: Field[];
  proxied?: boolean | null;
  comment?: string | null;
  isDisabled?: boolean;
}

const longestComment = 1000;

/**
 * Collects the records of a format that is not a zone file, and judges each as a zone file's: by the grammar of its type, one TTL per RRset, no
 * duplicates, a limited number of errors and warnings.
 */
export class Entries {
  readonly options: FormatOptions;
  readonly #reading: Reading;
  readonly #disabled: Reading;
  readonly #said = new Map<string, Pick<FormatRecord, "proxied" | "comment">>();
  #isFull = false;
  /** Whether the record that is being added is proxied. */
  #isProxied = false;

  constructor(options: FormatOptions) {
    const { zone, defaultTtl = 3600, lenient = false } = options;
    const given = {
      zone,
      // Names in these formats are full, with or without the final dot.
      origin: "",
      defaultTtl,
      splitLongStrings: lenient,
      vendorTypes: true,
      keepBadData: lenient ? ("in its format" as const) : false,
      meaning: {
        entry: (line: LogicalLine) => line,
        record: (record: RecordData) => (this.#isProxied ? { ...record, proxied: true } : record),
      },
    };
    this.options = options;
    this.#reading = readingOf(given);
    this.#disabled = readingOf(given);
  }

  /** Whether there are so many errors that reading on is of no use. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Warns about a reading that is not literal. */
  note(line: number, message: string): void {
    note(this.#reading, line, message);
  }

  /** Refuses the text because of a line. */
  fault(line: number, message: string): void {
    if (!report(this.#reading, line, message)) this.#isFull = true;
  }

  /** Returns the value, or reports why there is none. */
  or<T>(line: number, result: Result<T>): T | null {
    if (result.ok) return result.value;
    this.fault(line, result.message);
    return null;
  }

  /** Returns the type by its name, or reports the fault. */
  type(line: number, raw: string): string | null {
    return this.or(line, readType(raw));
  }

  /**
   * Returns the owner within the zone; null, and reported or counted, if there is none.
   * @param raw `relative` is always completed by the zone; `full` never; `either` as clients may write it
   */
  owner(line: number, raw: string, form: "relative" | "full" | "either"): OwnerName | null {
    const { zone } = this.options;
    const name = form === "either" ? eitherName(raw, zone) : this.#relativeOrFull(raw, form);
    if (!name.ok) return this.or(line, name);
    const owner = ownerNameWithin(name.value, zone);
    if (owner !== null) return owner;
    if (this.options.ignoreOutOfZone) this.#reading.outOfZone.push({ line, name: name.value });
    else this.fault(line, `The name ${shown(name.value)} is outside the zone ${zone}.`);
    return null;
  }

  #relativeOrFull(raw: string, form: "relative" | "full"): Result<string> {
    const ascii = asciiName(raw);
    return ascii.ok ? readHostAsWritten(ascii.value, form === "relative" ? this.options.zone : "") : ascii;
  }

  /** Adds a record, unless its data is faulty, which is reported. */
  add({ line, owner, ttl, recordType, fields, proxied = null, comment = null, isDisabled = false }: Entry): void {
    const { supportsProxied = false } = this.options;
    if (recordType === "SOA") return this.note(line, "The SOA is left out: the provider maintains its own.");
    this.#isProxied = proxied === true && supportsProxied && !isDisabled;
    if (proxied === true && !supportsProxied && !isDisabled) {
      this.note(line, "A proxy answers for this record. It is imported without one, so its value becomes public.");
    }
    const reading = isDisabled ? this.#disabled : this.#reading;
    const before = reading.contents.records.length;
    const joined = joinParameters(recordType, fields);
    const entry: LogicalLine = {
      kind: "line",
      line,
      leadingBlank: false,
      fields: joined,
      abruptComment: false,
      comment: null,
    };
    const fault =
      (this.options.lenient === true ? null : misreadTarget(recordType, joined)) ??
      takeRecord(reading, owner, { recordType, ttl }, joined, entry);
    if (fault !== null) return this.fault(line, fault);
    const record = reading.contents.records[before];
    if (record && (proxied !== null || comment)) {
      this.#said.set(recordKey(record), { proxied, comment: comment?.slice(0, longestComment) ?? null });
    }
  }

  /** Returns what was collected, in one step per record. */
  *finish(): Steps<FormatReading> {
    for (const { line, message } of this.#disabled.errors) report(this.#reading, line, message);
    const read = yield* resultOf(this.#reading);
    if (!read.ok) return read;
    const disabled = yield* resultOf(this.#disabled);
    return {
      ok: true,
      records: yield* this.#withSaid(read),
      disabled: disabled.ok ? yield* this.#withSaid(disabled) : [],
      soa: null,
      warnings: [...read.warnings, ...(disabled.ok ? disabled.warnings : [])],
      outOfZone: read.outOfZone,
    };
  }

  *#withSaid({ records, lines }: { records: RecordData[]; lines: number[] }): Steps<FormatRecord[]> {
    const found: FormatRecord[] = [];
    for (const [index, record] of records.entries()) {
      const said = this.#said.get(recordKey(record)) ?? { proxied: null, comment: null };
      found.push({ line: lines[index] ?? 1, record, ...said });
      yield;
    }
    return found;
  }
}

/** Returns why a target is surely not meant: a URL for a host name; null if it may be. */
function misreadTarget(recordType: string, fields: readonly Field[]): string | null {
  for (const index of nameFields.get(recordType) ?? (recordType === "ALIAS" ? [0] : [])) {
    const url = /^[a-z][a-z\d+-]*:\/\/([^/:]*)/i.exec(fields[index]?.raw ?? "");
    if (url)
      return `${shown(url[0])} begins a URL, and ${recordType} records name a host. Write ${shown(url[1] || "the host")} alone.`;
  }
  return null;
}

/** Returns a field as a literal reader understands it. */
export function field(raw: string, line: number, quoted = false): Field {
  return { raw, quoted, line, glued: false };
}

/**
 * Returns the fields of a value as clients write it: text without quotes, host names with or without the final dot, MX and SRV with their
 * priority or without.
 * @param lenient keeps what breaks a rule, as far as it has the form of its type
 */
export function fieldsOfValue(
  recordType: string,
  value: string,
  priority: number | null,
  lenient: boolean,
): Result<Field[]> {
  const written = ruleFor(recordType).write(value, priority ?? undefined, "dns");
  if (written.ok) {
    const { value: canonical, writtenValue, strings = null } = written.value;
    return dataFields(printRdata({ recordType, value: canonical, writtenValue, strings }));
  }
  if (!lenient) return written;
  const fields = dataFields(priority === null ? value : `${priority} ${value}`);
  return fields.ok ? fields : written;
}

/** Returns a name in ASCII whose labels may be in Unicode. */
export function asciiName(raw: string): Result<string> {
  if (/^\p{ASCII}*$/u.test(raw)) return ok(raw);
  const labels = withAsciiDots(raw).split(".").map(toALabel);
  return labels.every((label) => label !== null)
    ? ok(labels.join("."))
    : refuse(`${shown(raw)} is not a valid name: it has a label that is not a valid international label.`);
}

function eitherName(raw: string, zone: string): Result<string> {
  const name = raw.trim();
  // A full name elsewhere is not this zone's, and not refused here: the caller says what is done with it.
  if (name.endsWith(".") && name !== ".") {
    const ascii = asciiName(name);
    return ascii.ok ? readHostAsWritten(ascii.value, "") : ascii;
  }
  const owner = parseOwnerName(name, zone);
  return owner.ok ? ok(absoluteName(owner.value.writtenName ?? owner.value.name, zone)) : owner;
}
