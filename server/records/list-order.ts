import { sql, type RawBuilder } from "kysely";

export const recordSorts = [
  "name",
  "-name",
  "type",
  "-type",
  "value",
  "-value",
  "ttl",
  "-ttl",
  "updatedAt",
  "-updatedAt",
] as const;

export type RecordSort = (typeof recordSorts)[number];

/** The columns of each order. Indexes serve `name` and `type`; the others sort the zone. */
const orders = {
  name: ["name", "record_type", "record_id"],
  type: ["record_type", "name", "record_id"],
  value: ["value", "name", "record_type", "record_id"],
  ttl: ["ttl", "name", "record_type", "record_id"],
  updatedAt: ["updated_at", "name", "record_type", "record_id"],
} as const;

/**
 * Returns the `order by` of a list. A descending order is the exact reverse.
 * @param fromEnd reverses it, to read the list from its end
 * @param updated the column that holds the time of the last change
 */
export function orderBy(sort: RecordSort, fromEnd: boolean, updated: "updated_at" | "read_at" = "updated_at") {
  const direction = sql.raw(sort.startsWith("-") === fromEnd ? "asc" : "desc");
  const columns = orders[sort.replace("-", "") as keyof typeof orders].map((column): RawBuilder<unknown> => {
    // Texts keep capitals, which count only between those that are equal otherwise.
    if (column === "value") return sql`lower(value) collate "C" ${direction}, value collate "C" ${direction}`;
    return sql`${sql.ref(column === "updated_at" ? updated : column)} ${direction}`;
  });
  return sql.join(columns);
}
