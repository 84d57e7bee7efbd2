import type { z } from "zod";
import type { listAuditInput } from "./schemas.ts";
import { sql, type ExpressionBuilder } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { sliceOf, type Paging, type Slice } from "../../database/query-helpers.ts";
import type { Tables } from "../../database/tables/all.ts";
import { csvRow } from "../../platform/csv.ts";
import { badField } from "../../platform/errors.ts";
import { inTurns, takeTurns } from "../../platform/slices.ts";
import type { AuditAction } from "./actions.ts";

/** Which entries to read. */
export type AuditFilter = Omit<z.infer<typeof listAuditInput>, "page" | "limit" | "count">;

/** A filter with the ids of the users who have the name. */
type ResolvedFilter = Omit<AuditFilter, "actorName"> & { actorIds?: readonly string[] };

/** The domain that an entry is about. `audit_entries_domain_idx` is over exactly this. */
const domainOf = sql<string | null>`(case target_type when 'domain' then target_id::text
  else coalesce(after ->> 'domainId', before ->> 'domainId') end)`;

type Row = Awaited<ReturnType<ReturnType<typeof rowsOf>["execute"]>>[number];

/** Skips entries by their ids, which the index of each filter has, and reads only those that it returns. */
function rowsOf(em: EntityManager, filter: ResolvedFilter, { size, offset, fromEnd }: Slice) {
  const direction = fromEnd ? "asc" : "desc";
  const page = queries(em)
    .selectFrom("audit_entries")
    .select("id")
    .where((eb) => matches(eb, filter))
    .orderBy("at", direction)
    .orderBy("id", direction)
    .limit(size)
    .offset(offset);
  return queries(em)
    .selectFrom(page.as("page"))
    .innerJoin("audit_entries", "audit_entries.id", "page.id")
    .selectAll("audit_entries")
    .select(domainOf.as("domain_id"))
    .orderBy("at", direction)
    .orderBy("audit_entries.id", direction);
}

function matches(eb: ExpressionBuilder<Tables, "audit_entries">, filter: ResolvedFilter) {
  const { actorId, actorIds, action, targetType, targetId, domainId, from, to, before } = filter;
  return eb.and([
    ...(actorId === undefined ? [] : [eb("actor_id", "=", actorId)]),
    ...(actorIds === undefined ? [] : [sql<boolean>`actor_id = any(${[...actorIds]}::uuid[])`]),
    ...(action === undefined ? [] : [eb("action", "=", action)]),
    ...(targetType === undefined ? [] : [eb("target_type", "=", targetType)]),
    ...(targetId === undefined ? [] : [eb("target_id", "=", targetId)]),
    ...(domainId === undefined ? [] : [sql<boolean>`${domainOf} = ${domainId}`]),
    ...(from === undefined ? [] : [eb("at", ">=", from)]),
    ...(to === undefined ? [] : [eb("at", "<", to)]),
    ...(before === undefined
      ? []
      : [sql<boolean>`(at, id) < ((select at from audit_entries where id = ${before}), ${before}::uuid)`]),
  ]);
}

/** Finds the users that a filter names: those of the name now, and those who had it when they were deleted. */
async function resolved(em: EntityManager, { actorName, ...filter }: AuditFilter): Promise<ResolvedFilter> {
  if (actorName === undefined) return filter;
  const { rows } = await sql<{ id: string }>`
    select id from users where lower(username) = lower(${actorName})
    union
    select target_id from audit_entries where action = 'user.delete' and lower(before ->> 'username') = lower(${actorName})
  `.execute(queries(em));
  return { ...filter, actorIds: rows.map(({ id }) => id) };
}

/**
 * Returns a page of the trail, newest first. Each filter has an index in this order, and `before` goes on from an entry at the same cost
 * everywhere. Without `count`, `total` is at most one more than what the pages up to this one have.
 *
 * @throws AppError BAD_REQUEST if no entry has the id `before`
 */
export async function listEntries(
  em: EntityManager,
  { page, limit, count, ...given }: AuditFilter & { page: number; limit: number; count?: "true" | "false" | undefined },
) {
  await requireEntry(em, given.before);
  const filter = await resolved(em, given);
  const { rows, total } =
    count !== "false" ? await counted(em, filter, { page, limit }) : await uncounted(em, filter, { page, limit });
  return { entries: await shown(em, rows), total, page, limit };
}

