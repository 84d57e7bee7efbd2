import type { DnsRecord } from "@zonewright/client";
import { toUnicodeName } from "../../../../server/dns/names/names.ts";
import { searched } from "../../ui/pasted.ts";
import { fieldsOf, isDisabled, type Draft, type Edit, type Fields } from "../../zone/draft/draft.ts";

/** A row of the grid: a record of the zone, with what the draft does to it. */
export interface Row {
  /** The record's id, or the key of a new record. */
  key: string;
  /** The record in the zone; null for a new one, and for one that others deleted. */
  record: DnsRecord | null;
  edit: Edit | null;
  /** What the row shows: the draft's fields, or the record's. */
  fields: Fields;
}

/** All rows, by their index. Records that are not loaded yet are undefined. */
export interface RowSource {
  count: number;
  at: (index: number) => Row | undefined;
}

/** Types that the grid can edit; others are shown as they are. */
export function isReadOnly(row: Row, editable: Pick<ReadonlySet<string>, "has">): boolean {
  return row.record !== null && (row.record.serverManaged || !editable.has(row.record.recordType));
}

/** The warnings of a plan that belong to an edited row. @param warningsOf returns those that its fields cause alone */
export function warningsAt(
  row: Row,
  warnings: readonly string[],
  warningsOf: (fields: Fields) => readonly string[],
): readonly string[] {
  if (!row.edit || row.edit.kind === "delete") return [];
  const { fields } = row;
  const ofFields = warningsOf(fields);
  return warnings.filter((warning) => ofFields.includes(warning) || namesRecord(warning, fields));
}

/** Whether a warning names a record: by its name and type, or by its name and value. */
export function namesRecord(warning: string, { name, recordType, value }: Fields): boolean {
  return hasWords(warning, `${name} ${recordType}`) || (value !== "" && hasWords(warning, `${name} ${value}`));
}

const endsInName = /[\p{L}\p{N}_*.-]$/u;
const beginsWithName = /^[\p{L}\p{N}_-]/u;

/** Whether a text has whole words: `a A` is not in `data A`, and not in `a AAAA`. */
function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1))
    if (!endsInName.test(text.slice(0, at)) && !beginsWithName.test(text.slice(at + words.length))) return true;
  return false;
}

/** The rows of records without an edit: the same object each time, so that scrolling draws only new rows. */
const unedited = new WeakMap<DnsRecord, Row>();

function rowOf(record: DnsRecord, edits: ReadonlyMap<string, Edit>): Row {
  const edit = edits.get(record.id) ?? null;
  if (edit) return { key: record.id, record, edit, fields: edit.kind === "delete" ? fieldsOf(record) : edit.fields };
  const known = unedited.get(record);
  if (known) return known;
  const row = { key: record.id, record, edit, fields: fieldsOf(record) };
  unedited.set(record, row);
  return row;
}

/** The rows of edits that have no record in the zone: of new records, and of those that others deleted. */
function newRows(draft: Draft, gone: ReadonlySet<string>): Row[] {
  return draft.edits.flatMap((edit) =>
    edit.kind === "create" || (edit.kind === "update" && gone.has(edit.key))
      ? [{ key: edit.key, record: null, edit, fields: edit.fields }]
      : [],
  );
}

const noKeys: ReadonlySet<string> = new Set();

/**
 * The rows of a zone that is read in windows: new records first, because their place among records that are not loaded is unknown.
 * @param total the number of records
 * @param at the loaded record at an index
 * @param gone the edits whose records others deleted
 */
export function windowedRows(
  total: number,
  at: (index: number) => DnsRecord | undefined,
  draft: Draft,
  gone = noKeys,
): RowSource {
  const created = newRows(draft, gone);
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  return {
    count: created.length + total,
    at: (index) => {
      if (index < created.length) return created[index];
      const record = at(index - created.length);
      // What was loaded earlier may hold what others deleted since.
      return record && !gone.has(record.id) ? rowOf(record, edits) : undefined;
    },
  };
}

