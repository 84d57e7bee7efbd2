import { sql, type RawBuilder } from "kysely";
import { jsonTexts } from "./json-rows.ts";
import { escapeLike } from "./escape-like.ts";
import { toUnicodeName } from "../dns/names/names.ts";

/** The right-hand side of a condition on a stored name. */
export type NameSearch = { operator: "like"; operand: string } | { operator: "in"; operand: RawBuilder<string> };

/**
 * How to find stored names by a part of them that a person typed; every character stands for itself. The A-label of a
 * part is no part of the A-label (RFC 3492), so what lies beyond ASCII is looked for among the international names.
 */
export async function nameSearch(search: string, internationalNames: () => Promise<string[]>): Promise<NameSearch> {
  const part = search
    .normalize("NFKC")
    .replaceAll(/[\u3002\uff0e\uff61]/g, ".")
    .toLowerCase();
  if (/^\p{ASCII}*$/u.test(part)) return { operator: "like", operand: `%${escapeLike(part)}%` };
  const found = (await internationalNames()).filter((name) => toUnicodeName(name).includes(part));
  return { operator: "in", operand: sql`(select value from ${jsonTexts(found)})` };
}
