import type { FormatRecord } from "../../../../server/dns/formats/format.ts";
import { asWritten, isApexNs } from "../../../../server/dns/record.ts";
import { ruleFor } from "../../../../server/dns/record-types.ts";
import { isWritableType } from "../../../../server/dns/zone-file/type-names.ts";
import { uniqueText } from "../../ui/unique-text.ts";
import {
  changeRecords,
  isDisabled,
  isProxied,
  markDeleted,
  sameFields,
  type Draft,
  type Fields,
} from "../../zone/draft/draft.ts";
import type { Row } from "../grid/rows.ts";
import type { Steps } from "./read.ts";

/** One record of a pasted text, or one that gives way to it. */
export interface PastedChange {
  kind: "create" | "update" | "delete";
  /** The line of the text; null for what gives way. */
  line: number | null;
  fields: Fields;
  /** The row that is changed or deleted. */
  row: Row | null;
  /** Why it cannot be ticked; null if it can. */
  refusal: "type" | "rights" | "locked" | null;
  /** Whether it is ticked at first. The zone's own name servers are not: they rarely move with a zone's records. */
  isTicked: boolean;
}

export interface Merged {
  changes: readonly PastedChange[];
  /** How many records the zone, or its draft, already has. */
  same: number;
  /** The line of the text that has each row, by the row's key. */
  lines: ReadonlyMap<string, number>;
}

interface MergeOptions {
  /** Whether records of the same name and type that the text does not have give way. */
  replace: boolean;
  /** Of a text that is the whole zone: whether it could have the record, which is deleted if it does not. */
  holds?: (row: Row) => boolean;
  /** Whether the reader may edit such records. */
  edits: (place: { name: string; recordType: string }) => boolean;
  /** Whether the reader may edit locked records. */
  unlocks: boolean;
}

const rrsetOf = ({ name, recordType }: Pick<Fields, "name" | "recordType">) => `${name.toLowerCase()} ${recordType}`;

/** Names in values are compared without case (RFC 4343); a text is not. */
export function keyOf(fields: Fields): string {
  const { recordType, value, strings } = fields;
  const isLower = recordType === "TXT" || value === value.toLowerCase();
  const written = isLower ? null : ruleFor(recordType).write(value, undefined);
  const canonical = written?.ok ? written.value.value : value;
  return `${rrsetOf(fields)} ${canonical}${strings === null ? "" : ` ${JSON.stringify(strings)}`}`;
}

/**
 * What pasted records do to a zone: nothing to those that are there, and otherwise one change each. In steps of one record.
 * @param rows the zone's records with the draft's edits, at least of the names that were pasted
 */
export function* merged(
  pasted: readonly FormatRecord[],
  disabled: readonly FormatRecord[],
  rows: readonly Row[],
  { replace, holds, edits, unlocks }: MergeOptions,
): Steps<Merged> {
  const present = new Map<string, Row>();
  const sets = new Map<string, Row[]>();
  /** The TTLs of the sets with proxied records. */
  const proxiedTtls = new Map<string, number | null>();
  for (const row of rows) {
    yield;
    present.set(keyOf(row.fields), row);
    const set = rrsetOf(row.fields);
    if (isRowProxied(row)) proxiedTtls.set(set, row.fields.ttl);
    const others = sets.get(set);
    if (others) others.push(row);
    else sets.set(set, [row]);
  }
  const refusalOf = (fields: Fields, row: Row | null): PastedChange["refusal"] => {
    if (!isWritableType(fields.recordType) || row?.record?.serverManaged) return "type";
    if (!edits(fields)) return "rights";
    return row?.record?.locked && !unlocks ? "locked" : null;
  };
  // Most texts do not speak of proxies: what is proxied stays so, and so does what joins it, as in an import.
  const stillProxied = (fields: Fields, row: Row | null): Fields => {
    const ttl = proxiedTtls.get(rrsetOf(fields));
    const proxied = fields.proxied ?? (row ? isRowProxied(row) : ttl !== undefined);
    if (isDisabled(fields) || !proxied) return row ? { ...fields, proxied } : fields;
    return { ...fields, proxied, ttl: ttl ?? fields.ttl };
  };
  const changeOf = (kind: PastedChange["kind"], line: number | null, fields: Fields, row: Row | null): PastedChange => {
    const refusal = refusalOf(fields, row);
    return { kind, line, fields, row, refusal, isTicked: refusal === null && !isApexNs(fields) };
  };
  const changes: PastedChange[] = [];
  const news: { line: number; fields: Fields }[] = [];
  const met = new Set<Row>();
  const lines = new Map<string, number>();
  const replaced = new Set<string>();
  let same = 0;
  for (const [list, isOff] of [
    [pasted, false],
    [disabled, true],
  ] as const) {
    for (const one of list) {
      yield;
      const fields = fieldsOfPasted(one, isOff);
      if (!isOff) replaced.add(rrsetOf(fields));
      const row = present.get(keyOf(fields));
      if (row === undefined) {
        news.push({ line: one.line, fields });
        continue;
      }
      if (holds && isOff && met.has(row)) continue;
      met.add(row);
      lines.set(row.key, one.line);
      // A record that is switched off in a text of some records stays as the zone has it.
      const next = isOff && !holds ? row.fields : stillProxied(withNote(fields, row), row);
      if (
        row.edit?.kind !== "delete" &&
        sameFields({ ...next, name: row.fields.name, value: row.fields.value }, row.fields)
      )
        same += 1;
      else changes.push(changeOf("update", one.line, next, row));
    }
  }
  /** Of each set, those that have not given way yet. */
  const giving = new Map<string, Row[]>();
  const nextOf = (set: string) => {
    const rest =
      giving.get(set) ?? (sets.get(set) ?? []).filter((row) => gives(row, met) && (holds?.(row) ?? true)).toReversed();
    giving.set(set, rest);
    return rest.pop();
  };
  // Of a set that is replaced, what is there becomes what was pasted, so that a record keeps its identity.
  for (const { line, fields } of news) {
    yield;
    const row = replace && !isDisabled(fields) ? nextOf(rrsetOf(fields)) : undefined;
    if (row === undefined) changes.push(changeOf("create", line, stillProxied(fields, null), null));
    else {
      met.add(row);
      lines.set(row.key, line);
      changes.push(changeOf("update", line, stillProxied(withNote(fields, row), row), row));
    }
  }
  for (const set of replace && !holds ? replaced : []) {
    yield;
    for (const row of sets.get(set) ?? []) if (gives(row, met)) changes.push(changeOf("delete", null, row.fields, row));
  }
  for (const row of holds ? rows : []) {
    yield;
    if (met.has(row) || row.edit?.kind === "delete" || row.record?.serverManaged || !holds?.(row)) continue;
    changes.push(changeOf("delete", null, row.fields, row));
  }
  const all = holds ? withMovedProxies(changes) : changes;
  return { changes: all.toSorted((one, other) => placeOf(one) - placeOf(other)), same, lines };
}

