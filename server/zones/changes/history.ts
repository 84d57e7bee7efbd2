import type { z } from "zod";
import type { historyInput } from "./schemas.ts";
import { sql, type SqlBool } from "kysely";
import { zoneFor } from "../../access/zone-access.ts";
import { type Caller, ZoneScope } from "../../access/caller.ts";
import { arrayLiteral, jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { onePage } from "../../database/query-helpers.ts";
import type { Failure } from "./settle.ts";
import { parseOwner } from "../../dns/names/names.ts";
import { asWritten, type StatedData } from "../../dns/record.ts";
import { badField } from "../../platform/errors.ts";

const shownChanges = 100;

export interface HistoryChange {
  action: "create" | "update" | "delete";
  recordId: string;
  before: StatedData | null;
  after: StatedData | null;
}

type ZoneHistoryInput = z.infer<typeof historyInput>;

/**
 * Returns a page of a zone's change sets, newest first: who, when, what, and what the provider said. For callers who see some records only, it
 * reports what happened to those, as if there were no others. @throws AppError NOT_FOUND, BAD_REQUEST for a name that no record can have
 */
export async function zoneHistory(em: EntityManager, caller: Caller, input: ZoneHistoryInput) {
  const zone = await zoneFor(em, caller, input.id, "read");
  const { sees } = zone.rights;
  const { revision, name, actorName, from: since, to } = input;
  const sought = name === undefined ? sees : sees.within(atName(name, zone.name));
  const matching = queries(em)
    .selectFrom("change_sets")
    .innerJoin("domains", "domains.id", "change_sets.domain_id")
    .leftJoin("users", "users.id", "change_sets.actor_id")
    .select([
      "change_sets.id",
      "change_sets.kind",
      "change_sets.message",
      "change_sets.state",
      "change_sets.actor_id",
      "change_sets.tsig_key",
      "change_sets.caused_by",
      "users.username",
      "change_sets.revision",
      "domains.history_from",
      "change_sets.creates",
      "change_sets.updates",
      "change_sets.deletes",
      "change_sets.failures",
      "change_sets.unknown",
      "change_sets.reverts_id",
      "change_sets.change_request_id",
      "change_sets.repaired",
      "change_sets.created_at",
      "change_sets.finished_at",
    ])
    .where("change_sets.domain_id", "=", zone.id)
    .$if(revision !== undefined, (query) => query.where("change_sets.revision", "=", revision ?? null))
    .$if(actorName !== undefined, (query) =>
      query.where(sql<SqlBool>`lower(${actorName}) in (lower(users.username), lower(change_sets.tsig_key))`),
    )
    .$if(since !== undefined, (query) => query.where("change_sets.created_at", ">=", since ?? null))
    .$if(to !== undefined, (query) => query.where("change_sets.created_at", "<", to ?? null))
    .$if(!sought.isAll, (query) => query.where(touches(zone.id, sought)))
    .orderBy("change_sets.id", "desc");
  const { rows: sets, total } = await onePage(matching, input);
  // Versions of older revisions may be deleted in part; what is left would be misleading.
  const revisions = sets.flatMap(({ revision, history_from: from }) =>
    revision === null || revision <= from ? [] : [revision],
  );
  const changes = await changesOf(em, zone.id, revisions, sees);
  const propagation = await propagationOf(em, zone.id, revisionsOf(sets));
  const counts = sees.isAll ? null : await countsOf(em, zone.id, revisions, sees);
  const entries = sets.map((set) => {
    const { creates, updates, deletes } = counts === null ? set : (counts.get(set.revision ?? 0) ?? nothing);
    const { secondaries = null, mirrors = null } = propagation.get(set.revision ?? 0) ?? {};
    const failures = ((set.failures ?? []) as Failure[]).filter((failure) => sees.includes(failure));
    return {
      id: set.id,
      kind: set.kind,
      message: set.message,
      state: set.state,
      actorId: set.actor_id,
      actor: set.username,
      tsigKey: set.tsig_key,
      causedBy: set.caused_by,
      revision: set.revision,
      creates,
      updates,
      deletes,
      changes: set.revision === null ? [] : (changes.get(set.revision) ?? []),
      failures: failures.slice(0, shownChanges).map(asWritten),
      // Changes with unknown outcome are among the failures.
      unknown: sees.isAll ? (set.unknown ?? 0) : Math.min(set.unknown ?? 0, failures.length),
      revertsId: set.reverts_id,
      changeRequestId: set.change_request_id,
      repaired: set.repaired,
      createdAt: set.created_at,
      finishedAt: set.finished_at,
      propagation: secondaries && {
        secondaries: secondaries.places,
        inSync: secondaries.inSync,
        seconds: secondaries.seconds,
      },
      mirrors: mirrors && { mirrors: mirrors.places, inSync: mirrors.inSync, seconds: mirrors.seconds },
    };
  });
  return { entries, total, page: input.page, limit: input.limit };
}

function atName(given: string, zone: string): ZoneScope {
  const owner = parseOwner(given, zone);
  if (!owner.ok) throw badField(["name"], owner.message);
  return new ZoneScope([{ pattern: owner.value, recordTypes: [] }]);
}

function revisionsOf(sets: readonly { revision: number | null; finished_at: Date | null }[]) {
  return sets.flatMap(({ revision, finished_at }) => (revision === null ? [] : [{ revision, finished_at }]));
}

/** The newest change that a domain's history shows. */
export interface LastChange {
  revision: number;
  at: Date | null;
  actorId: string | null;
  actor: string | null;
  tsigKey: string | null;
}

/** Returns the newest change of each domain's records, by domain, in one statement. Domains without a stored change have none. */
export async function lastChangesOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, LastChange>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<LastChange & { id: string }>`
    select d.id, c.revision, c.finished_at as at, c.actor_id as "actorId", u.username as actor, c.tsig_key as "tsigKey"
    from unnest(${arrayLiteral(ids)}::uuid[]) as d (id)
    cross join lateral (
      select revision, finished_at, actor_id, tsig_key from change_sets
      where domain_id = d.id and revision is not null order by revision desc limit 1
    ) as c
    left join users u on u.id = c.actor_id
  `.execute(queries(em));
  return new Map(rows.map(({ id, ...change }) => [id, change]));
}

