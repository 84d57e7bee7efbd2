import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import type { Pointer } from "./observation.ts";
import { pointerKey } from "./pointers.ts";

/** Notifications about dangling records within 24 hours, of all domains. A provider that goes away can leave thousands. */
const mostReports = 50;
const day = 24 * 3_600_000;
/** Key of the advisory lock, unique in the database: "dang" in ASCII. */
const reportLock = 0x64_61_6e_67;

/** Dangling records that are to be reported now. */
export interface Report {
  records: Pointer[];
  /** Whether no other domain is reported for now. */
  isLast: boolean;
}

/**
 * Marks the unreported dangling records of a domain as reported, except those that are snoozed. Beyond the daily number of notifications,
 * they stay unreported until a check on a later day.
 */
export async function takeUnreported(tx: EntityManager, domainId: string, now: Date): Promise<Report> {
  const none: Report = { records: [], isLast: false };
  const isDue = sql<boolean>`domain_id = ${domainId} and code = 'dangling' and present and not notified
    and (snoozed_until is null or snoozed_until <= ${now}::timestamptz)`;
  const due = await sql`select from delegation_findings where ${isDue} limit 1`.execute(queries(tx));
  if (due.rows.length === 0) return none;
  // Domains that are checked at the same time count one after the other.
  await sql`select pg_advisory_xact_lock(${reportLock})`.execute(queries(tx));
  const { rows: recent } = await sql`
    select from delegations where dangling_reported_at > ${new Date(now.getTime() - day)}::timestamptz limit ${mostReports}
  `.execute(queries(tx));
  if (recent.length >= mostReports) return none;
  const { rows } = await sql<Pointer>`
    update delegation_findings set notified = true where ${isDue}
    returning name, record_type as "recordType", subject as target
  `.execute(queries(tx));
  await sql`update delegations set dangling_reported_at = ${now}::timestamptz where domain_id = ${domainId}`.execute(
    queries(tx),
  );
  const records = rows.toSorted((one, other) => (pointerKey(one) < pointerKey(other) ? -1 : 1));
  return { records, isLast: recent.length === mostReports - 1 };
}
