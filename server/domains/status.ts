import { sql } from "kysely";

export type DomainStatus = "active" | "expiring" | "expired" | "disabled";

/**
 * A domain's state at `now`: unless disabled, it follows from the date, `expiring` from the longest reminder before it.
 * Worked out on reading, so that it is right at any time without anybody writing it.
 */
export function statusAt(now: Date) {
  const moment = sql`${now}::timestamptz`;
  return sql<DomainStatus>`case
    when domains.status = 'disabled' then 'disabled'
    when domains.expires_at is null then 'active'
    when domains.expires_at <= ${moment} then 'expired'
    when domains.expires_at <= ${moment} + interval '24 hours' * coalesce((select max(day) from unnest(domains.expiry_remind_days) as day), 0) then 'expiring'
    else 'active' end`;
}
