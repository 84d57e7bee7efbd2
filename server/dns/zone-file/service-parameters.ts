import { typesWithParameters } from "../values/kept.ts";
import type { Field } from "./tokens.ts";

/**
 * Puts `alpn=` and the quoted `h2,h3` that stands right behind it together again as the one field `alpn="h2,h3"` (RFC 9460 appendix A).
 * For other types the quote begins a field of its own, as it does in BIND.
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
