import type { z } from "zod";

/** A field that a vendor may leave out, and may as well print as null, whatever its documentation says: undefined then. */
export function maybe<T>(schema: z.ZodType<T>) {
  return schema.nullish().transform((value) => value ?? undefined);
}
