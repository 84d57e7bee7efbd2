import { sql } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { versionsNamed } from "../changes/state/past-zone.ts";

/** How long a reconciliation holds a mirror. It is renewed well before, and ends by itself after a crash. */
const leaseSeconds = 30;
export const renewMilliseconds = 8_000;
/** A mirror is read as a whole, so one that follows many changes in a row is read no more often. */
export const restMilliseconds = 1_000;
const storedRevisions = 100;
/** Seconds until another attempt, by failures in a row. */
const retrySeconds = [5, 15, 60, 300, 900, 3_600];

/** A mirror that this process works at. */
export interface Claimed {
  id: string;
  /** Its provider configuration. */
  configId: string;
}

/**
 * Claims the mirror that is due and has been behind longest, except mirrors reconciled within the last second. Comparisons without a change
 * come last. A time that is still to come is of a clock that was set back.
 * @param except configurations whose mirrors stay
 * @returns null if none is due, or other processes hold them
 */
export async function claimOldest(
  em: EntityManager,
  token: string,
  now: Date,
  except: readonly string[],
): Promise<Claimed | null> {
  const rested = new Date(now.getTime() - restMilliseconds);
  return await claim(
    em,
    { token, now },
    sql`due_at <= ${now}::timestamptz and (last_applied_at is null or last_applied_at <= ${rested}::timestamptz or last_applied_at > ${now}::timestamptz)
      and provider_config_id::text not in (select value from ${jsonTexts(except)})
      order by behind_since, due_at, id limit 1 for update skip locked`,
  );
}

/** Claims one mirror, due or not. @returns null if it does not exist, or another process holds it */
export async function claimMirror(em: EntityManager, token: string, now: Date, id: string): Promise<Claimed | null> {
  return await claim(em, { token, now }, sql`id = ${id}::uuid for update`);
}

async function claim(
  em: EntityManager,
  { token, now }: { token: string; now: Date },
  chosen: ReturnType<typeof sql>,
): Promise<Claimed | null> {
  const { rows } = await sql<{ id: string; provider_config_id: string }>`
    update mirrors set lease_token = ${token}::uuid, lease_until = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    where id = (
      select id from mirrors where (lease_until is null or lease_until < ${now}::timestamptz) and ${chosen}
    )
    returning id, provider_config_id
  `.execute(queries(em));
  const [row] = rows;
  return row ? { id: row.id, configId: row.provider_config_id } : null;
}

/**
 * Renews a claim before a call that changes something at the mirror, whose end is not known until its outcome is stored.
 * @param settlesAt when a reading shows whether it was carried out, if it gets no answer @returns as `renewClaim`
 */
export async function noteCall(
  em: EntityManager,
  { id, token }: Pick<Attempt, "id" | "token">,
  now: Date,
  settlesAt: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mirrors set lease_until = ${now}::timestamptz + make_interval(secs => ${leaseSeconds}),
      unconfirmed = true, settles_at = greatest(settles_at, ${settlesAt}::timestamptz)
    where id = ${id}::uuid and lease_token = ${token}::uuid
  `.execute(queries(em));
  return numAffectedRows === 1n;
}

/** Renews a claim. @returns false if another process holds the mirror, or it was deleted */
export async function renewClaim(em: EntityManager, id: string, token: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mirrors set lease_until = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    where id = ${id}::uuid and lease_token = ${token}::uuid
  `.execute(queries(em));
  return numAffectedRows === 1n;
}

/** What a reconciliation left. */
export interface Outcome {
  /** The revision that the mirror has now; null: as before. */
  revision: number | null;
  differences: number;
  /** Those of the differences that are records which were never the domain's. */
  foreign: number;
  unsupported: number;
  /** Why it did not reach everything; null if it did. */
  error: string | null;
  /** Whether it failed as a whole, as it does while the provider is away. */
  unreachable: boolean;
  /** The earliest time at which it is tried again after a failure, if the provider named one. */
  retryAt: Date | null;
  /** Until when the provider may not show what was sent; null: it does. Undefined: as noted before the last call. */
  settlesAt?: Date | null;
  /** Whether a reading was made while the provider may not have shown what was sent before. It proves nothing. */
  isEarly?: boolean;
}

/** An attempt to reconcile a mirror. */
export interface Attempt {
  id: string;
  token: string;
  loadedAt: Date;
  now: Date;
  /** Whether it might delete any number of records. It used that up if it reached the provider. */
  forced: boolean;
}

/** Ends a claim without an outcome. The mirror is due at once, for another process. */
export async function releaseClaim(em: EntityManager, id: string, token: string, now: Date): Promise<void> {
  await sql`
    update mirrors set lease_token = null, lease_until = null, due_at = least(coalesce(due_at, ${now}::timestamptz), ${now}::timestamptz)
    where id = ${id}::uuid and lease_token = ${token}::uuid
  `.execute(queries(em));
}

/**
 * Stores the outcome of a reconciliation and ends its claim. A mirror that has the domain as it was loaded is behind only since then, so
 * that one which changes all the time does not stay the oldest.
 * @returns the failures in a row, and whether a failure had been reported; null if the claim was lost
 */
