import type { Change, DnsRecord } from "@zonewright/client";
import { uniqueText } from "../../ui/unique-text.ts";

/** As many changes fit in one plan. */
export const mostChanges = 10_000;

/** The fields of a record that a person edits. */
export interface Fields {
  recordType: string;
  name: string;
  value: string;
  strings: string[] | null;
  /** Seconds; null for a new record: the RRset's, or the default. */
  ttl: number | null;
  comment: string | null;
  /** Whether DNS does not have it. Left out: it has. */
  disabled?: boolean;
  /** Whether the provider's proxy answers for it. Left out: as the record is; for a new one, it does not. */
  proxied?: boolean;
}

/** One edit. `before` is the record as it was when the edit was made. `begun`: the form of a new record was not left yet. */
export type Edit =
  | { kind: "create"; key: string; fields: Fields; begun?: true }
  | { kind: "update"; key: string; before: DnsRecord; fields: Fields }
  | { kind: "delete"; key: string; before: DnsRecord };

/** The edits of a person in one zone, not yet sent. The key of an edit is the record's id, or `new:` and what no other tab makes. */
export interface Draft {
  edits: readonly Edit[];
}

export const emptyDraft: Draft = { edits: [] };

/** What one edit of a draft did: the edits that are new or different, and the keys of those that went. */
export interface DraftStep {
  set: readonly Edit[];
  gone: readonly string[];
}

/** The step from one draft to the next. A new record that is still being written belongs to its tab. */
export function stepBetween(before: Draft, after: Draft): DraftStep {
  const earlier = new Map(finished(before).edits.map((edit) => [edit.key, edit]));
  const later = finished(after).edits;
  const kept = new Set(later.map(({ key }) => key));
  return {
    set: later.filter((edit) => {
      const present = earlier.get(edit.key);
      return present !== edit && JSON.stringify(present) !== JSON.stringify(edit);
    }),
    gone: [...earlier.keys()].filter((key) => !kept.has(key)),
  };
}

/** A draft with a step of another tab. Tabs may step at once: each keeps what the other did not touch. */
export function withStep(draft: Draft, { set, gone }: DraftStep): Draft {
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  for (const edit of set) edits.set(edit.key, edit);
  for (const key of gone) edits.delete(key);
  return { edits: [...edits.values()] };
}

/** Two steps as one. */
export function joinSteps(first: DraftStep, next: DraftStep): DraftStep {
  const { edits } = withStep(withStep(emptyDraft, first), next);
  const set = new Set(edits.map(({ key }) => key));
  return { set: edits, gone: [...new Set([...first.gone, ...next.gone])].filter((key) => !set.has(key)) };
}

/** Whether a new record is still being written. */
export function isUnfinished(edit: Edit): boolean {
  return edit.kind === "create" && edit.begun === true;
}

/** The draft without new records that are still being written, except for one. The same draft if there are no others. */
export function finished(draft: Draft, except?: string): Draft {
  const edits = draft.edits.filter((edit) => edit.key === except || !isUnfinished(edit));
  return edits.length === draft.edits.length ? draft : { edits };
}

/** The stored draft of an earlier visit, with what was typed before it was read. Typed edits keep their keys: one may be open. */
export function withStored(stored: Draft, typed: Draft): Draft {
  if (typed.edits.length === 0) return stored;
  const typedKeys = new Set(typed.edits.map(({ key }) => key));
  return { edits: [...stored.edits.filter(({ key }) => !typedKeys.has(key)), ...typed.edits] };
}

/** The draft without the edits that were sent. Those that were changed since stay. */
export function withoutSent(draft: Draft, sent: readonly Edit[]): Draft {
  const gone = new Map(sent.map((edit) => [edit.key, JSON.stringify(edit)]));
  return { edits: draft.edits.filter((edit) => gone.get(edit.key) !== JSON.stringify(edit)) };
}

/** Whether two drafts send the same. */
export function sameEdits(a: Draft, b: Draft): boolean {
  return a === b || JSON.stringify(a.edits) === JSON.stringify(b.edits);
}

/** The editable fields of a record. */
export function fieldsOf(record: DnsRecord): Fields {
  const { recordType, name, value, strings, ttl, comment, status, proxied } = record;
  return { recordType, name, value, strings, ttl, comment, ...(status === "disabled" && { disabled: true }), proxied };
}

/** Begins a new record: it counts once its form is left with a change, or as done. Returns the draft and the record's key. */
export function addRecord(draft: Draft, fields: Fields): { draft: Draft; key: string } {
  const key = `new:${uniqueText()}`;
  return { draft: { edits: [...draft.edits, { kind: "create", key, fields, begun: true }] }, key };
}

/** Whether a key is that of a new record. */
export const isNewKey = (key: string): boolean => key.startsWith("new:");

/** A record of the grid. */
interface Place {
  key: string;
  /** Null for a new one. */
  record: DnsRecord | null;
}

/** Changes a record. Fields that equal the record again take the edit away. */
export function changeRecord(draft: Draft, key: string, record: DnsRecord | null, fields: Fields): Draft {
  return changeRecords(draft, [{ key, record, fields }]);
}

/** Takes what was typed in a form that is left. A new record without a value is not finished by that, and goes with its form. */
export function leaveForm(draft: Draft, key: string, record: DnsRecord | null, fields: Fields): Draft {
  const present = draft.edits.find((edit) => edit.key === key);
  if (present === undefined || !isUnfinished(present) || fields.value !== "") {
    return changeRecord(draft, key, record, fields);
  }
  return { edits: draft.edits.map((edit) => (edit === present ? { kind: "create", key, fields, begun: true } : edit)) };
}