/** In the order of the text; what gives way comes last. */
function placeOf({ line }: PastedChange): number {
  return line ?? Number.MAX_SAFE_INTEGER;
}

/** Whether a record gives way to a pasted one. */
function gives(row: Row, met: ReadonlySet<Row>): boolean {
  return !met.has(row) && row.edit?.kind !== "delete" && !isDisabled(row.fields) && !row.record?.serverManaged;
}

const isRowProxied = ({ fields, record }: Row) => isProxied(fields, record);

/** The pasted fields with the note of the row that they are for, unless the text has one. */
const withNote = (fields: Fields, row: Row): Fields => ({ ...fields, comment: fields.comment ?? row.fields.comment });

const valueOf = ({ recordType, value }: Fields) => `${recordType} ${value.toLowerCase()}`;

/** In a text of the whole zone, a value that goes with one name and comes with another was renamed: its proxy moves with it. */
function withMovedProxies(changes: readonly PastedChange[]): readonly PastedChange[] {
  const hidden = new Map(
    changes.flatMap(({ kind, fields, row }) =>
      kind === "delete" && row && isRowProxied(row) ? [[valueOf(fields), fields.ttl] as const] : [],
    ),
  );
  if (hidden.size === 0) return changes;
  return changes.map((change) => {
    const { kind, fields } = change;
    const ttl = hidden.get(valueOf(fields));
    if (kind !== "create" || ttl === undefined || fields.proxied !== undefined || isDisabled(fields)) return change;
    return { ...change, fields: { ...fields, proxied: true, ttl: ttl ?? fields.ttl } };
  });
}

function fieldsOfPasted({ record, proxied: said, comment }: FormatRecord, isOff: boolean): Fields {
  const { recordType, name, value, strings, ttl, proxied } = asWritten(record);
  const setting = proxied || said === false ? { proxied } : {};
  return { recordType, name, value, strings, ttl, comment, ...(isOff && { disabled: true }), ...setting };
}

const newKey = () => `new:${uniqueText()}`;

/** The draft with pasted changes. @param keyOfNew the key of each new record, at most once the same */
export function withPasted(
  draft: Draft,
  changes: readonly PastedChange[],
  keyOfNew: (change: PastedChange) => string = newKey,
): Draft {
  const changed = changes.flatMap(({ kind, fields, row }) =>
    kind === "update" && row ? [{ key: row.key, record: row.record, fields }] : [],
  );
  const deleted = changes.flatMap(({ kind, row }) =>
    kind === "delete" && row ? [{ key: row.key, record: row.record }] : [],
  );
  const created = changes.flatMap((change): Draft["edits"] =>
    change.kind === "create" ? [{ kind: "create", key: keyOfNew(change), fields: change.fields }] : [],
  );
  const next = markDeleted(changeRecords(draft, changed), deleted);
  return created.length === 0 ? next : { edits: [...next.edits, ...created] };
}
