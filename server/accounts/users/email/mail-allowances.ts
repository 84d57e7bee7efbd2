import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";

/** The number of mails allowed within any period of the window's length. */
export interface Allowance {
  most: number;
  windowMilliseconds: number;
}

/**
 * Counts a mail against an allowance, in one statement so that parallel calls cannot exceed the limit together. A rollback undoes the count.
 * @returns 0 if the mail may be sent, else the seconds until one may be
 */
export async function takeAllowance(
  tx: EntityManager,
  key: string,
  { most, windowMilliseconds }: Allowance,
  now: Date,
): Promise<number> {
  const since = new Date(now.getTime() - windowMilliseconds);
  const until = new Date(now.getTime() + windowMilliseconds);
  const recent = sql`from unnest(mail_allowances.sent_at) as sent where sent > ${since}`;
  const { rows } = await sql`
    insert into mail_allowances (key, sent_at, expires_at) values (${key}, array[${now}::timestamptz], ${until})
    on conflict (key) do update
      set sent_at = (select coalesce(array_agg(sent), '{}') ${recent}) || excluded.sent_at, expires_at = excluded.expires_at
      where (select count(*) ${recent}) < ${most}
    returning key`.execute(queries(tx));
  if (rows.length > 0) return 0;
  const oldest = await sql<{ sent: Date }>`
    select sent from mail_allowances, unnest(sent_at) as sent
    where key = ${key} and sent > ${since} order by sent desc offset ${most - 1} limit 1`.execute(queries(tx));
  const free = (oldest.rows[0]?.sent.getTime() ?? now.getTime()) + windowMilliseconds;
  return Math.max(1, Math.ceil((free - now.getTime()) / 1_000));
}
