import { sql } from "kysely";
import { zoneFor } from "../assignments/access.ts";
import type { Caller } from "../auth/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Failure } from "./change-sets.ts";
import type { RecordData } from "../records/record.ts";

const shownChanges = 100;

export interface HistoryChange {
  action: "create" | "update" | "delete";
  recordId: string;
  before: RecordData | null;
  after: RecordData | null;
}

/** Changes to a zone, newest first: who, when, what, and what the provider said. */
export async function zoneHistory(
  em: EntityManager,
  caller: Caller,
  input: { id: string; page: number; limit: number },
) {
  const zone = await zoneFor(em, caller, input.id);
  const sets = await queries(em)
    .selectFrom("change_sets")
    .leftJoin("users", "users.id", "change_sets.actor_id")
    .select([
      "change_sets.id",
      "change_sets.kind",
      "change_sets.state",
      "change_sets.actor_id",
      "users.username",
      "change_sets.revision",
      "change_sets.creates",
      "change_sets.updates",
      "change_sets.deletes",
      "change_sets.failures",
      "change_sets.unknown",
      "change_sets.repaired",
      "change_sets.created_at",
      "change_sets.finished_at",
    ])
    .where("change_sets.domain_id", "=", zone.id)
    .orderBy("change_sets.id", "desc")
    .limit(input.limit)
    .offset((input.page - 1) * input.limit)
    .execute();
  const { total } = await queries(em)
    .selectFrom("change_sets")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("domain_id", "=", zone.id)
    .executeTakeFirstOrThrow();
  const changes = await changesOf(
    em,
    zone.id,
    sets.flatMap(({ revision }) => (revision === null ? [] : [revision])),
  );
  const entries = sets.map((set) => ({
    id: set.id,
    kind: set.kind,
    state: set.state,
    actorId: set.actor_id,
    actor: set.username,
    revision: set.revision,
    creates: set.creates,
    updates: set.updates,
    deletes: set.deletes,
    changes: set.revision === null ? [] : (changes.get(set.revision) ?? []),
    failures: ((set.failures ?? []) as Failure[]).slice(0, shownChanges),
    unknown: set.unknown ?? 0,
    repaired: set.repaired,
    createdAt: set.created_at,
    finishedAt: set.finished_at,
  }));
  return { entries, total: Number(total), page: input.page, limit: input.limit };
}

interface ChangeRow {
  revision: number;
  record_id: string;
  before: RecordData | null;
  after: RecordData | null;
}

function data(alias: "o" | "e" | "n") {
  return sql.raw(
    `json_build_object('recordType', ${alias}.record_type, 'name', ${alias}.name, 'value', ${alias}.value, 'ttl', ${alias}.ttl, ` +
      `'priority', ${alias}.priority, 'proxied', ${alias}.proxied)`,
  );
}

/** What each revision changed, from the versions that began or ended with it: at most 100 a revision. */
async function changesOf(
  em: EntityManager,
  domainId: string,
  revisions: readonly number[],
): Promise<Map<number, HistoryChange[]>> {
  const { rows } = await sql<ChangeRow>`
    select r.revision, c.record_id, c.before, c.after
    from json_to_recordset(${JSON.stringify(revisions.map((revision) => ({ revision })))}::json) as r (revision int)
    cross join lateral (
      (select o.record_id, null::json as before, ${data("o")} as after
        from records o
        where o.domain_id = ${domainId} and o.since = r.revision
          and not exists (select 1 from records p where p.record_id = o.record_id and p.until = r.revision)
        limit ${shownChanges})
      union all
      (select e.record_id, ${data("e")} as before, case when n.record_id is null then null else ${data("n")} end as after
        from records e
        left join records n on n.record_id = e.record_id and n.since = r.revision
        where e.domain_id = ${domainId} and e.until = r.revision
        limit ${shownChanges})
    ) c
  `.execute(queries(em));
  const grouped = Map.groupBy(rows, ({ revision }) => revision);
  return new Map([...grouped].map(([revision, list]) => [revision, list.slice(0, shownChanges).map(historyChange)]));
}

function historyChange({ record_id: recordId, before, after }: ChangeRow): HistoryChange {
  return { action: !before ? "create" : !after ? "delete" : "update", recordId, before, after };
}
