import { sql, type RawBuilder } from "kysely";
import { jsonTexts } from "./database.ts";
import { escapeLike } from "./escape-like.ts";
import { toUnicodeName, withAsciiDots } from "../dns/names/names.ts";

/** The right-hand side of a condition on a stored name. */
export type NameSearch = { operator: "like"; operand: string } | { operator: "in"; operand: RawBuilder<string> };

/**
 * Returns the condition that finds stored names containing a typed text, matched literally. Part of a U-label does not map to part of the
 * A-label (RFC 3492), so non-ASCII text is matched against the decoded internationalized names.
 */
export async function nameSearch(search: string, internationalNames: () => Promise<string[]>): Promise<NameSearch> {
  const part = withAsciiDots(search.normalize("NFKC")).toLowerCase();
  if (/^\p{ASCII}*$/u.test(part)) return { operator: "like", operand: `%${escapeLike(part)}%` };
  const found = (await internationalNames()).filter((name) => toUnicodeName(name).includes(part));
  return { operator: "in", operand: sql`(select value from ${jsonTexts(found)})` };
}