interface ChangeRow {
  revision: number;
  record_id: string;
  before: StatedData | null;
  after: StatedData | null;
}

function data(alias: "o" | "e" | "n") {
  return sql.raw(
    `json_build_object('recordType', ${alias}.record_type, 'name', coalesce(${alias}.written_name, ${alias}.name), 'value', coalesce(${alias}.written_value, ${alias}.value), 'strings', nullif(${alias}.strings, '')::json, 'ttl', ${alias}.ttl, ` +
      `'priority', ${alias}.priority, 'proxied', ${alias}.proxied, 'status', ${alias}.status)`,
  );
}

interface Counts {
  creates: number;
  updates: number;
  deletes: number;
}

const nothing: Counts = { creates: 0, updates: 0, deletes: 0 };

/** Returns the condition for change sets that changed these records or failed to. Pending ones count once they are settled. */
function touches(domainId: string, scope: ZoneScope) {
  const versions = (edge: "since" | "until") =>
    sql`select ${sql.ref(edge)} from records where domain_id = ${domainId} and ${scope.condition()}`;
  return sql<SqlBool>`(
    change_sets.revision > domains.history_from
      and change_sets.revision in (${versions("since")} union ${versions("until")})
    or exists (
      select 1 from jsonb_array_elements(change_sets.failures) as failure
      where change_sets.state <> 'pending' and ${scope.condition({ name: sql`failure ->> 'name'`, recordType: sql`failure ->> 'recordType'` })}
    )
  )`;
}

