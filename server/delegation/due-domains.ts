import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";

export interface DueDomain {
  id: string;
  name: string;
}

/** Lease of a claim. If the process crashes, another one checks its domains after this time. */
const turnMinutes = 60;
/** More domains than this at once, as after an upgrade, are spread over a day. */
const mostAtOnce = 200;

/** Plans the first check of domains that have none yet. */
export async function planFirstChecks(em: EntityManager, now: Date): Promise<void> {
  await sql`
    with missing as (
      select d.id, count(*) over () as total from domains d
      where d.view = '' and not exists (select from delegations g where g.domain_id = d.id)
    )
    insert into delegations (domain_id, next_check_at)
    select id, ${now}::timestamptz + case when total > ${mostAtOnce} then random() else 0 end * interval '1 day' from missing
    on conflict do nothing
  `.execute(queries(em));
}

/** Claims domains that are due, longest overdue first, so that no other instance checks them. Skips disabled domains. */
export async function claimDue(em: EntityManager, now: Date, atMost: number): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    with due as (
      select g.domain_id from delegations g join domains d on d.id = g.domain_id
      where g.next_check_at <= ${now}::timestamptz and d.status = 'active' and d.view = ''
      order by g.next_check_at limit ${atMost}
      for update of g skip locked
    )
    update delegations set next_check_at = ${now}::timestamptz + make_interval(mins => ${turnMinutes})
    from due join domains d on d.id = due.domain_id
    where delegations.domain_id = due.domain_id
    returning d.id, d.name
  `.execute(queries(em));
  return rows;
}

/** Postpones domains that are not checked. */
export async function postpone(em: EntityManager, id: string, until: Date): Promise<void> {
  await queries(em).updateTable("delegations").set({ next_check_at: until }).where("domain_id", "=", id).execute();
}
