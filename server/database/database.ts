import { join } from "node:path";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PGliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM, type Kysely, type Options, type SqlEntityManager } from "@mikro-orm/postgresql";
import { types as pgTypes } from "pg";
import { entities, type Tables } from "./entities.ts";
import { Foundation } from "./migrations/0001-foundation.ts";

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
  /** A fresh unit of work. One per procedure or job, never shared between requests. */
  fork(): EntityManager;
  migrate(): Promise<void>;
  /** True when the database answers and all migrations have run. */
  ready(): Promise<boolean>;
  close(): Promise<void>;
}

/** Set-based queries on the unit of work's connection, inside its transaction if there is one. */
export function queries(em: EntityManager): Kysely<Tables> {
  return em.getKysely<Tables>();
}

const timestampOid = 1184;

function parseTimestamp(text: string): Date {
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

/** What both engines share; also what the MikroORM command line reads. */
export const ormOptions = {
  entities: [...entities],
  extensions: [Migrator],
  // Statements, which carry values, stay out of the log; failures are thrown and told once.
  logger: () => undefined,
  migrations: {
    migrationsList: [{ name: "0001-foundation", class: Foundation }],
    snapshot: false,
    transactional: true,
  },
} satisfies Options;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const orm =
    options.databaseUrl === undefined ? await openEmbedded(options.dataDir) : await openPostgres(options.databaseUrl);
  let migrated = false;
  return {
    embedded: options.databaseUrl === undefined,
    fork: () => orm.em.fork(),
    async migrate() {
      await orm.migrator.up();
      migrated = true;
    },
    async ready() {
      return migrated && (await orm.isConnected());
    },
    close: () => orm.close(true),
  };
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
    driverOptions: { types, connectionTimeoutMillis: 5_000, application_name: "zonewright" },
  });
}

async function openEmbedded(dataDir: string): Promise<PostgresORM> {
  const memory = dataDir === "memory";
  const parsers = { [timestampOid]: parseTimestamp };
  const orm = await PGliteORM.init({
    ...ormOptions,
    dbName: memory ? "memory://" : "postgres",
    driverOptions: {
      ...(memory ? {} : { dataDir: join(dataDir, "database") }),
      extensions: { pg_trgm },
      parsers,
    },
  });
  return orm as unknown as PostgresORM;
}
