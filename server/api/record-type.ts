import { z } from "zod";
import { canonicalType, isProviderType } from "../dns/zone-file/type-names.ts";
import { line } from "./schemas.ts";

/** A record type in canonical form: one that is known here, `TYPE` with a number (RFC 3597), or one of a provider's own. */
export const recordTypeInput = line(20, 1).transform((given, context) => {
  const type = canonicalType(given) ?? (isProviderType(given) ? given.toUpperCase() : null);
  if (type !== null) return type;
  context.addIssue("This must be a record type, such as TXT or TYPE65280.");
  return z.NEVER;
});
