import { sql } from "kysely";

/** Rows of a JSON array as a table: one text parameter, however many rows, on both engines. */
export function jsonRows(rows: readonly unknown[]) {
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
}

/** Texts of a JSON array as a table of one column `value`: the same statement for any number of them. */
export function jsonTexts(texts: readonly string[]) {
  return sql`json_array_elements_text(${JSON.stringify(texts)}::json)`;
}
