import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Job } from "../../ops/jobs/runner.ts";
import type { Logger } from "../../platform/log.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import { qualifiedName } from "../../dns/names/names.ts";

const day = 24 * 3_600_000;
/** Domains per transaction: few enough that a crash loses little work and locks are brief. */
const batch = 500;
const firstId = "00000000-0000-0000-0000-000000000000";

interface Parts {
  database: Database;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

/** A reminder that is due for a domain. */
export interface DueReminder {
  domainId: string;
  /** Its name and view. */
  name: string;
  ownerId: string | null;
  expiresAt: Date;
  /** The threshold in days before the date; `expired` if the date has passed. */
  days: number;
  source: string | null;
  registryExpiresAt: Date | null;
  registrarExpiresAt: Date | null;
}

/** Value of `expiry_reminders.days` for an expired registration. */
export const expired = -1;

/**
 * Sends reminders of registrations that expire soon or have expired, once per date and threshold. After downtime, the next run sends
 * what was missed.
 */
export class ExpiryReminderJob implements Job {
  readonly #parts: Parts;
  readonly name = "expiry.remind";
  readonly description = "Sends reminders of registrations that expire soon or have expired.";
  /** Runs half an hour after most registrations end, so that auto-renewed ones have been looked up again. */
  readonly schedule = "35 * * * *";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async work(_data: object, signal: AbortSignal): Promise<void> {
    const now = this.#parts.now();
    let sent = 0;
    let after: string | null = null;
    do {
      const from: string | null = after;
      after = await this.#parts.database.fork().transactional(async (tx) => {
        const { reminders, next } = await takeReminders(tx, now, from, batch);
        const notices = reminders.map((reminder) => reminderNotice(reminder, now));
        await this.#parts.notifications.notifyAll(tx, notices);
        sent += reminders.length;
        return next;
      });
    } while (after !== null && !signal.aborted);
    if (sent > 0) this.#parts.log.info({ reminders: sent }, "sent expiry reminders");
  }
}

/** Reminders of a batch, and the cursor of the next one; `next` is null at the end. */
interface Batch {
  reminders: DueReminder[];
  next: string | null;
}

/**
 * Takes the due reminders of the next domains, ordered by id. Committing the transaction marks them as sent, so that no other instance
 * sends them. If several thresholds have passed, only the nearest one yields a reminder. Thresholds further away than one already
 * sent yield none.
 * @param after domain id to continue after; null: start with the first.
 */
export async function takeReminders(tx: EntityManager, now: Date, after: string | null, most: number): Promise<Batch> {
  const at = sql`${now}::timestamptz`;
  const { rows } = await sql<Row>`
    with open as (
      select d.id, d.name, d.view, d.owner_id, d.expires_at, d.expiry_source, d.registry_expires_at, d.registrar_expires_at,
        (d.expires_at at time zone 'UTC')::date as expires_on
      from domains d
      where d.status = 'active' and d.expiring_from <= ${at} and d.id > ${after ?? firstId}::uuid
        and exists (
          select from unnest(${thresholds(at)}) as t (days)
          where not exists (
            select from expiry_reminders r
            where r.domain_id = d.id and r.expires_on = (d.expires_at at time zone 'UTC')::date and r.days = t.days
          )
        )
      order by d.id limit ${most}
    ), taken as (
      insert into expiry_reminders (domain_id, expires_on, days, told_at)
      select d.id, open.expires_on, t.days, ${at}
      from open join domains d on d.id = open.id cross join lateral unnest(${thresholds(at)}) as t (days)
      order by d.id, t.days
      on conflict do nothing
      returning domain_id, days
    ), nearest as (
      select domain_id, min(days) as days from taken group by domain_id
    )
    select open.*, nearest.days, exists (
      select from expiry_reminders r
      where r.domain_id = open.id and r.expires_on = open.expires_on and r.days < nearest.days
    ) as outdone
    from open left join nearest on nearest.domain_id = open.id
    order by open.id
  `.execute(queries(tx));
  return {
    reminders: rows.flatMap((row) => (row.days === null || row.outdone ? [] : shown(row, row.days))),
    next: rows.length < most ? null : (rows.at(-1)?.id ?? null),
  };
}

/** Returns the notice about a registration that expires soon or has expired. */
export function reminderNotice(reminder: DueReminder, now: Date): TypedNotice<"domain.expired" | "domain.expiring"> {
  const { domainId, name, ownerId, expiresAt, days, source } = reminder;
  const about = { domainId, domainName: name, expiresAt: expiresAt.toISOString(), source };
  const to = { userIds: ownerId === null ? [] : [ownerId], administrators: true };
  const on = expiresAt.toISOString().slice(0, 10);
  const origin = originOf(reminder);
  if (days === expired) {
    return {
      event: "domain.expired",
      title: `${name} has expired`,
      content: `Its registration ended on ${on}${origin} Renew it at its registrar while you still can, or correct the date.`,
      level: "error",
      metadata: about,
      to,
    };
  }
  const left = Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / day));
  return {
    event: "domain.expiring",
    title: left <= 1 ? `${name} expires within a day` : `${name} expires in ${left} days`,
    content: `Its registration ends on ${on}${origin} Renew it at its registrar, or make sure that it renews automatically.`,
    level: "warning",
    metadata: { ...about, days, daysLeft: left },
    to,
  };
}

interface Row {
  id: string;
  name: string;
  view: string;
  owner_id: string | null;
  expires_at: Date;
  expiry_source: string | null;
  registry_expires_at: Date | null;
  registrar_expires_at: Date | null;
  days: number | null;
  outdone: boolean;
}

/** Returns SQL for the passed thresholds of a domain `d`, or for `expired` alone. */
function thresholds(at: ReturnType<typeof sql>) {
  return sql`
    case when d.expires_at <= ${at} then array[${sql.lit(expired)}]
    else array(select distinct days from unnest(d.expiry_remind_days) as days
      where d.expires_at - make_interval(days => days) <= ${at})
    end
  `;
}

function shown(row: Row, days: number): DueReminder {
  return {
    domainId: row.id,
    name: qualifiedName(row),
    ownerId: row.owner_id,
    expiresAt: row.expires_at,
    days,
    source: row.expiry_source,
    registryExpiresAt: row.registry_expires_at,
    registrarExpiresAt: row.registrar_expires_at,
  };
}

/** Returns the end of a sentence: the date's source, or both dates if registry and registrar differ. */
function originOf({ source, registryExpiresAt, registrarExpiresAt }: DueReminder): string {
  if (source === null || source === "manual") return ", a date set manually.";
  const said = source === "registrar" ? " (as its registrar says)." : ` (${source.toUpperCase()}).`;
  if (!registryExpiresAt || !registrarExpiresAt) return said;
  const [registry, registrar] = [registryExpiresAt, registrarExpiresAt].map((date) => date.toISOString().slice(0, 10));
  if (registry === registrar) return said;
  return `: the registry says ${registry}, the registrar ${registrar}.`;
}
