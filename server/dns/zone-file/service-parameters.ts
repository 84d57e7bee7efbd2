import { typesWithParameters } from "../values/uneditable.ts";
import type { Field } from "./tokens.ts";

/**
 * Joins `alpn=` and the quoted `h2,h3` directly after it into the single field `alpn="h2,h3"` (RFC 9460 appendix A).
 * For other types a quote begins a new field, as in BIND.
 */
export function joinParameters(recordType: string, fields: Field[]): Field[] {
  if (!typesWithParameters.has(recordType)) return fields;
  const joined: Field[] = [];
  for (const field of fields) {
    const before = joined.at(-1);
    if (before && field.glued && field.quoted && !before.quoted && before.raw.endsWith("=")) {
      joined[joined.length - 1] = { ...before, raw: `${before.raw}"${field.raw}"` };
    } else {
      joined.push(field);
    }
  }
  return joined;
}
