import { badField } from "../platform/errors.ts";

/**
 * Returns the value of a field with an alias, and the name under which the caller gave it.
 * @param names values by name, the field's own name first
 * @throws AppError BAD_REQUEST for no value, or two different values
 */
export function resolveAlias(names: Readonly<Record<string, string | undefined>>): { given: string; field: string } {
  const [own = ""] = Object.keys(names);
  const [first, other] = Object.entries(names).filter(([, value]) => value !== undefined);
  if (first?.[1] === undefined) throw badField([own], `${own} is required.`);
  const [field, given] = first;
  if (other && other[1] !== given) throw badField([other[0]], `This differs from ${field}. Send only one of them.`);
  return { given, field };
}
