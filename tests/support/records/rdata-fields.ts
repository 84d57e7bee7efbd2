import type { RdataField } from "../../../server/dns/values/value-rule.ts";

/** Splits one line of printed RDATA into its fields, as a master-file reader would (RFC 1035 §5.1); no comments, no parentheses. */
export function rdataFields(text: string): RdataField[] {
  const fields: RdataField[] = [];
  let position = 0;
  while (position < text.length) {
    if (text[position] === " ") {
      position += 1;
      continue;
    }
    const quoted = text[position] === '"';
    let end = quoted ? position + 1 : position;
    let inQuotes = quoted;
    while (end < text.length && (inQuotes || text[end] !== " ")) {
      if (text[end] === '"') {
        inQuotes = !inQuotes;
        if (quoted) break;
      }
      end += text[end] === "\\" ? 2 : 1;
    }
    if (inQuotes) throw new Error(`a quote stays open: ${text}`);
    fields.push({ raw: text.slice(quoted ? position + 1 : position, end), quoted });
    position = quoted ? end + 1 : end;
  }
  return fields;
}
