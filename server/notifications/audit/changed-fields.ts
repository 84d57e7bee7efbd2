import { isDeepStrictEqual } from "node:util";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields that differ between two states, in the form of an audit entry, or null if there are none. */
export function changedFields(before: Fields, after: Fields): { before: Fields; after: Fields } | null {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (names.length === 0) return null;
  const of = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { before: of(before), after: of(after) };
}