/** Counts what each revision did to some records. A record renamed away from them counts as deleted, one renamed to them as created. */
async function countsOf(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
  scope: ZoneScope,
): Promise<Map<number, Counts>> {
  const versions = (edge: "since" | "until") => sql`
    select r.revision, record_id from ${jsonRows(revisions.map((revision) => ({ revision })))} as r (revision int)
    join records on domain_id = ${domainId} and ${sql.ref(edge)} = r.revision and ${scope.condition()}`;
  const { rows } = await sql<{ revision: number; creates: string; updates: string; deletes: string }>`
    select revision,
      count(*) filter (where ended.record_id is null) as creates,
      count(*) filter (where begun.record_id is not null and ended.record_id is not null) as updates,
      count(*) filter (where begun.record_id is null) as deletes
    from (${versions("since")}) as begun full join (${versions("until")}) as ended using (revision, record_id)
    group by revision
  `.execute(queries(em));
  return new Map(
    rows.map(({ revision, creates, updates, deletes }) => [
      revision,
      { creates: Number(creates), updates: Number(updates), deletes: Number(deletes) },
    ]),
  );
}

/** Returns up to 100 changes of a revision, whoever may see them. @param recordTypes only records of these types; none: of all */
export async function zoneChangesOf(
  em: EntityManager,
  domainId: string,
  revision: number,
  recordTypes: readonly string[],
): Promise<HistoryChange[]> {
  return (await changesOf(em, domainId, [revision], ofTypes(recordTypes))).get(revision) ?? [];
}

/** Returns how many records of some types a revision changed, whoever may see them. */
export async function zoneCountsOf(
  em: EntityManager,
  domainId: string,
  revision: number,
  recordTypes: readonly string[],
): Promise<Counts> {
  return (await countsOf(em, domainId, [revision], ofTypes(recordTypes))).get(revision) ?? nothing;
}

function ofTypes(recordTypes: readonly string[]): ZoneScope {
  return new ZoneScope([{ pattern: "*", recordTypes }]);
}

/** Returns up to 100 changes of some records for each revision, from the versions that began or ended with it. */
async function changesOf(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
  scope: ZoneScope,
): Promise<Map<number, HistoryChange[]>> {
  const among = (alias: "o" | "p" | "e" | "n") =>
    scope.condition({ name: sql.ref(`${alias}.name`), recordType: sql.ref(`${alias}.record_type`) });
  const { rows } = await sql<ChangeRow>`
    select r.revision, c.record_id, c.before, c.after
    from ${jsonRows(revisions.map((revision) => ({ revision })))} as r (revision int)
    cross join lateral (
      (select o.record_id, null::json as before, ${data("o")} as after
        from records o
        where o.domain_id = ${domainId} and o.since = r.revision
          and ${among("o")}
          and not exists (
            select 1 from records p where p.record_id = o.record_id and p.until = r.revision and ${among("p")}
          )
        limit ${shownChanges})
      union all
      (select e.record_id, ${data("e")} as before, case when n.record_id is null then null else ${data("n")} end as after
        from records e
        left join records n on n.record_id = e.record_id and n.since = r.revision and ${among("n")}
        where e.domain_id = ${domainId} and e.until = r.revision and ${among("e")}
        limit ${shownChanges})
    ) c
  `.execute(queries(em));
  const grouped = Map.groupBy(rows, ({ revision }) => revision);
  return new Map([...grouped].map(([revision, list]) => [revision, list.slice(0, shownChanges).map(historyChange)]));
}

function historyChange({ record_id: recordId, ...sides }: ChangeRow): HistoryChange {
  const [before, after] = [sides.before && asWritten(sides.before), sides.after && asWritten(sides.after)];
  return { action: !before ? "create" : !after ? "delete" : "update", recordId, before, after };
}

/** How many places have a revision, and how long the last of these took, in seconds; null if none has it. */
interface Reach {
  places: number;
  inSync: number;
  seconds: number | null;
}

/** How far a revision went: to secondaries, and to mirrors; null: there are none, or it is no longer stored. */
interface Propagation {
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
async function propagationOf(
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