/** The rows of all records of a zone that is read in windows. */
export function allRows(records: readonly DnsRecord[], draft: Draft): Row[] {
  const { count, at } = windowedRows(records.length, (index) => records[index], draft);
  return Array.from({ length: count }, (_, index) => at(index)).filter((row) => row !== undefined);
}

/** Rows that were read earlier, with what has become of their records and what the draft makes of them now. @param records the loaded records by id */
export function withDraft(
  rows: readonly Row[],
  draft: Draft,
  records: ReadonlyMap<string, DnsRecord> = new Map(),
): Row[] {
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  return rows.flatMap((row) => {
    if (row.record) return [rowOf(records.get(row.key) ?? row.record, edits)];
    const edit = edits.get(row.key);
    return edit && edit.kind !== "delete" ? [{ ...row, edit, fields: edit.fields }] : [];
  });
}

/** Stands among the types for the records that DNS does not have. Names of types are in capitals. */
export const disabledOnly = "disabled";

export interface Filter {
  /** Part of the name, value or note; in lower case. */
  search: string;
  /** One type, `disabledOnly`, or the empty string. */
  type: string;
}

/** The rows of a zone that is loaded as a whole: filtered here, and new records in their place. */
export function loadedRows(
  records: readonly DnsRecord[],
  draft: Draft,
  { search, type }: Filter,
  zone: string,
  gone = noKeys,
): RowSource {
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  const needle = searched(search).toLowerCase();
  const matches = ({ fields, record, edit }: Row) => {
    if (type === disabledOnly) {
      // One that is being enabled stays in view until it is.
      if (!isDisabled(fields) && record?.status !== "disabled") return false;
    } else if (type !== "" && fields.recordType !== type) return false;
    // What a person just edited stays in view.
    if (needle === "" || (edit !== null && edit.kind !== "delete")) return true;
    const full = fields.name === "@" ? zone : `${fields.name}.${zone}`;
    return [full, fields.name, fields.value, fields.comment ?? "", record?.value ?? ""].some((text) =>
      text.toLowerCase().includes(needle),
    );
  };
  // What was loaded earlier may hold what others deleted since.
  const present = gone.size === 0 ? records : records.filter(({ id }) => !gone.has(id));
  const rows = [...present.map((record) => rowOf(record, edits)), ...newRows(draft, gone)]
    .filter(matches)
    .toSorted(byName);
  return { count: rows.length, at: (index) => rows[index] };
}

/** The apex first, then by name and type; new records come after those of their name. */
function byName(a: Row, b: Row): number {
  const managed = Number(a.record?.serverManaged ?? false) - Number(b.record?.serverManaged ?? false);
  if (managed !== 0) return managed;
  const left = sortName(a).toLowerCase();
  const right = sortName(b).toLowerCase();
  if (left !== right) return left === "@" ? -1 : right === "@" ? 1 : left < right ? -1 : 1;
  const leftType = sortType(a);
  const rightType = sortType(b);
  return leftType === rightType ? 0 : leftType < rightType ? -1 : 1;
}

/** A renamed record stays where it was until the change is applied. */
const sortName = ({ record, fields }: Row) => record?.name ?? fields.name;
const sortType = ({ record, fields }: Row) => record?.recordType ?? fields.recordType;

/** How many records there are of each type, the most frequent first. */
export function countTypes(records: readonly DnsRecord[]): [type: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { recordType } of records) counts.set(recordType, (counts.get(recordType) ?? 0) + 1);
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** The next loaded row whose name begins with the text, from the active one on and around. Names are compared without case (RFC 4343). */
export function findName(rows: RowSource, from: number, typed: string): number | null {
  const start = typed.toLowerCase();
  const begin = start.length > 1 ? from : from + 1;
  for (let step = 0; step < rows.count; step += 1) {
    const index = (begin + step) % rows.count;
    const name = rows.at(index)?.fields.name ?? "";
    if ([name, toUnicodeName(name)].some((each) => each.toLowerCase().startsWith(start))) return index;
  }
  return null;
}
