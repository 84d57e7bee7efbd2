import {
  located,
  type FormatOptions,
  type FormatRecord,
  type WrittenRecord,
} from "../../../server/dns/formats/format.ts";
import { openText, type ReadableFormat } from "../../../server/dns/formats/formats.ts";
import { atOnce } from "../../../server/platform/slices.ts";

/** A text in a format, and what its author meant. */
export interface FormatFile {
  title: string;
  text: string;
  /** `name ttl type value` of each record, in order; ` proxied` or ` unproxied` at the end where the text says so. */
  records?: string[];
  disabled?: string[];
  /** All warnings, with their lines. */
  warnings?: string[];
  /** All errors, with their lines. A text with errors has no records. */
  errors?: string[];
  options?: Partial<FormatOptions>;
}

/** Reads a text of the zone `example.com`, after recognizing its format. */
export async function readText(text: string, format: ReadableFormat, options: Partial<FormatOptions> = {}) {
  const opened = await openText(text, format);
  if (!opened.ok) return { format: null, reading: opened };
  return { format: opened.format, reading: atOnce(opened.read({ zone: "example.com", ...options })) };
}

/** What a file's author meant, as {@link readFile} returns it. */
export function meantBy({ records = [], disabled = [], warnings = [], errors = [] }: FormatFile) {
  return { records, disabled, warnings, errors };
}

/** Reads the text of a file. */
export async function readFile({ text, options = {} }: FormatFile, format: ReadableFormat) {
  const { reading } = await readText(text, format, options);
  if (!reading.ok) return meantBy({ title: "", text, errors: reading.errors.map(located) });
  return {
    records: reading.records.map(lineOf),
    disabled: reading.disabled.map(lineOf),
    warnings: reading.warnings.map(located),
    errors: [],
  };
}

/** Returns a record as tables of readings have it. */
function lineOf({ record, proxied, comment }: FormatRecord): string {
  const said = proxied === null ? "" : proxied ? " proxied" : " unproxied";
  const remark = comment === null ? "" : ` ; ${comment}`;
  const strings = record.strings === null ? "" : ` ${JSON.stringify(record.strings)}`;
  return `${record.writtenName ?? record.name} ${record.ttl} ${record.recordType} ${record.writtenValue ?? record.value}${strings}${said}${remark}`;
}

/** Returns a record to write. */
export function writtenRecord(
  name: string,
  recordType: string,
  value: string,
  more: Partial<WrittenRecord> = {},
): WrittenRecord {
  const priority = recordType === "MX" ? Number(value.split(" ")[0]) : null;
  return { recordType, name, value, ttl: 300, strings: null, proxied: false, priority, ...more };
}
