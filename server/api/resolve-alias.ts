import { badField } from "../platform/errors.ts";

/**
 * The value of a field that callers may give under either of two names, and the name that they gave it.
 * @param names the field's own name first
 * @throws AppError BAD_REQUEST for none, and for two that differ
 */
export function resolveAlias(names: Readonly<Record<string, string | undefined>>): { given: string; field: string } {
  const [own = ""] = Object.keys(names);
  const [first, other] = Object.entries(names).filter(([, value]) => value !== undefined);
  if (first?.[1] === undefined) throw badField([own], `Give ${own}.`);
  const [field, given] = first;
  if (other && other[1] !== given) throw badField([other[0]], `This differs from ${field}; send one of the two.`);
  return { given, field };
}
