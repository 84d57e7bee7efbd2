import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PGliteORM, type PgliteConnection } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM, type Kysely, type Options, type SqlEntityManager } from "@mikro-orm/postgresql";
import { sql } from "kysely";
import { types as pgTypes } from "pg";
import { fromPglite, type ConstructorOptions } from "pg-boss";
import { AfterCommitSubscriber } from "./after-commit.ts";
import { entities, type Tables } from "./entities.ts";
import { PreparingClient } from "./prepared-statements.ts";
import { migrations } from "./migrations/list.ts";

export type EntityManager = SqlEntityManager;

export interface DatabaseOptions {
  /** Undefined: embedded. */
  databaseUrl: string | undefined;
  /** Folder of the embedded database, or the word `memory` for one that is gone when closed. */
  dataDir: string;
}

/** An open database. One instance per process. */
export interface Database {
  readonly embedded: boolean;
  /** How the job queue gets to this database: the embedded engine, or connections of its own to the server. */
  readonly jobStore: JobStore;
  /** A fresh unit of work. One per procedure or job, never shared between requests. */
  fork(): EntityManager;
  migrate(): Promise<void>;
  /** Runs `work` while no other instance runs such work on this database: what would otherwise be set up twice. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** True when the database answers and all migrations have run. */
  ready(): Promise<boolean>;
  close(): Promise<void>;
}

type JobStore = Pick<ConstructorOptions, "backend" | "db" | "connectionString" | "max" | "application_name">;

/** Set-based queries on the unit of work's connection, inside its transaction if there is one. */
export function queries(em: EntityManager): Kysely<Tables> {
  return em.getKysely<Tables>();
}

const timestampOid = 1184;
/** Any number that nothing else on the server takes an advisory lock on: "zone" in ASCII. */
const setUpLock = 0x7a_6f_6e_65;

/** PostgreSQL's text for a timestamptz; sessions run in UTC, where it ends in `+00`. */
function parseTimestamp(text: string): Date {
  if (text.length > 22 && text.endsWith("+00")) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

/** What both engines share; also what the MikroORM command line reads. */
export const ormOptions = {
  entities: [...entities],
  extensions: [Migrator],
  subscribers: [AfterCommitSubscriber],
  // Statements, which carry values, stay out of the log; failures are thrown and told once.
  logger: () => undefined,
  migrations: {
    migrationsList: migrations,
    snapshot: false,
    transactional: true,
  },
} satisfies Options;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const orm =
    options.databaseUrl === undefined ? await openEmbedded(options.dataDir) : await openPostgres(options.databaseUrl);
  orm.em.getPlatform().marshallArray = arrayLiteral;
  let migrated = false;
  return {
    embedded: options.databaseUrl === undefined,
    jobStore: jobStore(orm, options.databaseUrl),
    fork: () => orm.em.fork(),
    async migrate() {
      await orm.migrator.up();
      migrated = true;
    },
    async alone(work) {
      if (options.databaseUrl === undefined) return await work();
      return await orm.em.fork().transactional(async (tx) => {
        await sql`select pg_advisory_xact_lock(${setUpLock})`.execute(queries(tx));
        return await work();
      });
    },
    async ready() {
      return migrated && (await orm.isConnected());
    },
    close: () => orm.close(true),
  };
}

/** The queue waits for our transactions on the embedded engine: its one connection is lent to one of us at a time. */
function jobStore(orm: PostgresORM, databaseUrl: string | undefined): JobStore {
  if (databaseUrl !== undefined) {
    return { connectionString: databaseUrl, max: 3, application_name: "zonewright jobs" };
  }
  const connection = orm.em.getConnection() as unknown as PgliteConnection;
  const engine = async () => fromPglite(await connection.getNativeClient());
  return {
    backend: "pglite",
    db: {
      executeSql: async (text, values) => await (await engine()).executeSql(text, values),
      listen: async (channel, onNotification, onReconnect) => {
        const adapted = await engine();
        if (!adapted.listen) throw new Error("The embedded database does not notify.");
        return await adapted.listen(channel, onNotification, onReconnect);
      },
    },
  };
}

/**
 * PostgreSQL's array literal with quotes around each item (PostgreSQL documentation §8.15.6). MikroORM 7.2.1 leaves them
 * out where it sees no need, and so stores the text `null` as NULL and drops spaces at the ends.
 */
function arrayLiteral(items: readonly unknown[]): string {
  return `{${items.map((item) => `"${String(item).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

async function openPostgres(databaseUrl: string): Promise<PostgresORM> {
  const types = {
    getTypeParser(oid: number, format?: "text" | "binary") {
      return oid === timestampOid ? parseTimestamp : pgTypes.getTypeParser(oid, format);
    },
  };
  return await PostgresORM.init({
    ...ormOptions,
    clientUrl: databaseUrl,
    pool: { max: 10 },
    driverOptions: {
      Client: PreparingClient,
      types,
      connectionTimeoutMillis: 5_000,
      application_name: "zonewright",
      options: "-c timezone=UTC",
    },
  });
}

async function openEmbedded(dataDir: string): Promise<PostgresORM> {
  const memory = dataDir === "memory";
  if (!memory) mkdirSync(join(dataDir, "database"), { recursive: true, mode: 0o700 });
  const parsers = { [timestampOid]: parseTimestamp };
  const orm = await PGliteORM.init({
    ...ormOptions,
    dbName: memory ? "memory://" : "postgres",
    driverOptions: {
      ...(memory ? {} : { dataDir: join(dataDir, "database") }),
      extensions: { btree_gin, pg_trgm },
      parsers,
    },
  });
  return orm as unknown as PostgresORM;
}
