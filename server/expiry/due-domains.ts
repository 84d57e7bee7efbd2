import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

/** A domain whose turn it is. */
export interface DueDomain {
  id: string;
  name: string;
}

/** How long a taken turn lasts: a process that ends meanwhile has its domains looked up by the next one. */
const turnMinutes = 60;

/**
 * Takes the turns of domains whose look-up is due, those that have waited longest first, so that no other instance looks them up. Domains that are
 * disabled, that nobody wants looked up, or whose date was set by hand have none.
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
    returning domains.id, domains.name
  `.execute(queries(em));
  return rows;
}
