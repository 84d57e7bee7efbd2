import type { SelectQueryBuilder } from "kysely";

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

/** One page of what a query finds, in its order, and how much it finds in all. */
export async function onePage<DB, TB extends keyof DB, Row>(
  found: SelectQueryBuilder<DB, TB, Row>,
  { page, limit }: Paging,
): Promise<{ rows: Row[]; total: number }> {
  const rows = await found
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const counting = found.clearSelect().clearOrderBy();
  const [counted] = await counting
    .$castTo<{ total: string }>()
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .execute();
  return { rows, total: Number(counted?.total ?? 0) };
}
