import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { bindBackend, type Backend } from "../services/failure/backends.ts";
import { freePorts } from "../support/programs.ts";
import { createDatabase, startPostgres, type PostgresServer } from "../support/servers/postgres.ts";
import { startRedis, type RedisServer } from "../support/servers/redis.ts";
import { startService, type ServiceProcess } from "../support/service-process.ts";

/** What a load works on: instances that share everything, and a name server. */
export interface Instances {
  /** Where clients call. */
  readonly urls: readonly string[];
  /** Where each instance is, past any proxy. */
  readonly instanceUrls: readonly string[];
  readonly dnsPorts: readonly number[];
  readonly instances: readonly ServiceProcess[];
  readonly backend: Backend;
  readonly zonesFolder: string;
  /** Returns what helps to find out why something was lost. */
  describe?(): Promise<string>;
  /** Returns more lines for the report of a run that has ended. */
  report?(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  /** All instances are gone: nobody works until it has ended. */
  readonly isCrash?: boolean;
  /** Minimum and maximum duration. Default: 5 to 20, and at least two steps of each worker. */
  readonly seconds?: readonly [least: number, most: number];
  begin(): Promise<void>;
  end(): Promise<void>;
}

export const bindZone = "soak-bind.example";
export const fileZone = "soak-file.example";
export const ownZone = "soak-own.example";
export const jobs = ["changes.repair", "mirrors.reconcile", "drift.check"];

/** Two instances on one PostgreSQL and one Redis, with BIND behind them, all on loopback. */
export class Installation implements Instances {
  readonly #dataDir: string;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly backend: Backend;
  readonly databaseUrl: string;
  readonly ports: readonly number[];
  readonly dnsPorts: readonly number[];
  readonly instances: ServiceProcess[] = [];

  private constructor(
    parts: Pick<Installation, "postgres" | "redis" | "backend" | "databaseUrl">,
    dataDir: string,
    ports: readonly number[],
  ) {
    this.#dataDir = dataDir;
    this.postgres = parts.postgres;
    this.redis = parts.redis;
    this.backend = parts.backend;
    this.databaseUrl = parts.databaseUrl;
    this.ports = ports.slice(0, 2);
    this.dnsPorts = ports.slice(2);
  }

  static async start(): Promise<Installation> {
    const [dataDir, postgres, redis, backend, ports] = await Promise.all([
      mkdtemp(join(tmpdir(), "zonewright-soak-")),
      startPostgres({ unsynced: true }),
      startRedis(),
      bindBackend([bindZone, ownZone]),
      freePorts(4),
    ]);
    const databaseUrl = await createDatabase(postgres.url, "zonewright_soak");
    const installation = new Installation({ postgres, redis, backend, databaseUrl }, dataDir, ports);
    await installation.startInstance(0);
    await installation.startInstance(1);
    return installation;
  }

  get urls(): string[] {
    return this.ports.map((port) => `http://127.0.0.1:${port}`);
  }

  get instanceUrls(): string[] {
    return this.urls;
  }

  get zonesFolder(): string {
    return join(this.#dataDir, "zones");
  }

  async startInstance(index: number): Promise<void> {
    this.instances[index] = await startService(
      {
        DATA_DIR: this.#dataDir,
        DATABASE_URL: this.databaseUrl,
        REDIS_URL: this.redis.url,
        PORT: String(this.ports[index]),
        DNS_LISTEN: `127.0.0.1:${this.dnsPorts[index]}`,
        EGRESS_ALLOW: "127.0.0.1",
      },
      jobs,
    );
  }

  async kill(index: number): Promise<void> {
    await this.instances[index]?.stop("SIGKILL");
  }

  moveClock(index: number): void {
    const { pid } = this.instances[index] ?? {};
    if (pid !== undefined) process.kill(pid, "SIGHUP");
  }

  /** Runs statements as the database's superuser. */
  async onDatabase(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl });
    try {
      await client.connect();
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop("SIGKILL")));
    await Promise.all([this.backend.stop(), this.redis.stop(), this.postgres.stop()]);
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

/** In rotation. The first instance dies only with the whole installation, so that its memory can be watched. */
export function faultsOf(it: Installation): Fault[] {
  const full = "begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end";
  const killBoth = async () => void (await Promise.all([it.kill(0), it.kill(1)]));
  const startBoth = async () => void (await Promise.all([it.startInstance(0), it.startInstance(1)]));
  const away = `${it.zonesFolder}.away`;
  return [
    { name: "kill -9 of an instance", begin: () => it.kill(1), end: () => it.startInstance(1) },
    { name: "PostgreSQL crashed", begin: () => it.postgres.crash(), end: () => it.postgres.restart() },
    { name: "Redis killed", begin: () => it.redis.kill(), end: () => it.redis.restart() },
    { name: "kill -9 of both instances", isCrash: true, begin: killBoth, end: startBoth },
    {
      name: "the name server refuses connections",
      begin: () => it.backend.proxy.refuse(),
      // After several failures in a row, a server is left alone for half a minute. Clocks that jump ahead end it.
      async end() {
        await it.backend.proxy.accept();
        it.moveClock(0);
        it.moveClock(1);
      },
    },
    {
      name: "the folder of zone files cannot be written",
      async begin() {
        await rename(it.zonesFolder, away);
        await writeFile(it.zonesFolder, "");
      },
      async end() {
        await rm(it.zonesFolder);
        await rename(away, it.zonesFolder);
      },
    },
    {
      name: "the database's disk is full",
      begin: () =>
        it.onDatabase(
          `create function full_disk() returns trigger language plpgsql as $$ ${full} $$`,
          ...["domains", "installation"].map(
            (table) => `create trigger full_disk before insert or update on ${table} execute function full_disk()`,
          ),
        ),
      end: () => it.onDatabase("drop function full_disk cascade"),
    },
    {
      name: "the clocks jump back, and are four minutes apart for a while",
      begin: () => Promise.resolve(it.moveClock(1)),
      end: () => Promise.resolve(it.moveClock(0)),
    },
  ];
}
