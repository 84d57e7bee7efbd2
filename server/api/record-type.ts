import { z } from "zod";
import type { TypeName } from "../dns/record.ts";
import { canonicalType, isProviderType } from "../dns/zone-file/type-names.ts";
import { line } from "./schemas.ts";

// The types of record types are open: editors complete those with a form, and any other text is allowed. So what an answer has fits an input.

/** A record type in canonical form: one that is known here, `TYPE` with a number (RFC 3597), or one of a provider's own. */
export const recordTypeInput = line(20, 1)
  .transform((given, context) => {
    const type = canonicalType(given) ?? (isProviderType(given) ? given.toUpperCase() : null);
    if (type !== null) return type;
    context.addIssue("This must be a record type, such as TXT or TYPE65280.");
    return z.NEVER;
  })
  .meta({ override: { type: "string", maxLength: 20, minLength: 1 } }) as unknown as z.ZodType<TypeName, TypeName>;

/** A record type in a list of an answer. */
export const listedRecordType = z.string() as unknown as z.ZodType<TypeName>;

/** A record type in an answer. */
export function shownRecordType(description: string, example = "A"): z.ZodType<TypeName> {
  return listedRecordType.meta({ description, example });
}
