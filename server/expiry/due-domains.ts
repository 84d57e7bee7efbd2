import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

/** A domain that is due for a lookup. */
export interface DueDomain {
  id: string;
  name: string;
  view: string;
}

/** Lease of a claim. If the process crashes, another one looks up its domains after this time. */
const turnMinutes = 60;

/**
 * Claims domains that are due for a lookup, longest overdue first, so that no other instance looks them up. Skips domains that are
 * disabled, have no automatic checks, or have a manually set date.
 */
export async function claimDue(em: EntityManager, now: Date, atMost: number): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    with due as (
      select id from domains
      where status = 'active' and auto_check_expiry and expiry_source is distinct from 'manual'
        and (expiry_next_check_at is null or expiry_next_check_at <= ${now}::timestamptz)
      order by expiry_next_check_at nulls first
      limit ${atMost}
      for update skip locked
    )
    update domains set expiry_next_check_at = ${now}::timestamptz + make_interval(mins => ${turnMinutes})
    from due where domains.id = due.id
    returning domains.id, domains.name, domains.view
  `.execute(queries(em));
  return rows;
}
