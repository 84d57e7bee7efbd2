import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";

/** The outcome of importing a zone. */
export type ImportOutcome =
  | { success: true; domainId: string; records: number }
  | { success: false; domainId: string | null; error: string };

/** Long enough to survive a brief database outage. After a crash, the import shows as interrupted once the lease expires. */
const leaseSeconds = 30;
const brokenOff = "The service was stopped before this zone was done; import it again.";

/**
 * Starts an import for a configuration, replacing the last one.
 * @returns its id.
 * @throws AppError CONFLICT while another one is running.
 */
export async function beginImport(
  em: EntityManager,
  configId: string,
  names: readonly string[],
  now: Date,
): Promise<string> {
  await endAbandoned(em, configId, now);
  return await em.transactional(async (tx) => {
    const id = newId();
    const begun = await sql<{ id: string }>`
      insert into zone_imports (id, provider_config_id, started_at, lease_until)
      values (${id}::uuid, ${configId}::uuid, ${now}::timestamptz, ${leaseEnd()})
      on conflict do nothing returning id
    `.execute(queries(tx));
    if (begun.rows.length === 0) {
      throw new AppError(
        "CONFLICT",
        "An import from this configuration is already running. GET …/import shows its progress.",
      );
    }
    await queries(tx)
      .deleteFrom("zone_imports")
      .where("provider_config_id", "=", configId)
      .where("id", "<>", id)
      .execute();
    await sql`
      insert into zone_import_items (import_id, position, name, state)
      select ${id}::uuid, r.position, r.name, 'waiting'
      from ${jsonRows(names.map((name, position) => ({ name, position })))} as r (name text, position int)
    `.execute(queries(tx));
    return id;
  });
}

export async function beginZone(em: EntityManager, importId: string, position: number): Promise<void> {
  await queries(em)
    .updateTable("zone_import_items")
    .set({ state: "running" })
    .where("import_id", "=", importId)
    .where("position", "=", position)
    .execute();
}

export async function endZone(
  em: EntityManager,
  importId: string,
  position: number,
  outcome: ImportOutcome,
): Promise<void> {
  await queries(em)
    .updateTable("zone_import_items")
    .set(
      outcome.success
        ? { state: "done", domain_id: outcome.domainId, records: outcome.records }
        : { state: "failed", error: outcome.error },
    )
    .where("import_id", "=", importId)
    .where("position", "=", position)
    .execute();
}

export async function renewImport(em: EntityManager, importId: string): Promise<void> {
  await queries(em)
    .updateTable("zone_imports")
    .set({ lease_until: leaseEnd() })
    .where("id", "=", importId)
    .where("finished_at", "is", null)
    .execute();
}

/** Ends an import. Zones not yet processed count as failed. */
export async function endImport(em: EntityManager, importId: string, now: Date): Promise<void> {
  await endWhere(em, now, sql`id = ${importId}`);
}

/** Ends a configuration's import whose lease has expired because its process is gone. */
async function endAbandoned(em: EntityManager, configId: string, now: Date): Promise<void> {
  await endWhere(em, now, sql`provider_config_id = ${configId} and lease_until < now()`);
}

/** Ends all imports. Call only at startup, in a process with exclusive use of the database. */
export async function endAllImports(em: EntityManager, now: Date): Promise<void> {
  await endWhere(em, now, sql`true`);
}

/** Ends matching imports. A zone in progress counts as done if its domain exists: the process may have died right after storing it. */
async function endWhere(em: EntityManager, now: Date, which: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with ended as (
      update zone_imports set finished_at = ${now}::timestamptz, lease_until = null
      where finished_at is null and ${which} returning id, provider_config_id, started_at
    ), open as (
      select i.import_id, i.position, d.id as domain_id, d.record_count
      from ended join zone_import_items i on i.import_id = ended.id and i.state in ('waiting', 'running')
      left join domains d on i.state = 'running' and d.name = i.name
        and d.provider_config_id = ended.provider_config_id and d.created_at >= ended.started_at
    )
    update zone_import_items i
    set state = case when open.domain_id is null then 'failed' else 'done' end,
      domain_id = open.domain_id, records = open.record_count,
      error = case when open.domain_id is null then ${brokenOff} end
    from open where i.import_id = open.import_id and i.position = open.position
  `.execute(queries(em));
}

/** Returns the running import, or else the last one. @throws AppError NOT_FOUND for an unknown configuration */
export async function importProgress(em: EntityManager, configId: string, now: Date) {
  await endAbandoned(em, configId, now);
  const row = await queries(em)
    .selectFrom("provider_configs")
    .leftJoin("zone_imports", "zone_imports.provider_config_id", "provider_configs.id")
    .select(["zone_imports.id", "zone_imports.started_at", "zone_imports.finished_at"])
    .where("provider_configs.id", "=", configId)
    .orderBy("zone_imports.id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row) throw notFound("provider configuration");
  const items = await queries(em)
    .selectFrom("zone_import_items")
    .select(["name", "state", "domain_id", "records", "error"])
    .where("import_id", "=", row.id)
    .orderBy("position")
    .execute();
  return {
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    total: items.length,
    done: items.filter(({ state }) => state === "done" || state === "failed").length,
    results: items.map(({ name, state, domain_id, records, error }) => ({
      name,
      state,
      domainId: domain_id,
      records,
      error,
    })),
  };
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
}
