import { useEffect, useState } from "react";
import { perTab } from "./storage.ts";

/** A field that was touched: what it says, and what it said when the touching began. */
interface Edited<Value> {
  value: Value;
  before: Value;
}

type EditedFields<Fields> = { readonly [Name in keyof Fields]?: Edited<Fields[Name]> };

/** The fields of a form over something that others change as well. */
export interface Edits<Fields> {
  /** What the fields show: what was typed, or else what is there now. */
  fields: Fields;
  /** What was touched and differs from what is there now: only this is sent, so that what others set meanwhile stays. */
  changed: Partial<Fields>;
  isChanged: boolean;
  set: (fields: Partial<Fields>) => void;
  /** Forgets what was typed by the time of this rendering, once that is stored. What was typed since stays. */
  done: () => void;
}

/**
 * Holds what is typed in a form. Fields that were not touched follow what is there.
 * @param keptAs the name under which what was typed outlasts a reload of the page, in this tab
 */
export function useEdits<Fields extends object>(now: Fields, keptAs?: string): Edits<Fields> {
  const [edited, setEdited] = useState<EditedFields<Fields>>(() => (keptAs === undefined ? {} : readKept(keptAs)));
  useEffect(() => {
    if (keptAs === undefined) return;
    if (Object.keys(edited).length > 0) perTab.setItem(keptAs, JSON.stringify(edited));
    else perTab.removeItem(keptAs);
  }, [keptAs, edited]);
  const changed = changedFields(edited, now);
  return {
    fields: { ...now, ...changed },
    changed,
    isChanged: Object.keys(changed).length > 0,
    set: (fields) => setEdited((earlier) => withTyped(earlier, fields, now)),
    done: () => setEdited((latest) => withoutStored(latest, edited)),
  };
}

function readKept<Fields>(name: string): EditedFields<Fields> {
  try {
    return JSON.parse(perTab.getItem(name) ?? "{}") as EditedFields<Fields>;
  } catch {
    return {};
  }
}

const namesOf = <Fields extends object>(fields: Fields) => Object.keys(fields) as (keyof Fields)[];

/** What was typed and is neither what was there at first nor what is there now. */
export function changedFields<Fields extends object>(edited: EditedFields<Fields>, now: Fields): Partial<Fields> {
  const changed: Partial<Fields> = {};
  for (const name of namesOf(edited)) {
    const typed = edited[name];
    if (typed && typed.value !== typed.before && typed.value !== now[name]) changed[name] = typed.value;
  }
  return changed;
}

/** The touched fields after some were typed. */
export function withTyped<Fields extends object>(
  edited: EditedFields<Fields>,
  typed: Partial<Fields>,
  now: Fields,
): EditedFields<Fields> {
  const next: { [Name in keyof Fields]?: Edited<Fields[Name]> } = { ...edited };
  for (const name of namesOf(typed)) {
    const value = typed[name];
    if (value !== undefined) next[name] = { value, before: edited[name]?.before ?? now[name] };
  }
  return next;
}

/** The touched fields once the values of `stored` are stored: what was typed since then, over what was stored. */
export function withoutStored<Fields>(
  edited: EditedFields<Fields>,
  stored: EditedFields<Fields>,
): EditedFields<Fields> {
  const next: { [Name in keyof Fields]?: Edited<Fields[Name]> } = {};
  for (const name of Object.keys(edited) as (keyof Fields)[]) {
    const [typed, sent] = [edited[name], stored[name]];
    if (typed === undefined || typed.value === sent?.value) continue;
    next[name] = sent === undefined ? typed : { value: typed.value, before: sent.value };
  }
  return next;
}
