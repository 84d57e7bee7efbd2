import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../access/caller.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import type { ConnectedConfig, ProviderConfigs } from "../dns-providers/provider-configs.ts";
import { badField, notFound, type AppError } from "../platform/errors.ts";
import { faultToAppError } from "../platform/faults.ts";
import type { Logger } from "../platform/log.ts";
import { parseZoneName } from "../dns/names/names.ts";
import {
  beginImport,
  beginZone,
  endAllImports,
  endImport,
  endZone,
  importProgress,
  renewImport,
  type ImportOutcome,
} from "./import-progress.ts";
import type { Domains } from "./service.ts";

/** Zones at once in the background. A large zone takes some memory while it is read. */
const atOnce = 4;
const renewMilliseconds = 10_000;
const stopMilliseconds = 5_000;

/** Tells the log of a zone that failed. */
type Report = (error: AppError, fields: { zone: string }) => void;

interface Work {
  importId: string;
  names: readonly string[];
  bring: (name: string) => Promise<ImportOutcome>;
}

/** Brings zones that a provider serves under management: named ones while the caller waits, all of them in the background. */
export class ZoneImports {
  readonly #database: Database;
  readonly #providerConfigs: ProviderConfigs;
  readonly #domains: Domains;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(parts: {
    database: Database;
    providerConfigs: ProviderConfigs;
    domains: Domains;
    log: Logger;
    now: () => Date;
  }) {
    this.#database = parts.database;
    this.#providerConfigs = parts.providerConfigs;
    this.#domains = parts.domains;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /** An embedded database is ours alone, so an import that runs in it is one of a process which is gone. */
  async prepare(): Promise<void> {
    if (this.#database.embedded) await endAllImports(this.#database.fork(), this.#now());
  }

  /** Begins no further zone in the background; waits a moment for those under way. What is cut short then is not stored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.race([Promise.all(this.#running), sleep(stopMilliseconds, undefined, { ref: false })]);
  }

  /**
   * Imports the named zones, each on its own, and answers with what became of them; or begins with all that are not managed yet.
   * @param report told of every zone that failed.
   * @throws AppError NOT_FOUND, BAD_REQUEST, CONFLICT while another import of the configuration is under way,
   * PROVIDER_ERROR when the provider does not say which zones it has.
   */
  async run(
    em: EntityManager,
    caller: Caller,
    { id, zones, all }: { id: string; zones?: string[] | undefined; all?: true | undefined },
    report: Report,
  ) {
    if (zones && all) throw badField(["all"], "Name the zones to import or say all: true, not both.");
    if (!zones && !all) throw badField(["zones"], "Name the zones to import, or say all: true.");
    const config = await this.#providerConfigs.connected(em, id, all ? "import" : "person");
    if (!config.provider) throw badField(["id"], `${config.kind.name} has no zones to import.`);
    const served = (await this.#providerConfigs.zones(em, id)).zones;
    const there = new Set(served.map(({ name }) => name));
    const names = zones ?? served.flatMap(({ name, managed }) => (managed ? [] : [name]));
    const importId = await beginImport(em, id, names, this.#now());
    const bring = (name: string) => this.#bring(caller, name, config, there, report);
    if (!zones) {
      this.#inBackground({ importId, names, bring });
      return { results: [], progress: await this.progress(em.fork(), id) };
    }
    const outcomes = await this.#work({ importId, names, bring }, 1, () => true);
    return { results: outcomes.map((outcome, index) => shown(names[index] ?? "", outcome)), progress: null };
  }

  /** How far the import under way is, or what became of the last one. @throws AppError NOT_FOUND */
  progress(em: EntityManager, configId: string) {
    return importProgress(em, configId, this.#now());
  }

  #inBackground(work: Work): void {
    const running = this.#work(work, atOnce, () => !this.#stopped).then(
      () => undefined,
      (error: unknown) => this.#log.error({ err: error, importId: work.importId }, "an import broke off"),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** @param goOn asked before each zone. @returns what became of each zone that had its turn, in order */
  async #work({ importId, names, bring }: Work, workers: number, goOn: () => boolean): Promise<ImportOutcome[]> {
    const fork = () => this.#database.fork();
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
      await endImport(fork(), importId, this.#now());
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
      const zone = parseZoneName(name);
      if (zone.ok && !there.has(zone.value)) throw notFound("zone at this provider");
      const { id, records } = await this.#domains.add(this.#database.fork(), caller, { name }, config, "domain.import");
      return { success: true, domainId: id, records };
    } catch (error) {
      const failure = faultToAppError(error);
      const managed = failure.code === "CONFLICT" ? await this.#managed(name) : null;
      if (managed?.configId === config.id) return { success: true, domainId: managed.id, records: managed.records };
      report(failure, { zone: name });
      return { success: false, domainId: managed?.id ?? null, error: failure.message };
    }
  }

  /** The domain of a zone that is managed already. */
  async #managed(name: string): Promise<{ id: string; configId: string; records: number } | null> {
    const zone = parseZoneName(name);
    if (!zone.ok) return null;
    const row = await queries(this.#database.fork())
      .selectFrom("domains")
      .select(["id", "provider_config_id", "record_count"])
      .where("name", "=", zone.value)
      .executeTakeFirst();
    return row ? { id: row.id, configId: row.provider_config_id, records: row.record_count } : null;
  }
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
