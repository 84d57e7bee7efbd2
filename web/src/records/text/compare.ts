import { isEntry, printingInPieces, writtenHere } from "../../../../server/dns/zone-file/write.ts";
import { uniqueText } from "../../ui/unique-text.ts";
import { mergedFields } from "../draft/clashes.ts";
import { fieldsOf, sameFields, type Draft, type Fields } from "../../zone/draft/draft.ts";
import { allRows, type Row } from "../grid/rows.ts";
import { keyOf, merged, withPasted, type PastedChange } from "../paste/merge.ts";
import { inSlices, readText, type AtProvider, type Steps } from "../paste/read.ts";
import type { DnsRecord } from "@zonewright/client";

/** What is said about a line of the text. */
export interface LineMessage {
  line: number;
  message: string;
}

/** What a text makes of a zone. */
export type Comparison =
  | { ok: false; errors: readonly LineMessage[] }
  | {
      ok: true;
      /** The draft with what the text changes. */
      draft: Draft;
      /** The lines of the draft's edits, by their keys. What is deleted has none. */
      lines: ReadonlyMap<string, number>;
      /** What the text changes, but its reader may not. */
      refused: readonly PastedChange[];
      warnings: readonly LineMessage[];
      hasSoa: boolean;
      outside: number;
    };

/** The data of a record as the model prints it. */
function dataOf({ fields, record }: Row, ttl: number) {
  const { recordType, name, value, strings, disabled = false } = fields;
  const data = { recordType, name, value, strings, ttl: fields.ttl ?? record?.ttl ?? ttl, priority: null };
  return { ...data, proxied: false, status: disabled ? ("disabled" as const) : ("active" as const) };
}

const defaultTtl = 3600;
const setOf = ({ name, recordType }: Fields) => `${name.toLowerCase()} ${recordType}`;

/** Prints a zone with the edits of a draft. What the name server maintains is not part of it. @throws the signal's reason */
export async function textOf(
  zone: string,
  records: readonly DnsRecord[],
  draft: Draft,
  signal: AbortSignal,
): Promise<string> {
  const rows = allRows(records, draft).filter((row) => row.edit?.kind !== "delete" && !row.record?.serverManaged);
  // A new record without a TTL gets that of its set.
  const ttls = new Map(
    rows.flatMap(({ fields }) => (fields.ttl === null ? [] : [[setOf(fields), fields.ttl] as const])),
  );
  const printed = rows.map((row) => dataOf(row, ttls.get(setOf(row.fields)) ?? defaultTtl));
  const pieces = await inSlices(printingInPieces({ zone, soa: null, records: printed, defaultTtl }), signal);
  return pieces.join("");
}

interface CompareOptions {
  zone: string;
  /** The records that the text began with. */
  records: readonly DnsRecord[];
  /** The records as they are now, if others changed the zone meanwhile. */
  present: readonly DnsRecord[] | null;
  /** The draft whose edits the text began with. */
  base: Draft;
  /** The draft as it is now. */
  draft: Draft;
  edits: (place: { name: string; recordType: string }) => boolean;
  unlocks: boolean;
  naming: Naming;
  provider?: AtProvider;
}

