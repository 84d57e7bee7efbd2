import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../database/database.ts";
import { identityOf } from "./primary-configs.ts";
import type { ServedZone } from "./zones.ts";

/** Announcements of a domain that stay stored, in revisions. */
const storedRevisions = 100;
/** Seconds after a transfer in which the answer with its serial still says when the secondary began to serve it. */
const confirmSeconds = 60;

/** A revision of a domain to announce, at each configuration that serves it. */
export interface Announcement {
  zones: readonly ServedZone[];
  /** The first revision that it covers. */
  since: number;
}

/** A serial that was seen at a secondary. */
export interface Reached {
  domain_id: string;
  identity: string;
  revision: number;
  at: Date;
  /** Whether it answered with it. Otherwise it transferred it, and may not serve it yet. */
  answered: boolean;
}

/**
 * Claims the announcement of a zone's serial, so that no other instance sends it, too. Whoever read the zone before a newer serial was claimed
 * comes too late. Stored serials do not wrap around, so that they compare as numbers; one beyond the zone's own is of a base that was reset.
 * @returns the first revision that was not announced before; null if it, or a newer one, was claimed
 */
export async function claimSerial(em: EntityManager, { id, serialBase, revision }: ServedZone): Promise<number | null> {
  const serial = serialBase + revision;
  // A driver may return a bigint as text.
  const { rows } = await sql<{ before: string | null }>`
    with known as (
      select z.notified_serial, z.serial_base + d.revision as present from primary_zones z join domains d on d.id = z.domain_id
      where z.domain_id = ${id}::uuid for update of z
    )
    update primary_zones set notified_serial = ${serial} from known
    where domain_id = ${id}::uuid
      and (known.notified_serial is null or known.notified_serial < ${serial} or known.notified_serial > known.present)
    returning known.notified_serial as before
  `.execute(queries(em));
  const [row] = rows;
  if (!row) return null;
  const before = row.before === null ? null : Number(row.before) - serialBase;
  return before !== null && before < revision && revision - before < storedRevisions ? before + 1 : revision;
}

/** Stores the revisions that each secondary is notified of. Deletes all but the newest 100 of a domain. */
export async function storeAnnouncements(em: EntityManager, announcements: readonly Announcement[]): Promise<void> {
  const rows = announcements.flatMap(({ zones, since }) =>
    zones.flatMap(({ id, revision, service }) =>
      service.settings.notify.map((endpoint) => ({
        domain_id: id,
        revision,
        identity: identityOf(endpoint),
        since,
      })),
    ),
  );
  if (rows.length === 0) return;
  await sql`
    with announced as (
      select * from ${jsonRows(rows)} as a (domain_id uuid, revision int, identity text, since int)
    ), old as (
      delete from secondary_revisions r using (select domain_id, max(revision) as newest from announced group by domain_id) as n
      where r.domain_id = n.domain_id and r.revision <= n.newest - ${storedRevisions}
    )
    insert into secondary_revisions (domain_id, revision, identity, since)
      select domain_id, revision, identity, since from announced
      where exists (select from domains where domains.id = announced.domain_id)
      on conflict do nothing
  `.execute(queries(em));
}

/**
 * Stores when secondaries reached revisions. The time of an answer replaces that of the transfer right before it. A revision that was only
 * transferred no longer counts once the secondary answers with an older one.
 */
export async function storeReached(em: EntityManager, reached: readonly Reached[]): Promise<void> {
  if (reached.length === 0) return;
  const rows = sql`${jsonRows(reached)} as f (domain_id uuid, identity text, revision int, at timestamptz, answered boolean)`;
  await sql`
    update secondary_revisions as r set reached_at = null
    from (
      select distinct on (domain_id, identity) domain_id, identity, revision, at from ${rows}
      where answered order by domain_id, identity, at desc
    ) as n
    where r.domain_id = n.domain_id and r.identity = n.identity and r.revision > n.revision
      and not r.answered and r.reached_at < n.at
  `.execute(queries(em));
  await sql`
    update secondary_revisions as r set
      reached_at = case when r.reached_at is null or n.answered then n.at else r.reached_at end,
      answered = r.answered or n.answered
    from (
      select r.domain_id, r.revision, r.identity, bool_or(f.answered) as answered,
        coalesce(min(f.at) filter (where f.answered), min(f.at)) as at
      from ${rows}
      join domains d on d.id = f.domain_id and f.revision <= d.revision
      join secondary_revisions r
        on r.domain_id = f.domain_id and r.identity = f.identity and r.revision <= f.revision and not r.answered
      group by r.domain_id, r.revision, r.identity
    ) as n
    where r.domain_id = n.domain_id and r.revision = n.revision and r.identity = n.identity
      and (r.reached_at is null or (n.answered and n.at < r.reached_at + make_interval(secs => ${confirmSeconds})))
  `.execute(queries(em));
}