/** Returns a page, read from the nearer end, and the total count. */
async function counted(em: EntityManager, filter: ResolvedFilter, { page, limit }: Paging) {
  const count = await queries(em)
    .selectFrom("audit_entries")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where((eb) => matches(eb, filter))
    .executeTakeFirstOrThrow();
  const total = Number(count.total);
  const slice = sliceOf(total, (page - 1) * limit, limit);
  if (slice.size === 0) return { rows: [], total };
  const rows = await rowsOf(em, filter, slice).execute();
  return { rows: slice.fromEnd ? rows.toReversed() : rows, total };
}

/** Like `counted`, without counting more than whether there are more. */
async function uncounted(em: EntityManager, filter: ResolvedFilter, { page, limit }: Paging) {
  const skipped = (page - 1) * limit;
  const rows = await rowsOf(em, filter, { size: limit + 1, offset: skipped, fromEnd: false }).execute();
  return { rows: rows.slice(0, limit), total: rows.length === 0 ? 0 : skipped + rows.length };
}

/** An export ends after as many entries, or with the page that brings it over as many characters. */
const most = { entries: 10_000, characters: 8 * 1024 * 1024 };
/**
 * A page of an export ends after as many entries, or with the one that brings it over as many bytes as stored. Other calls get their turn after
 * each page: an entry has up to a hundred records before and after, and their JSON is parsed in one go.
 */
const atOnce = { entries: 250, bytes: 32 * 1024 };