/** Compares a text, which is the whole zone, with the records that it began with. In slices. @throws the signal's reason */
export async function compared(text: string, options: CompareOptions, signal: AbortSignal): Promise<Comparison> {
  const { zone, records, present, base, draft, edits, unlocks, naming, provider } = options;
  const read = await readText(text, { zone, format: "zonefile", lenient: false, provider }, signal);
  if (!read.ok) return { ok: false, errors: read.errors };
  const rows = allRows(records, base);
  // Only under the first line of our own files, disabled records are more than comments.
  const hasDisabled = text.startsWith("; Zone ") && text.slice(0, text.indexOf("\n")).includes(writtenHere);
  const holds = (row: Row) => (row.fields.disabled !== true || hasDisabled) && isEntry(dataOf(row, defaultTtl));
  const found = await inSlices(
    merged(read.records, read.disabled, rows, { replace: true, holds, edits, unlocks }),
    signal,
  );
  const isDone = present ? await inSlices(doneIn(present), signal) : () => false;
  const lines = new Map(found.lines);
  const wanted = found.changes.filter((change) => change.refusal === null && !isDone(change));
  const changes = base === draft ? wanted : ontoDraft(wanted, options, lines);
  const taken = new Set(draft.edits.map(({ key }) => key));
  const keyOfNew = (change: PastedChange) => naming(change, taken);
  for (const change of changes) if (change.kind === "create") lines.set(keyOfNew(change), change.line ?? 1);
  return {
    ok: true,
    // A draft of another tab is checked a moment later: that tab may be sending it.
    draft: withPasted(base === draft ? draft : { ...draft }, changes, keyOfNew),
    lines,
    refused: found.changes.filter(({ refusal }) => refusal !== null),
    warnings: read.warnings.map(({ line, message }) => ({ line, message })),
    hasSoa: read.soa !== null,
    outside: read.outOfZone.length,
  };
}

/**
 * The changes of a text for a draft that was edited elsewhere since the text began. What was edited there stays, except for the fields that the text
 * changes. What the draft has already is left out.
 * @param lines the lines of rows; gets those of what the draft has already
 */
function ontoDraft(
  changes: readonly PastedChange[],
  { records, base, draft }: CompareOptions,
  lines: Map<string, number>,
): PastedChange[] {
  const based = new Set(base.edits.map(({ key }) => key));
  const now = new Map<string, Row>();
  const keys = new Map<string, string>();
  for (const row of allRows(records, draft)) {
    if (row.edit === null && !based.has(row.key)) continue;
    now.set(row.key, row);
    if (row.edit?.kind !== "delete") keys.set(keyOf(row.fields), row.key);
  }
  const editedThen = new Map(allRows(records, base).flatMap((row) => (row.edit ? [[row.key, row.edit] as const] : [])));
  return changes.flatMap((change): PastedChange[] => {
    const { kind, fields, row, line } = change;
    if (row === null) {
      const key = keys.get(keyOf(fields));
      if (key !== undefined && line !== null) lines.set(key, line);
      return key === undefined ? [change] : [];
    }
    const present = now.get(row.key);
    // Neither draft edits the record, or the new record was taken out of the draft.
    if (!present) return row.record ? [change] : kind === "delete" ? [] : [{ ...change, kind: "create", row: null }];
    if (kind === "delete") return present.edit?.kind === "delete" ? [] : [change];
    const isSame = JSON.stringify(present.edit) === JSON.stringify(editedThen.get(row.key) ?? null);
    if (isSame || present.edit?.kind === "delete") return [change];
    return [{ ...change, fields: mergedFields(row.fields, fields, present.fields) }];
  });
}

/** Returns whether a zone already is as a change wants it: others may have made it, or this person in another way. */
function* doneIn(present: readonly DnsRecord[]): Steps<(change: PastedChange) => boolean> {
  const byId = new Map<string, DnsRecord>();
  const keys = new Set<string>();
  for (const record of present) {
    yield;
    byId.set(record.id, record);
    if (!record.serverManaged) keys.add(keyOf(fieldsOf(record)));
  }
  return ({ kind, fields, row }) => {
    if (kind === "create") return keys.has(keyOf(fields));
    if (row?.record === null || row === null) return false;
    const now = byId.get(row.record.id);
    return kind === "delete" ? now === undefined : now !== undefined && sameFields(fields, fieldsOf(now));
  };
}

/** Names new records: the same one always the same, so that the service is not asked anew about a text that says the same. */
export type Naming = (change: PastedChange, taken: ReadonlySet<string>) => string;

export function namingNew(): Naming {
  const keys = new Map<string, string>();
  return ({ fields: { name, recordType, value, strings, disabled } }, taken) => {
    const content = JSON.stringify([name.toLowerCase(), recordType, value, strings, disabled]);
    const known = keys.get(content);
    if (known !== undefined && !taken.has(known)) return known;
    const key = `new:${uniqueText()}`;
    keys.set(content, key);
    return key;
  };
}
