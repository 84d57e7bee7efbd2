import { withEscapes } from "../names/names.ts";
import { printRdata, ruleFor } from "../record-types.ts";
import { nameOf, valueOf } from "../record.ts";
import type { Steps } from "../../platform/slices.ts";
import { sameStrings } from "../values/character-strings.ts";
import { isPlaceholder } from "../zone-file/contents.ts";
import { isProviderType } from "../zone-file/type-names.ts";
import { inOrder } from "../zone-file/write.ts";
import { inPieces, type FormatContent, type WrittenRecord } from "./format.ts";

/** Writes a table with a header and one record per row (RFC 4180). */
export function writeCsv(content: FormatContent): Steps<string[]> {
  return writeTable(content, ",");
}

/** {@link writeCsv} with tabs between the cells. */
export function writeTsv(content: FormatContent): Steps<string[]> {
  return writeTable(content, "\t");
}

function* writeTable({ records }: FormatContent, separator: string): Steps<string[]> {
  const ordered = (yield* inOrder(records)).filter(
    (record) => !isPlaceholder(record) && !isProviderType(record.recordType),
  );
  return yield* inPieces(lines(ordered, separator));
}

/** The columns that only some zones need. */
const optional = {
  proxied: { needs: ({ proxied }: WrittenRecord) => proxied, cell: ({ proxied }: WrittenRecord) => String(proxied) },
  status: { needs: isDisabled, cell: ({ status = "active" }: WrittenRecord) => status },
  comment: {
    needs: ({ comment }: WrittenRecord) => (comment ?? "") !== "",
    cell: ({ comment }: WrittenRecord) => comment ?? "",
  },
};

function isDisabled({ status }: WrittenRecord): boolean {
  return status === "disabled";
}

function* lines(records: readonly WrittenRecord[], separator: string): Generator<string, void> {
  const more = Object.entries(optional).filter(([, { needs }]) => records.some(needs));
  yield ["name", "type", "ttl", "priority", "value", ...more.map(([column]) => column)].join(separator);
  for (const record of records) {
    const { recordType, ttl } = record;
    const cells = [
      cellOfName(record),
      recordType,
      String(ttl),
      ...valueCells(record),
      ...more.map(([, { cell }]) => cell(record)),
    ];
    yield cells.map((cell) => quotedIfNeeded(cell, separator)).join(separator);
  }
}

/** Returns the name as readers take it: unusual characters are escaped, as they are more often mistyped than meant. */
function cellOfName(record: WrittenRecord): string {
  const name = nameOf(record);
  return name === "@" ? name : withEscapes(name);
}

/** Returns priority and value: as clients write them where that says it all, else as a zone file has them. */
function valueCells(record: WrittenRecord): [priority: string, value: string] {
  const { recordType, strings, priority } = record;
  const value = valueOf(record);
  const isQuoted = recordType === "TXT" && (value === "" || strings !== null || /^\s*".*"\s*$/s.test(value));
  if (isQuoted || !isReadBack(record)) return ["", printRdata(record)];
  const rest = priority === null ? null : /^\d+ (.*)$/s.exec(value)?.[1];
  return rest === null || rest === undefined ? ["", value] : [String(priority), rest];
}

function isReadBack(record: WrittenRecord): boolean {
  const written = ruleFor(record.recordType).write(valueOf(record), undefined, "dns");
  if (!written.ok) return false;
  const { value, writtenValue, strings = null } = written.value;
  return value === record.value && writtenValue === record.writtenValue && sameStrings(strings, record.strings);
}

function quotedIfNeeded(cell: string, separator: string): string {
  const needsQuotes = cell.includes(separator) || /["\n\r]|^\s|\s$|^#/.test(cell);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}