/** Sets fields of several records. A new value is split anew. */
export function setFields(
  draft: Draft,
  rows: readonly (Place & { fields: Fields })[],
  changed: Partial<Fields>,
): Draft {
  const split = "value" in changed ? { strings: null } : {};
  return changeRecords(
    draft,
    rows.map((row) => ({ ...row, fields: { ...row.fields, ...changed, ...split } })),
  );
}

/** Changes several records, each to its own fields. Without a TTL, a record of the zone keeps the one that it has. */
export function changeRecords(draft: Draft, rows: readonly (Place & { fields: Fields })[]): Draft {
  return editEach(draft, rows, (present, { key, record, fields: typed }) => {
    if (present?.kind === "create") return { kind: "create", key, fields: typed };
    const before = present?.before ?? record;
    if (!before) return null;
    const fields = { ...typed, ttl: typed.ttl ?? before.ttl };
    return sameFields(fields, fieldsOf(before)) ? null : { kind: "update", key, before, fields };
  });
}

/** Marks a record for deletion, or takes the mark away. A new record simply goes. */
export function toggleDelete(draft: Draft, key: string, record: DnsRecord | null): Draft {
  return toggleDeletes(draft, [{ key, record }]);
}

/** Marks several records for deletion. If all of them are marked, takes their marks away. */
export function toggleDeletes(draft: Draft, rows: readonly Place[]): Draft {
  const marked = new Set(draft.edits.flatMap(({ kind, key }) => (kind === "delete" ? [key] : [])));
  return rows.every(({ key }) => marked.has(key)) ? editEach(draft, rows, () => null) : markDeleted(draft, rows);
}

/** Marks several records for deletion. New records simply go. */
export function markDeleted(draft: Draft, rows: readonly Place[]): Draft {
  return editEach(draft, rows, (present, { key, record }) => {
    if (present?.kind === "create") return null;
    const before = present?.before ?? record;
    return before ? { kind: "delete", key, before } : null;
  });
}

/** Gives each record the edit that follows its present one; null for none. Takes time in proportion to the draft and the records. */
function editEach<Row extends Place>(
  draft: Draft,
  rows: readonly Row[],
  next: (present: Edit | undefined, row: Row) => Edit | null,
): Draft {
  const edits = new Map(draft.edits.map((edit) => [edit.key, edit]));
  let isEdited = false;
  for (const row of rows) {
    const present = edits.get(row.key);
    const edit = next(present, row);
    isEdited ||= present !== undefined || edit !== null;
    if (edit) edits.set(row.key, edit);
    else edits.delete(row.key);
  }
  return isEdited ? { edits: [...edits.values()] } : draft;
}

/** Takes an edit back. */
export function withoutEdit(draft: Draft, key: string): Draft {
  return { ...draft, edits: draft.edits.filter((edit) => edit.key !== key) };
}

/** Whether DNS is not to have a record. */
export function isDisabled({ disabled = false }: Fields): boolean {
  return disabled;
}

/** Types that a provider's proxy may answer for. */
const proxiable: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME"]);

/** Whether the provider's proxy is to answer for a record. @param before the record that the fields are an edit of */
export function isProxied({ recordType, proxied }: Fields, before: Pick<DnsRecord, "proxied"> | null): boolean {
  return proxiable.has(recordType) && (proxied ?? before?.proxied ?? false);
}

/** Whether two records hold the same data, status and note. */
export function sameFields(a: Fields, b: Fields): boolean {
  return (
    a.recordType === b.recordType &&
    a.name === b.name &&
    a.value === b.value &&
    a.ttl === b.ttl &&
    isDisabled(a) === isDisabled(b) &&
    (a.proxied === undefined || b.proxied === undefined || a.proxied === b.proxied) &&
    (a.comment ?? "") === (b.comment ?? "") &&
    JSON.stringify(a.strings) === JSON.stringify(b.strings)
  );
}

/** How many records the draft creates, changes and deletes. */
export function countEdits({ edits }: Draft): { creates: number; updates: number; deletes: number } {
  const count = (kind: Edit["kind"]) => edits.filter((edit) => edit.kind === kind).length;
  return { creates: count("create"), updates: count("update"), deletes: count("delete") };
}

/** The draft as the service takes it, in the order of the edits. Updates carry only the fields that differ. */
export function changesOf({ edits }: Draft): Change[] {
  return edits.map((edit): Change => {
    if (edit.kind === "delete") return { action: "delete", recordId: edit.key };
    const { recordType, name, value, strings, ttl, comment } = edit.fields;
    if (edit.kind === "create") {
      const record = {
        recordType,
        name,
        value,
        comment,
        ...(strings && { strings }),
        ...(ttl !== null && { ttl }),
        ...(isDisabled(edit.fields) && { status: "disabled" }),
        ...(isProxied(edit.fields, null) && { proxied: true }),
      };
      return { action: "create", record: record as Extract<Change, { action: "create" }>["record"] };
    }
    const before = fieldsOf(edit.before);
    const patch = {
      ...(recordType !== before.recordType && { recordType }),
      ...(name !== before.name && { name }),
      ...(ttl !== null && ttl !== before.ttl && { ttl }),
      ...((comment ?? "") !== (before.comment ?? "") && { comment }),
      ...(isDisabled(edit.fields) !== isDisabled(before) && {
        status: isDisabled(edit.fields) ? "disabled" : "active",
      }),
      ...(isProxied(edit.fields, edit.before) !== edit.before.proxied && {
        proxied: isProxied(edit.fields, edit.before),
      }),
      ...((value !== before.value || JSON.stringify(strings) !== JSON.stringify(before.strings)) && {
        value,
        ...(strings && { strings }),
      }),
    };
    return { action: "update", recordId: edit.key, record: patch as Extract<Change, { action: "update" }>["record"] };
  });
}