/** Reads a page of an export. PostgreSQL knows the stored sizes without reading the values. */
async function pageOf(em: EntityManager, filter: ResolvedFilter, limit: number) {
  const candidates = queries(em)
    .selectFrom("audit_entries")
    .selectAll()
    .where((eb) => matches(eb, filter))
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  const measured = queries(em)
    .selectFrom(candidates.as("audit_entries"))
    .selectAll()
    .select(
      sql<string | null>`sum(coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0))
        over (order by at desc, id desc rows between unbounded preceding and 1 preceding)`.as("bytes_before_it"),
    );
  return await queries(em)
    .selectFrom(measured.as("audit_entries"))
    .selectAll()
    .select(domainOf.as("domain_id"))
    .where(sql<boolean>`coalesce(bytes_before_it, 0) < ${atOnce.bytes}`)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/**
 * Returns entries as text, newest first, as many as one answer holds.
 *
 * @returns the text in pieces, and the entry to go on from; null after the last
 * @throws AppError BAD_REQUEST if no entry has the id `before`
 */
export async function exportEntries(
  em: EntityManager,
  { format, ...given }: AuditFilter & { format: "csv" | "jsonl" },
): Promise<{ pieces: string[]; next: string | null }> {
  await requireEntry(em, given.before);
  const filter = await resolved(em, given);
  const pieces = format === "csv" && filter.before === undefined ? [csvRow(columns)] : [];
  let before = filter.before;
  let [entries, characters] = [0, 0];
  for (;;) {
    const rows = await pageOf(em, { ...filter, before }, Math.min(atOnce.entries, most.entries - entries));
    if (rows.length === 0) return { pieces, next: null };
    const lines: string[] = [];
    for await (const entry of inTurns(await shown(em, rows)))
      lines.push(format === "csv" ? csvRow(cellsOf(entry)) : `${JSON.stringify(entry)}\n`);
    const piece = lines.join("");
    pieces.push(piece);
    before = rows.at(-1)?.id;
    entries += rows.length;
    characters += piece.length;
    if (entries >= most.entries || characters >= most.characters) return { pieces, next: before ?? null };
    await takeTurns();
  }
}

async function requireEntry(em: EntityManager, before: string | undefined): Promise<void> {
  if (before === undefined) return;
  const found = await queries(em).selectFrom("audit_entries").select("id").where("id", "=", before).executeTakeFirst();
  if (!found) throw badField(["before"], "This must be the id of an entry of the trail.");
}

type Entry = Awaited<ReturnType<typeof shown>>[number];

/** Returns entries as the API shows them, with the names of what they are about. */
async function shown(em: EntityManager, rows: readonly Row[]) {
  const names = await namesOf(
    em,
    rows.flatMap((row) => [
      ...(row.actor_id === null ? [] : [{ type: "user", id: row.actor_id }]),
      ...(row.domain_id === null ? [] : [{ type: "domain", id: row.domain_id }]),
      ...(row.target_id === null ? [] : [{ type: row.target_type, id: row.target_id }]),
    ]),
  );
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return rows.map((row) => {
    const [before, after] = [row.before as State, row.after as State];
    return {
      id: row.id,
      at: row.at,
      actorId: row.actor_id,
      actorName: nameOf(row.actor_id),
      tokenId: row.token_id,
      tsigKey: row.tsig_key,
      action: row.action as AuditAction,
      targetType: row.target_type,
      targetId: row.target_id,
      targetName: nameOf(row.target_id) ?? nameIn(after) ?? nameIn(before),
      domainId: row.domain_id,
      domainName: nameOf(row.domain_id),
      ip: row.ip,
      requestId: row.request_id,
      before,
      after,
    };
  });
}

type State = Record<string, unknown> | null;

/** Where an entry has the name of its target, for targets that are gone. */
const nameFields = ["name", "username", "keyName", "title", "serviceId", "domainName"];

function nameIn(state: State): string | null {
  const name = nameFields.map((field) => state?.[field]).find((value) => typeof value === "string");
  return typeof name === "string" ? name : null;
}

const column = <Table extends keyof Tables>(table: Table, name: keyof Tables[Table] & string) => ({ table, name });

/** The columns that have the names of targets. */
const named: Readonly<Record<string, { table: string; name: string }>> = {
  change_request: column("change_requests", "title"),
  channel: column("notification_channels", "name"),
  domain: column("domains", "name"),
  feed: column("calendar_feeds", "name"),
  identity_config: column("identity_configs", "provider_id"),
  provider_config: column("provider_configs", "name"),
  registrar_config: column("registrar_configs", "name"),
  snapshot: column("snapshots", "name"),
  template: column("templates", "service_name"),
  token: column("personal_tokens", "name"),
  tsig_key: column("tsig_keys", "key_name"),
  user: column("users", "username"),
};

/** A deletion has at most as many entries of its target after it. To look further would read all of what had no deletion. */
const afterDeletion = 10;

/** Returns the names of things by their ids: as they are now, or for deleted things, from the entry of the deletion. */
async function namesOf(em: EntityManager, things: readonly { type: string; id: string }[]) {
  const names = new Map<string, string>();
  const store = ({ id, name }: { id: string; name: string | null }) => name !== null && names.set(id, name);
  const live = Object.entries(named).flatMap(([type, { table, name }]) => {
    const ids = new Set(things.flatMap((thing) => (thing.type === type ? [thing.id] : [])));
    if (ids.size === 0) return [];
    return [sql`select id, ${sql.ref(name)} as name from ${sql.table(table)} where id = any(${[...ids]}::uuid[])`];
  });
  if (live.length === 0) return names;
  const found = await sql<{ id: string; name: string | null }>`${sql.join(live, sql` union all `)}`.execute(
    queries(em),
  );
  found.rows.forEach(store);
  const gone = new Map(
    things.flatMap(({ type, id }) => (type in named && !names.has(id) ? [[id, type] as const] : [])),
  );
  if (gone.size === 0) return names;
  const { rows } = await sql<{ id: string; name: string | null }>`
    select gone.id, told.name
    from unnest(${[...gone.keys()]}::uuid[], ${[...gone.values()]}::text[]) as gone (id, type)
    cross join lateral (
      select coalesce(${sql.join(
        nameFields.map((field) => sql`before ->> ${field}`),
        sql`, `,
      )}) as name
      from (select * from audit_entries where target_id = gone.id order by at desc, id desc limit ${afterDeletion}) as last
      where action = gone.type || '.delete' limit 1
    ) as told`.execute(queries(em));
  rows.forEach(store);
  return names;
}

const columns = [
  "id",
  "at",
  "actor",
  "actorId",
  "tokenId",
  "tsigKey",
  "action",
  "target",
  "targetType",
  "targetId",
  "domain",
  "domainId",
  "ip",
  "requestId",
  "before",
  "after",
];

function cellsOf(entry: Entry): string[] {
  const { before, after } = entry;
  return [
    entry.id,
    entry.at.toISOString(),
    entry.actorName,
    entry.actorId,
    entry.tokenId,
    entry.tsigKey,
    entry.action,
    entry.targetName,
    entry.targetType,
    entry.targetId,
    entry.domainName,
    entry.domainId,
    entry.ip,
    entry.requestId,
    before === null ? null : JSON.stringify(before),
    after === null ? null : JSON.stringify(after),
  ].map((value) => value ?? "");
}
