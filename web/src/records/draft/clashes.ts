import type { DnsRecord } from "@zonewright/client";
import {
  fieldsOf,
  isDisabled,
  isProxied,
  sameFields,
  type Draft,
  type Edit,
  type Fields,
} from "../../zone/draft/draft.ts";

/** An edit whose record somebody else changed or deleted after the edit was made. The person decides which one counts. */
export interface Clash {
  key: string;
  edit: Exclude<Edit, { kind: "create" }>;
  /** The record now; null if it was deleted. */
  now: DnsRecord | null;
}

/** Finds the record of an edit as it is now: null if it was deleted, undefined if that is not known. */
export type Present = (edit: Clash["edit"]) => DnsRecord | null | undefined;

type Met = "unchanged" | "settled" | "clash";

/** Compares an edit with its record as it is now. `settled`: the zone already is as the edit wants it. */
function meet(edit: Clash["edit"], now: DnsRecord | null): Met {
  if (now === null) return edit.kind === "delete" ? "settled" : "clash";
  // Who may be asked and what is locked is no part of the draft.
  if (sameFields(fieldsOf(now), fieldsOf(edit.before))) return "unchanged";
  return edit.kind === "update" && sameFields(edit.fields, fieldsOf(now)) ? "settled" : "clash";
}

/** The edits whose records others changed since. */
export function clashesOf({ edits }: Draft, present: Present): Clash[] {
  return edits.flatMap((edit) => {
    const now = edit.kind === "create" ? undefined : present(edit);
    if (edit.kind === "create" || now === undefined || meet(edit, now) !== "clash") return [];
    return [{ key: edit.key, edit, now }];
  });
}

/** The draft without the edits that somebody else made in the same way. The same draft if there are none. */
export function withoutSettled(draft: Draft, present: Present): Draft {
  const edits = draft.edits.filter((edit) => {
    const now = edit.kind === "create" ? undefined : present(edit);
    return edit.kind === "create" || now === undefined || meet(edit, now) !== "settled";
  });
  return edits.length === draft.edits.length ? draft : { edits };
}

/** Decides clashes for the draft: what the person changed counts, and what they left alone stays as the others made it. */
export function keepMine(draft: Draft, clashes: readonly Clash[]): Draft {
  const decided = new Map(clashes.map(({ key, now }) => [key, now]));
  const edits = draft.edits.flatMap((edit): Edit[] => {
    const now = decided.get(edit.key);
    if (now === undefined || edit.kind === "create") return [edit];
    if (edit.kind === "delete") return now === null ? [] : [{ ...edit, before: now }];
    if (now === null) {
      const fields = { ...edit.fields, proxied: isProxied(edit.fields, edit.before) };
      return [{ kind: "create", key: edit.key, fields }];
    }
    const fields = mergedFields(fieldsOf(edit.before), edit.fields, fieldsOf(now));
    return sameFields(fields, fieldsOf(now)) ? [] : [{ ...edit, before: now, fields }];
  });
  return { edits };
}

/** Decides clashes for the others: the edits go. */
export function takeTheirs(draft: Draft, clashes: readonly Clash[]): Draft {
  const keys = new Set(clashes.map(({ key }) => key));
  return { edits: draft.edits.filter(({ key }) => !keys.has(key)) };
}

/** A record that two changed: what one of them left alone is as the other made it. */
export function mergedFields(before: Fields, mine: Fields, theirs: Fields): Fields {
  const proxied = mine.proxied === before.proxied ? theirs.proxied : (mine.proxied ?? theirs.proxied);
  const { recordType, value, strings } = isSameValue(mine, before) ? theirs : mine;
  return {
    recordType,
    value,
    strings,
    name: mine.name === before.name ? theirs.name : mine.name,
    ttl: mine.ttl === before.ttl ? theirs.ttl : mine.ttl,
    comment: (mine.comment ?? "") === (before.comment ?? "") ? theirs.comment : mine.comment,
    disabled: isDisabled(isDisabled(mine) === isDisabled(before) ? theirs : mine),
    ...(proxied !== undefined && { proxied }),
  };
}

/** Whether two records have one type and one value: these belong together. */
function isSameValue(a: Fields, b: Fields): boolean {
  return (
    a.recordType === b.recordType && a.value === b.value && JSON.stringify(a.strings) === JSON.stringify(b.strings)
  );
}

/** What of a record was changed, for the sentence about it. */
export function changedParts(
  before: Fields,
  now: Fields,
): ("value" | "strings" | "name" | "ttl" | "proxied" | "unproxied" | "disabled" | "enabled" | "note")[] {
  const hasValue = before.recordType === now.recordType && before.value === now.value;
  return [
    ...(hasValue ? [] : (["value"] as const)),
    ...(hasValue && !isSameValue(before, now) ? (["strings"] as const) : []),
    ...(before.name === now.name ? [] : (["name"] as const)),
    // The provider sets that of proxied records.
    ...(before.ttl === now.ttl || now.proxied === true ? [] : (["ttl"] as const)),
    ...(before.proxied === now.proxied ? [] : [now.proxied === true ? ("proxied" as const) : ("unproxied" as const)]),
    ...(isDisabled(before) === isDisabled(now) ? [] : [isDisabled(now) ? ("disabled" as const) : ("enabled" as const)]),
    ...((before.comment ?? "") === (now.comment ?? "") ? [] : (["note"] as const)),
  ];
}
