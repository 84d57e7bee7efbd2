import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../../access/caller.ts";
import { queries, type Database, type EntityManager, jsonRows } from "../../database/database.ts";
import type { ConnectedConfig, ProviderConfigs } from "../../dns-providers/provider-configs.ts";
import { badField, notFound, AppError, faultToAppError } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { parseQualified } from "../../dns/names/names.ts";
import { providerZoneOf } from "../../dns-providers/provider.ts";
import type { Domains } from "./service.ts";
import { sql } from "kysely";
import { newId } from "../../platform/ids.ts";

/** Number of zones imported concurrently in the background. Reading a large zone takes memory. */
const atOnce = 4;
const renewMilliseconds = 10_000;
const stopMilliseconds = 5_000;

/** Logs a zone that failed. */
type Report = (error: AppError, fields: { zone: string }) => void;

interface Work {
  importId: string;
  names: readonly string[];
  bring: (name: string) => Promise<ImportOutcome>;
}

interface Parts {
  database: Database;
  providerConfigs: ProviderConfigs;
  domains: Domains;
  log: Logger;
  now: () => Date;
}

/** Imports zones that a provider serves: named ones while the caller waits, all of them in the background. */
export class ZoneImports {
  readonly #parts: Parts;
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ends interrupted imports. An embedded database has one process, so an unfinished import belongs to an earlier one. */
  async prepare(): Promise<void> {
    if (this.#parts.database.embedded) await endAllImports(this.#parts.database.fork(), this.#parts.now());
  }

  /** Stops background imports: starts no more zones and waits briefly for those in flight. Zones cut short are not stored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.race([Promise.all(this.#running), sleep(stopMilliseconds, undefined, { ref: false })]);
  }

  /**
   * Imports the named zones independently and returns their outcomes, or starts importing all unmanaged zones in the background.
   * @param report called for every zone that failed.
   * @throws AppError NOT_FOUND, BAD_REQUEST, CONFLICT while another import of the configuration is running,
   * PROVIDER_ERROR when the provider cannot list its zones.
   */
  async run(
    em: EntityManager,
    caller: Caller,
    { id, zones, all }: { id: string; zones?: string[] | undefined; all?: true | undefined },
    report: Report,
  ) {
    if (zones && all) throw badField(["all"], "Send `zones` or `all: true`, not both.");
    if (!zones && !all) throw badField(["zones"], "Send `zones`, or `all: true`.");
    const config = await this.#parts.providerConfigs.connected(em, id, all ? "import" : "person");
    if (!config.provider) throw badField(["id"], `${config.kind.name} has no zones to import.`);
    const served = (await this.#parts.providerConfigs.zones(em, id)).zones;
    const there = new Set(served.map(({ name }) => name));
    const names = zones ?? served.flatMap(({ name, managed }) => (managed ? [] : [name]));
    // As the provider names them, so that their domains are found if this process ends before it stores their outcomes.
    const items = names.map((name) => {
      const zone = parseQualified(name);
      return zone.ok ? zoneThere(config, zone.value) : name;
    });
    const importId = await beginImport(em, id, items, this.#parts.now());
    const bring = (name: string) => this.#bring(caller, name, config, there, report);
    if (!zones) {
      this.#inBackground({ importId, names, bring });
      return { results: [], progress: await this.progress(em.fork(), id) };
    }
    const outcomes = await this.#work({ importId, names, bring }, 1, () => true);
    return { results: outcomes.map((outcome, index) => shown(names[index] ?? "", outcome)), progress: null };
  }

  /** Returns the progress of the running import, or the outcome of the last one. @throws AppError NOT_FOUND */
  progress(em: EntityManager, configId: string) {
    return importProgress(em, configId, this.#parts.now());
  }

  #inBackground(work: Work): void {
    const running = this.#work(work, atOnce, () => !this.#stopped).then(
      () => undefined,
      (error: unknown) => this.#parts.log.error({ err: error, importId: work.importId }, "an import broke off"),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** @param goOn called before each zone; false stops the import. @returns the outcome of each processed zone, in order */
  async #work({ importId, names, bring }: Work, workers: number, goOn: () => boolean): Promise<ImportOutcome[]> {
    const fork = () => this.#parts.database.fork();
    const renewal = setInterval(() => void renewImport(fork(), importId).catch(() => undefined), renewMilliseconds);
    renewal.unref();
    const outcomes: ImportOutcome[] = [];
    const turns = names.entries();
    const worker = async () => {
      for (const [position, name] of turns) {
        if (!goOn()) return;
        await beginZone(fork(), importId, position);
        const outcome = (outcomes[position] = await bring(name));
        await endZone(fork(), importId, position, outcome);
      }
    };
    try {
      const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
      return outcomes;
    } finally {
      clearInterval(renewal);
      await endImport(fork(), importId, this.#parts.now());
    }
  }

  async #bring(
    caller: Caller,
    name: string,
    config: ConnectedConfig,
    there: ReadonlySet<string>,
    report: Report,
  ): Promise<ImportOutcome> {
    try {
      const zone = parseQualified(name);
      if (zone.ok && !there.has(zoneThere(config, zone.value))) throw notFound("zone at this provider");
      const { id, records } = await this.#parts.domains.add(
        this.#parts.database.fork(),
        caller,
        { name },
        config,
        "domain.import",
      );
      return { success: true, domainId: id, records };
    } catch (error) {
      const failure = faultToAppError(error);
      const managed = failure.code === "CONFLICT" ? await this.#managed(name) : null;
      if (managed?.configId === config.id) return { success: true, domainId: managed.id, records: managed.records };
      report(failure, { zone: name });
      return { success: false, domainId: managed?.id ?? null, error: failure.message };
    }
  }

  /** Returns the domain of a zone that is already managed, or null. */
  async #managed(name: string): Promise<{ id: string; configId: string; records: number } | null> {
    const zone = parseQualified(name);
    if (!zone.ok) return null;
    const row = await queries(this.#parts.database.fork())
      .selectFrom("domains")
      .select(["id", "provider_config_id", "record_count"])
      .where("name", "=", zone.value.name)
      .where("view", "=", zone.value.view ?? "")
      .executeTakeFirst();
    return row ? { id: row.id, configId: row.provider_config_id, records: row.record_count } : null;
  }
}

function zoneThere({ kind }: ConnectedConfig, { name, view }: { name: string; view: string | null }): string {
  return providerZoneOf(kind, { name, view: view ?? "" });
}

function shown(name: string, outcome: ImportOutcome) {
  const { success, domainId } = outcome;
  return {
    name,
    success,
    domainId,
    records: outcome.success ? outcome.records : 0,
    error: outcome.success ? null : outcome.error,
  };
}

type ImportOutcome =
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

async function renewImport(em: EntityManager, importId: string): Promise<void> {
  await queries(em)
    .updateTable("zone_imports")
    .set({ lease_until: leaseEnd() })
    .where("id", "=", importId)
    .where("finished_at", "is", null)
    .execute();
}

/** Ends an import. Zones not yet processed count as failed. */
async function endImport(em: EntityManager, importId: string, now: Date): Promise<void> {
  await endWhere(em, now, sql`id = ${importId}`);
}

/** Ends a configuration's import whose lease has expired because its process is gone. */
async function endAbandoned(em: EntityManager, configId: string, now: Date): Promise<void> {
  await endWhere(em, now, sql`provider_config_id = ${configId} and lease_until < now()`);
}

/** Ends all imports. Call only at startup, in a process with exclusive use of the database. */
async function endAllImports(em: EntityManager, now: Date): Promise<void> {
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
      left join domains d on i.state = 'running' and d.provider_zone = i.name
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
async function importProgress(em: EntityManager, configId: string, now: Date) {
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
  const results = await queries(em)
    .selectFrom("zone_import_items")
    .select(["name", "state", "domain_id as domainId", "records", "error"])
    .where("import_id", "=", row.id)
    .orderBy("position")
    .execute();
  return {
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    total: results.length,
    done: results.filter(({ state }) => state === "done" || state === "failed").length,
    results,
  };
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${leaseSeconds})`;
}
