import { z } from "zod";
import { inSlices, mapped } from "../platform/slices.ts";

/** Inputs with more items than this are validated in slices. */
const manyItems = 500;

/**
 * Lets an input schema validate a long list in slices, without blocking the event loop. tRPC waits for a `parse` that returns a promise;
 * other methods of the schema stay as they are. The worker has refused invalid large bodies before, with their issues.
 * @param field the field that holds the list
 * @param most the most items that the schema allows
 */
export function parsedInSlices<S extends z.ZodObject>(schema: S, field: string, most: number): S {
  const list: unknown = schema.shape[field];
  if (!(list instanceof z.ZodArray)) throw new Error(`${field} is not a list.`);
  const parse = schema.parse.bind(schema);
  const parseSliced = async (value: Record<string, unknown>, items: readonly unknown[]) => {
    const rest = parse({ ...value, [field]: items.slice(0, 1) });
    const results = await inSlices(mapped(items, (item) => z.safeParse(list.element, item)));
    const parsed = results.flatMap((result) => (result.success ? [result.data] : []));
    const isValid = parsed.length === items.length && items.length <= most;
    return isValid ? { ...rest, [field]: parsed } : parse(value);
  };
  const sliced = (...[value, params]: Parameters<typeof parse>) => {
    const items = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
    if (!Array.isArray(items) || items.length <= manyItems) return parse(value, params);
    return parseSliced(value as Record<string, unknown>, items);
  };
  return Object.defineProperty(schema, "parse", { value: sliced });
}
