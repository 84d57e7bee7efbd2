import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../database/database.ts";

/** How many places have a revision, and how long the last of these took, in seconds; null if none has it. */
interface Reach {
  places: number;
  inSync: number;
  seconds: number | null;
}

/** How far a revision went: to secondaries, and to mirrors; null: there are none, or it is no longer stored. */
export interface Propagation {
  secondaries: Reach | null;
  mirrors: Reach | null;
}

interface Row {
  revision: number;
  places: string;
  reached: string;
  seconds: string | null;
}

/** Revisions of a domain, and when they were made. */
type Revisions = readonly { revision: number; finished_at: Date | null }[];

/**
 * Returns how far revisions of a domain went, by revision. Counts the secondaries that were notified of it, and the mirrors that there were
 * when it was made.
 */
export async function propagationOf(
  em: EntityManager,
  domainId: string,
  revisions: Revisions,
): Promise<Map<number, Propagation>> {
  if (revisions.length === 0) return new Map();
  const made = sql`${jsonRows(revisions)} as r (revision int, finished_at timestamptz)`;
  const seconds = sql`extract(epoch from max(reached_at) - max(r.finished_at))`;
  const secondaries = await sql<Row>`
    select r.revision, count(*) as places, count(reached_at) as reached, ${seconds} as seconds
    from (
      select r.revision, r.finished_at, s.identity, min(s.reached_at) as reached_at
      from ${made}
      join secondary_revisions s on s.domain_id = ${domainId}::uuid and r.revision between s.since and s.revision
      group by r.revision, r.finished_at, s.identity
    ) as r
    group by r.revision
  `.execute(queries(em));
  // A mirror keeps its newest 100 revisions: what it reached before is not known.
  const mirrors = await sql<Row>`
    select r.revision, count(*) as places, count(reached_at) as reached, ${seconds} as seconds
    from ${made}
    join mirrors m on m.domain_id = ${domainId}::uuid and m.created_at <= r.finished_at
    left join lateral (
      select reached_at from mirror_revisions where mirror_id = m.id and revision >= r.revision order by revision limit 1
    ) as first on true
    group by r.revision
    having bool_and(m.revision is null or r.revision > m.revision - 100)
  `.execute(queries(em));
  const [atSecondaries, atMirrors] = [reachBy(secondaries.rows), reachBy(mirrors.rows)];
  return new Map(
    revisions.map(({ revision }) => [
      revision,
      { secondaries: atSecondaries.get(revision) ?? null, mirrors: atMirrors.get(revision) ?? null },
    ]),
  );
}

function reachBy(rows: readonly Row[]): Map<number, Reach> {
  return new Map(
    rows.map(({ revision, places, reached, seconds }) => [
      revision,
      {
        places: Number(places),
        inSync: Number(reached),
        // Clocks of instances may differ.
        seconds: seconds === null ? null : Math.max(0, Math.round(Number(seconds) * 10) / 10),
      },
    ]),
  );
}