export async function storeOutcome(
  tx: EntityManager,
  { id, token, loadedAt, now, forced }: Attempt,
  { revision, differences, foreign, unsupported, error, unreachable, retryAt, settlesAt }: Outcome,
): Promise<{ failures: number; reported: boolean } | null> {
  const isKnown = settlesAt !== undefined;
  const reached = sql`${revision}::int is not null and wanted_revision <= ${revision}::int`;
  const { rows } = await sql<{ failures: number; reported: boolean }>`
    update mirrors set
      revision = coalesce(${revision}::int, revision),
      last_applied_at = case when ${revision}::int is null then last_applied_at else ${now}::timestamptz end,
      checked_at = case when ${revision}::int is null then checked_at else ${now}::timestamptz end,
      differences = ${differences}, foreign_records = ${foreign}, unsupported = ${unsupported},
      error = ${error}, unreachable = ${unreachable}, failures = case when ${error}::text is null then 0 else failures + 1 end,
      force_next = force_next and not ${forced && !unreachable}::boolean,
      unconfirmed = unconfirmed and not ${isKnown}::boolean,
      settles_at = case when ${isKnown}::boolean then ${settlesAt ?? null}::timestamptz else settles_at end,
      behind_since = case
        when ${revision}::int is null or ${error}::text is not null then coalesce(behind_since, ${now}::timestamptz)
        when ${reached} then null
        else greatest(behind_since, ${loadedAt}::timestamptz)
      end,
      due_at = case
        when ${error}::text is not null then ${retryAt}::timestamptz
        when ${reached} then null
        else ${now}::timestamptz
      end,
      lease_token = null, lease_until = null
    where id = ${id}::uuid and lease_token = ${token}::uuid
    returning failures, reported
  `.execute(queries(tx));
  const [row] = rows;
  if (row && revision !== null && error === null) await storeReached(tx, id, revision, now);
  return row ?? null;
}

/**
 * Ends the claim of an attempt that read the mirror too early to know what it has. The mirror is due once the provider shows everything.
 * Until then all else stays as it was, but the attempt used up `force`: it deleted what it saw, and later records of others stay.
 */
export async function storeEarly(
  tx: EntityManager,
  { id, token, now, forced }: Attempt,
  { revision, settlesAt }: { revision: number; settlesAt: Date },
): Promise<void> {
  await sql`
    update mirrors set
      behind_since = coalesce(behind_since, ${now}::timestamptz),
      due_at = case when wanted_revision <= ${revision}::int then ${settlesAt}::timestamptz else ${now}::timestamptz end,
      force_next = force_next and not ${forced}::boolean,
      unconfirmed = false, settles_at = ${settlesAt}::timestamptz,
      lease_token = null, lease_until = null
    where id = ${id}::uuid and lease_token = ${token}::uuid
  `.execute(queries(tx));
}

/** Stores when a mirror reached a revision, and deletes all but the newest 100. */
async function storeReached(tx: EntityManager, id: string, revision: number, now: Date): Promise<void> {
  await sql`
    with old as (
      delete from mirror_revisions where mirror_id = ${id}::uuid and revision <= ${revision - storedRevisions}
    )
    insert into mirror_revisions (mirror_id, revision, reached_at)
      values (${id}::uuid, ${revision}, ${now}::timestamptz) on conflict do nothing
  `.execute(queries(tx));
}

/** Returns when a mirror that fails now is tried again. */
export async function retryTime(tx: EntityManager, id: string, now: Date): Promise<Date> {
  const row = await queries(tx).selectFrom("mirrors").select("failures").where("id", "=", id).executeTakeFirst();
  const seconds = retrySeconds[Math.min(row?.failures ?? 0, retrySeconds.length - 1)] ?? 3_600;
  return new Date(now.getTime() + seconds * 1_000);
}

/** Notes whether a mirror was reported as failing. */
export async function setReported(tx: EntityManager, id: string, reported: boolean): Promise<void> {
  await queries(tx).updateTable("mirrors").set({ reported }).where("id", "=", id).execute();
}

/**
 * Makes the mirrors of a configuration due that failed while its provider was away, as it no longer is.
 * Leaves those that others lock: each is another domain's, which is locked before its mirrors.
 * @returns whether there are any
 */
export async function wakeUnreachable(em: EntityManager, configId: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mirrors set due_at = ${now}::timestamptz, unreachable = false where id in (
      select id from mirrors where provider_config_id = ${configId}::uuid and unreachable for update skip locked
    )
  `.execute(queries(em));
  return (numAffectedRows ?? 0n) > 0n;
}

/** Makes mirrors due that were not compared with their domains since a time, longest ago first. */
export async function scheduleChecks(em: EntityManager, before: Date, now: Date): Promise<void> {
  await sql`
    update mirrors set due_at = ${now}::timestamptz where id in (
      select id from mirrors where due_at is null and checked_at < ${before}::timestamptz order by checked_at limit 200
    )
  `.execute(queries(em));
}

/** Returns which records a domain has, or had in a revision that is still stored, by `recordKey`. */
export async function everOurs(
  em: EntityManager,
  domainId: string,
  records: readonly RecordData[],
): Promise<ReadonlySet<string>> {
  if (records.length === 0) return new Set();
  const names = [...new Set(records.map(({ name }) => name))];
  const { rows } = await sql<{ name: string; record_type: string; value: string; strings: string | null }>`
    select distinct name, record_type, value, strings from ${versionsNamed(domainId, names)} as versions
  `.execute(queries(em));
  return new Set(
    rows.map(({ name, record_type: recordType, value, strings }) =>
      recordKey({
        name,
        recordType,
        value,
        strings: strings?.startsWith("[") ? (JSON.parse(strings) as string[]) : null,
      }),
    ),
  );
}
