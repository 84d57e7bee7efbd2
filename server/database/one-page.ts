import type { SelectQueryBuilder } from "kysely";

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

/** Returns one page of a query's rows, in its order, and the total count. */
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
