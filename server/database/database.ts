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
import type { Logger } from "../platform/log.ts";
import { AfterCommitSubscriber, reportFailedWork } from "./after-commit.ts";
import { connectionSettings, isSocket, parseDatabaseUrl, placeOf, type DatabaseAddress } from "./connection-url.ts";
import { entities, type Tables } from "./tables/all.ts";
import { noteVersion, refuseNewer } from "./installation.ts";
import { PreparingClient } from "./prepared-statements.ts";
import { migrations } from "./migrations/list.ts";
import { keepByteOrderMarks } from "./whole-texts.ts";
import { version } from "../platform/version.ts";

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
  /** Logs what fails after a commit. */
  logTo(log: Pick<Logger, "error">): void;
  /** Brings the database to this version. @throws InstallationError when it has been used by a newer one */
  migrate(): Promise<void>;
  /** Runs `work` while no other instance runs such work on this database: what would otherwise be set up twice. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Where it is and whether the connection is encrypted, for the start line: no user, no password. */
  described(): Promise<string>;
  /** True when the database answers and all migrations have run. */
  ready(): Promise<boolean>;
  /**
   * Whether it accepts changes. A read-only one says so at no cost; whether there is space left shows only in writing.
   * @param byWriting writes 128 KiB on trial and takes them back. @throws the database's error when that fails
   */
  writable(byWriting: boolean): Promise<boolean>;
  close(): Promise<void>;
}

type JobStore = Omit<ConstructorOptions, "schema">;

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

/** What both engines share. */
const ormOptions = {
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

/** @throws DatabaseUrlError; whether the server answers shows with the first statement. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const address = options.databaseUrl === undefined ? undefined : parseDatabaseUrl(options.databaseUrl);
  const orm = address === undefined ? await openEmbedded(options.dataDir) : await openPostgres(address);
  orm.em.getPlatform().marshallArray = arrayLiteral;
  let migrated = false;
  return {
    embedded: address === undefined,
    jobStore: jobStore(orm, address),
    fork: () => orm.em.fork(),
    logTo(log) {
      reportFailedWork(orm.em, (error) => log.error({ err: error }, "what was to follow a commit failed"));
    },
    async migrate() {
      // The migrator creates a database that is missing. This statement fails first.
      await orm.em.fork().execute("select 1");
      const names = migrations.map(({ name }) => name);
      const variable = address === undefined ? "DATA_DIR" : "DATABASE_URL";
      await refuseNewer(queries(orm.em.fork()), variable, { version, migrations: names });
      await orm.migrator.up();
      await noteVersion(queries(orm.em.fork()), version);
      migrated = true;
    },
    async alone(work) {
      if (address === undefined) return await work();
      return await orm.em.fork().transactional(async (tx) => {
        await sql`select pg_advisory_xact_lock(${setUpLock})`.execute(queries(tx));
        return await work();
      });
    },
    described: async () => (address === undefined ? join(options.dataDir, "database") : await describe(orm, address)),
    async ready() {
      return migrated && (await orm.isConnected());
    },
    writable: (byWriting) => writable(orm.em.fork(), byWriting),
    close: () => orm.close(true),
  };
}

async function writable(em: EntityManager, byWriting: boolean): Promise<boolean> {
  const { rows } = await sql<{ off: boolean }>`select current_setting('transaction_read_only') = 'off' as off`.execute(
    queries(em),
  );
  if (rows[0]?.off !== true) return false;
  if (byWriting) {
    await em.begin();
    try {
      await sql`update installation set probe = repeat('x', 131072)`.execute(queries(em));
    } finally {
      await em.rollback();
    }
  }
  return true;
}

/** The queue waits for our transactions on the embedded engine: its one connection is lent to one of us at a time. */
function jobStore(orm: PostgresORM, address: DatabaseAddress | undefined): JobStore {
  if (address !== undefined) {
    const name = `${address.applicationName ?? "zonewright"} jobs`;
    const options = address.options === undefined ? {} : { options: address.options };
    return { ...connectionSettings(address), ...options, max: 3, application_name: name };
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

/** By what this side of a connection knows: a pooler in between has connections of its own to the server. */
async function describe(orm: PostgresORM, address: DatabaseAddress): Promise<string> {
  const pool = await orm.em.getConnection().getNativeClient();
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    const [version = ""] = (rows[0]?.server_version ?? "").split(" ");
    const { stream } = (client as unknown as { connection: { stream: { getProtocol?: () => string } } }).connection;
    const tls = stream.getProtocol ? `encrypted with ${stream.getProtocol()}` : "not encrypted";
    return `PostgreSQL ${version}, ${placeOf(address)}, ${isSocket(address) ? "by a local socket" : tls}`;
  } finally {
    client.release();
  }
}

async function openPostgres(address: DatabaseAddress): Promise<PostgresORM> {
  return await PostgresORM.init(postgresOptions(address));
}

/** Also what the MikroORM command line connects with. @throws DatabaseUrlError */
export function postgresOptions(address: DatabaseAddress) {
  const types = {
    getTypeParser(oid: number, format?: "text" | "binary") {
      return oid === timestampOid ? parseTimestamp : pgTypes.getTypeParser(oid, format);
    },
  };
  return {
    ...ormOptions,
    dbName: address.database,
    // A mistyped name must not make a database.
    ensureDatabase: false,
    pool: { max: 10 },
    driverOptions: {
      ...connectionSettings(address),
      Client: PreparingClient,
      types,
      application_name: address.applicationName ?? "zonewright",
      options: [address.options, "-c timezone=UTC"].filter((text) => text !== undefined).join(" "),
    },
  } satisfies Options;
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
  keepByteOrderMarks(await orm.em.getConnection().getNativeClient());
  return orm as unknown as PostgresORM;
}
