import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Migrator } from "@mikro-orm/migrations";
import type { PgliteConnection } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM, type Options, type SqlEntityManager } from "@mikro-orm/postgresql";
import { sql, CompiledQuery, type Compilable, type Kysely } from "kysely";
import { types as pgTypes } from "pg";
import { fromPglite, type ConstructorOptions } from "pg-boss";
import type { Logger } from "../platform/log.ts";
import { AfterCommitSubscriber, reportFailedWork } from "./after-commit.ts";
import { connectionSettings, isSocket, parseDatabaseUrl, placeOf, type DatabaseAddress } from "./connection-url.ts";
import { entities, type Tables } from "./tables/all.ts";
import { storeVersion, refuseNewer } from "./installation.ts";
import { prepareRepeated } from "./prepared-statements.ts";
import { PreparingClient } from "./preparing-client.ts";
import { migrations } from "./migrations/list.ts";
import { version } from "../platform/version.ts";
import type { PGlite } from "@electric-sql/pglite";
import { isDeepStrictEqual } from "node:util";

export type EntityManager = SqlEntityManager;

export interface DatabaseOptions {
  /** Undefined: the embedded database. */
  databaseUrl: string | undefined;
  /** Directory of the embedded database, or `memory` for one that is discarded on close. */
  dataDir: string;
  /** A dump of an embedded database to begin with in memory. An empty one takes seconds to make. */
  dump?: Blob | undefined;
}

/** An open database. One instance per process. */
export interface Database {
  readonly embedded: boolean;
  /** How the job queue reaches this database: through the embedded engine, or with its own connections to the server. */
  readonly jobStore: JobStore;
  /** Returns a new unit of work: one per procedure or job, never shared between requests. */
  fork(): EntityManager;
  /** Logs failures of after-commit work. */
  logTo(log: Pick<Logger, "error">): void;
  /** Migrates the database to this version. @throws InstallationError if a newer version has used it */
  migrate(): Promise<void>;
  /** Runs `work` under a lock shared by all instances on this database, for setup that must happen only once. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Describes location and encryption for the startup message, without user and password. */
  described(): Promise<string>;
  /** Has the embedded engine give back space, as a server does by itself. Null on a server. */
  readonly upkeep: ((how: Upkeep) => Promise<Reclaimed>) | null;
  /** Returns whether the database responds and all migrations have run. */
  ready(): Promise<boolean>;
  /**
   * Returns whether the database accepts writes. Read-only mode is cheap to detect; a full disk shows only when writing.
   * @param byWriting also writes 128 KiB and rolls back
   * @throws the database's error if that write fails
   */
  writable(byWriting: boolean): Promise<boolean>;
  close(): Promise<void>;
}

interface Upkeep {
  /** Whether it may also stop all other work for longer than a moment: for large tables. */
  thorough: boolean;
  /** Ends it after the table at hand. */
  signal?: AbortSignal;
}

/** The names of tables whose dead rows were removed, and of those that were written anew without their free space. */
interface Reclaimed {
  vacuumed: string[];
  rewritten: string[];
}

type JobStore = Omit<ConstructorOptions, "schema">;

/** Returns the query builder for set-based queries on the unit of work's connection, inside its transaction if there is one. */
export function queries(em: EntityManager): Kysely<Tables> {
  return em.getKysely<Tables>();
}

const rollback = new Error("rolled back");

/** Runs `work` in a transaction, which a result of null rolls back. MikroORM does that only for an exception, so one is thrown here. */
export async function unlessNull<T>(
  em: EntityManager,
  work: (tx: EntityManager) => Promise<T | null>,
): Promise<T | null> {
  try {
    return await em.transactional(async (tx) => {
      const result = await work(tx);
      if (result === null) throw rollback;
      return result;
    });
  } catch (error) {
    if (error === rollback) return null;
    throw error;
  }
}

/** Returns the value of a JSON column, which one driver returns parsed and another as text; null for null. */
export function fromJson(stored: unknown): unknown {
  return typeof stored === "string" ? JSON.parse(stored) : (stored ?? null);
}

/** Rows of a JSON array as a table: one text parameter for any number of rows, on both engines. */
export function jsonRows(rows: readonly unknown[]) {
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)`;
}

/** Texts of a JSON array as a table of one column `value`: one parameter for any number of texts. */
export function jsonTexts(texts: readonly string[]) {
  return sql`json_array_elements_text(${JSON.stringify(texts)}::json)`;
}

/** The platforms of embedded engines. */
const embeddedPlatforms = new WeakSet<object>();

/** Returns whether a statement blocks the event loop until it is done, because its engine runs in this process. */
export function isEmbedded(em: EntityManager): boolean {
  return embeddedPlatforms.has(em.getPlatform());
}

const timestampOid = 1184;
/** Key of the advisory lock, unique on the server: "zone" in ASCII. */
const setUpLock = 0x7a_6f_6e_65;

/** The last timestamp that was parsed. Rows that were written together follow one another, and have the same. */
let lastTimestamp = { text: "", time: Number.NaN };

/** Parses PostgreSQL's text form of a timestamptz. */
function parseTimestamp(text: string): Date {
  if (text !== lastTimestamp.text) lastTimestamp = { text, time: timestampOf(text).getTime() };
  return new Date(lastTimestamp.time);
}

/** Sessions run in UTC, so a timestamp ends in `+00`. */
function timestampOf(text: string): Date {
  if (text.length > 22 && text.endsWith("+00")) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

/** Options common to both engines. */
const ormOptions = {
  entities: [...entities],
  extensions: [Migrator],
  subscribers: [AfterCommitSubscriber],
  // Statements contain values and stay out of the log. Failures are thrown and reported once.
  logger: () => undefined,
  migrations: {
    migrationsList: migrations,
    snapshot: false,
    transactional: true,
  },
} satisfies Options;

/** Opens the database. Does not contact a server until the first statement. @throws DatabaseUrlError */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const address = options.databaseUrl === undefined ? undefined : parseDatabaseUrl(options.databaseUrl);
  const orm = address === undefined ? await openEmbedded(options.dataDir, options.dump) : await openPostgres(address);
  orm.em.getPlatform().marshallArray = arrayLiteral;
  let migrated = false;
  return {
    embedded: address === undefined,
    upkeep: address === undefined ? upkeepOf(await engineOf(orm)) : null,
    jobStore: jobStore(orm, address),
    fork: () => orm.em.fork(),
    logTo(log) {
      reportFailedWork(orm.em, (error) => log.error({ err: error }, "work after a commit failed"));
    },
    async migrate() {
      // Fails if the database does not exist, which the migrator would otherwise create.
      await orm.em.fork().execute("select 1");
      const names = migrations.map(({ name }) => name);
      const variable = address === undefined ? "DATA_DIR" : "DATABASE_URL";
      const pending = await refuseNewer(queries(orm.em.fork()), variable, { version, migrations: names });
      if (pending.length > 0) await orm.migrator.up();
      await storeVersion(queries(orm.em.fork()), version);
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

async function engineOf(orm: PostgresORM): Promise<PGlite> {
  return await (orm.em.getConnection() as unknown as PgliteConnection).getNativeClient();
}

/** On the embedded engine, the queue waits for open transactions, because there is only one connection. */
function jobStore(orm: PostgresORM, address: DatabaseAddress | undefined): JobStore {
  if (address !== undefined) {
    const name = `${address.applicationName ?? "zonewright"} jobs`;
    const options = address.options === undefined ? {} : { options: address.options };
    return { ...connectionSettings(address), ...options, max: 3, application_name: name };
  }
  const client = async () => await engineOf(orm);
  const engine = async () => fromPglite(await client());
  return {
    backend: "pglite",
    db: {
      async executeSql(text, values) {
        // The adapter executes a text without values as a script, which is never prepared. Most are one statement.
        const isOne = (values?.length ?? 0) === 0 && !text.includes(";");
        return isOne ? await (await client()).query(text) : await (await engine()).executeSql(text, values);
      },
      listen: async (channel, onNotification, onReconnect) => {
        const adapted = await engine();
        if (!adapted.listen) throw new Error("The embedded database does not support LISTEN.");
        return await adapted.listen(channel, onNotification, onReconnect);
      },
    },
  };
}

/**
 * Writes PostgreSQL's array literal with every item quoted (PostgreSQL documentation §8.15.6). MikroORM 7.2.1 omits quotes it considers
 * unnecessary, and so stores the text `null` as NULL and trims spaces.
 */
export function arrayLiteral(items: readonly unknown[]): string {
  return `{${items.map((item) => `"${String(item).replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** Describes the connection as seen from this side: a pooler in between has its own connections to the server. */
async function describe(orm: PostgresORM, address: DatabaseAddress): Promise<string> {
  const pool = await orm.em.getConnection().getNativeClient();
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    const [version = ""] = (rows[0]?.server_version ?? "").split(" ");
    const { stream } = (client as unknown as { connection: { stream: { getProtocol?: () => string } } }).connection;
    const tls = stream.getProtocol ? `encrypted with ${stream.getProtocol()}` : "not encrypted";
    return `PostgreSQL ${version}, ${placeOf(address)}, ${isSocket(address) ? "over a local socket" : tls}`;
  } finally {
    client.release();
  }
}

async function openPostgres(address: DatabaseAddress): Promise<PostgresORM> {
  return await PostgresORM.init(postgresOptions(address));
}

/** Returns the ORM options for a server, also used by the MikroORM command line. @throws DatabaseUrlError */
export function postgresOptions(address: DatabaseAddress) {
  const types = {
    getTypeParser(oid: number, format?: "text" | "binary") {
      return oid === timestampOid ? parseTimestamp : pgTypes.getTypeParser(oid, format);
    },
  };
  return {
    ...ormOptions,
    dbName: address.database,
    // A mistyped name must not create a database.
    ensureDatabase: false,
    pool: { max: 10 },
    driverOptions: {
      ...connectionSettings(address),
      Client: PreparingClient,
      // Sends a statement before the one before it is answered, if it is not told to wait.
      pipeline: true,
      types,
      application_name: address.applicationName ?? "zonewright",
      options: [address.options, "-c timezone=UTC"].filter((text) => text !== undefined).join(" "),
    },
  } satisfies Options;
}

/**
 * New entries of a trigram index wait in a list, which the statement that fills it moves into the index: with the default of 4 MB, that blocks
 * the event loop for 100 milliseconds and more.
 */
const embeddedPendingList = "256kB";

/** PGlite writes to every page of its buffers at startup. Pages beyond these come from the system's cache just as fast. */
const embeddedBuffers = "32MB";

/** How much of the write-ahead log a checkpoint keeps, to be written over. PostgreSQL's default is a gigabyte. */
const keptLog = "128MB";

async function openEmbedded(dataDir: string, dump?: Blob): Promise<PostgresORM> {
  const memory = dataDir === "memory";
  if (!memory) mkdirSync(join(dataDir, "database"), { recursive: true, mode: 0o700 });
  const [{ MikroORM: PGliteORM }, { PGlite }, { btree_gin }, { pg_trgm }] = await Promise.all([
    import("@mikro-orm/pglite"),
    import("@electric-sql/pglite"),
    import("@electric-sql/pglite/contrib/btree_gin"),
    import("@electric-sql/pglite/contrib/pg_trgm"),
  ]);
  const options = {
    extensions: { btree_gin, pg_trgm },
    parsers: { [timestampOid]: parseTimestamp },
    startParams: [
      ...PGlite.defaultStartParams,
      "-c",
      `shared_buffers=${embeddedBuffers}`,
      "-c",
      `gin_pending_list_limit=${embeddedPendingList}`,
      "-c",
      `default_statistics_target=${statisticsTarget}`,
      "-c",
      "min_wal_size=32MB",
      "-c",
      `max_wal_size=${keptLog}`,
    ],
  };
  const orm = await PGliteORM.init({
    ...ormOptions,
    dbName: memory ? "memory://" : "postgres",
    // A function's result is not copied: the copy of a Blob is none.
    driverOptions: memory
      ? () => ({ ...options, ...(dump && { loadDataDir: dump }) })
      : { ...options, dataDir: join(dataDir, "database") },
  });
  embeddedPlatforms.add(orm.em.getPlatform());
  const engine = await orm.em.getConnection().getNativeClient();
  prepareRepeated(engine);
  countRowsOfGrownTables(engine);
  return orm as unknown as PostgresORM;
}

/** A table of fewer pages is read as fast as its index. */
const fewPages = 8;
/** What statements that were planned for none of so few rows read of them takes a moment. */
const fewRows = 500;
/** Of 3,000 rows, as 300 for each unit of the target (PostgreSQL documentation §70.1): in a large table that takes a moment, not a second. */
const statisticsTarget = 10;

type Answers = Awaited<ReturnType<PGlite["execProtocolStream"]>>;

/**
 * Has the embedded engine count the rows of tables that have grown, or changed, by half since it last did. A server's autovacuum does that.
 * Here nothing did, and a plan for an empty table reads all of a large one, for each row that is looked for. It is done before the first
 * statement after many changes: of a large change of a zone the next call asks, however soon it comes.
 */
function countRowsOfGrownTables(engine: PGlite): void {
  // Earlier processes may have ended before they counted.
  let changedRows = Number.POSITIVE_INFINITY;
  const stream = engine.execProtocolStream.bind(engine);
  engine.execProtocolStream = async (message, options) => {
    const answers = await stream(message, options);
    changedRows += changedBy(answers);
    return answers;
  };
  const query = engine.query.bind(engine);
  const transaction = engine.transaction.bind(engine);
  const count = async () => {
    if (changedRows < fewRows) return;
    changedRows = 0;
    // On a full disk it fails. What only reads goes on.
    await countRows(engine, query).catch(() => undefined);
  };
  engine.query = async (...all) => {
    await count();
    return await query(...all);
  };
  engine.transaction = async (work) => {
    await count();
    return await transaction(work);
  };
}

/** Returns how many rows statements have changed, by the tags of their completion. */
function changedBy(answers: Answers): number {
  let rows = 0;
  for (const answer of answers) {
    if (answer.name !== "commandComplete" || !("text" in answer)) continue;
    const [, count] = /^(?:INSERT \d+|UPDATE|DELETE|MERGE|COPY) (\d+)$/.exec(String(answer.text)) ?? [];
    rows += Number(count ?? 0);
  }
  return rows;
}

/** Rows that are deleted leave their pages, and so a table that was counted when it was empty takes as many when it is full. */
async function countRows(engine: PGlite, query: PGlite["query"]): Promise<void> {
  // Changes are added to the statistics once a second, unless they are asked for.
  await query("select pg_stat_force_next_flush()");
  const { rows } = await query<{ name: string }>(`
    select quote_ident(nspname) || '.' || quote_ident(relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'jobs')
      and (
        pg_relation_size(pg_class.oid) / 8192 > greatest(relpages * 1.5, ${fewPages})
        or pg_stat_get_mod_since_analyze(pg_class.oid) >= greatest(reltuples / 2, ${fewRows})
      )
  `);
  for (const { name } of rows) await engine.exec(`analyze ${name}`);
}

/** Bytes with indexes up to which all of a table is vacuumed at any time: each megabyte takes about 5 ms. */
const smallTable = 8 * 1024 * 1024;
/** Bytes without indexes up to which at least the table itself is, at 1 ms for each megabyte. */
const mediumTable = 32 * 1024 * 1024;
/** Bytes of the write-ahead log after which a checkpoint lets the next ones write over it. */
const longLog = 16 * 1024 * 1024;
/** A table of fewer bytes is not written anew. */
const fewBytes = 4 * 1024 * 1024;

/** Every row of these has at least 28 bytes besides its columns (PostgreSQL documentation §66.6). */
const bloatedTables = `
  select quote_ident(nspname) || '.' || quote_ident(relname) as name
  from pg_class c join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and nspname in ('public', 'jobs') and reltuples >= 0
    and pg_relation_size(c.oid) > greatest(${fewBytes}, 4 * reltuples * (28 + coalesce(
      (select sum(stawidth * (1 - stanullfrac)) from pg_statistic where starelid = c.oid), 1000)))
`;

/** As autovacuum finds them, with its defaults. A large table's long values are in a table of their own. */
const tablesToVacuum = `
  select quote_ident(nspname) || '.' || quote_ident(relname) as name,
    pg_total_relation_size(c.oid) <= ${smallTable} as "isSmall",
    pg_relation_size(c.oid) <= ${mediumTable} as "isMedium"
  from pg_class c join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and relpersistence = 'p' and (
    pg_stat_get_dead_tuples(c.oid) > 50 + 0.2 * greatest(reltuples, 0)
    or exists (
      select from pg_class t where t.oid = c.reltoastrelid
        and pg_stat_get_dead_tuples(t.oid) > 50 + 0.2 * greatest(t.reltuples, 0)
    )
    or age(relfrozenxid) > 200000000
  )
`;

/**
 * Does what a server's autovacuum and checkpointer do. The embedded engine has neither: dead rows were never overwritten, and the write-ahead
 * log grew until the process ended. Each statement stops all others, so that the indexes of larger tables wait for a thorough run.
 */
function upkeepOf(engine: PGlite): NonNullable<Database["upkeep"]> {
  /** Tables whose indexes still have entries of dead rows. */
  const withoutIndexes = new Set<string>();
  return async ({ thorough, signal }) => {
    const reclaimed: Reclaimed = { vacuumed: [], rewritten: [] };
    const failures: unknown[] = [];
    const each = async (names: Iterable<string>, command: (name: string) => string, done: string[]) => {
      for (const name of names) {
        if (signal?.aborted) return;
        try {
          await engine.query(`${command(name)} ${name}`);
          done.push(name);
        } catch (error) {
          // The others get their turn.
          failures.push(error);
        }
      }
    };
    // Changes are added to the statistics once a second, unless they are asked for.
    await engine.query("select pg_stat_force_next_flush()");
    const { rows } = await engine.query<{ name: string; isSmall: boolean; isMedium: boolean }>(tablesToVacuum);
    const partly = new Set(rows.filter((row) => !thorough && !row.isSmall && row.isMedium).map(({ name }) => name));
    const wholly = rows.filter((row) => thorough || row.isSmall).map(({ name }) => name);
    const command = (name: string) => (partly.has(name) ? "vacuum (index_cleanup off)" : "vacuum");
    await each(new Set([...partly, ...wholly, ...(thorough ? withoutIndexes : [])]), command, reclaimed.vacuumed);
    for (const name of reclaimed.vacuumed) {
      if (partly.has(name)) withoutIndexes.add(name);
      else withoutIndexes.delete(name);
    }
    if (thorough) {
      const bloated = await engine.query<{ name: string }>(bloatedTables);
      const names = bloated.rows.map(({ name }) => name);
      await each(names, () => "vacuum full", reclaimed.rewritten);
    }
    const { rows: log } = await engine.query<{ isLong: boolean }>(`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${longLog} as "isLong" from pg_control_checkpoint()
    `);
    if (log[0]?.isLong) await engine.query("checkpoint");
    if (failures.length > 0) throw failures[0];
    return reclaimed;
  };
}

/** Keyed by the object that the text is built from, so that equal names cannot collide. */
const repeatedTexts = new WeakMap<object, { sql: string; parameters: number }>();

/**
 * Runs a query whose text is built once per `shape` and reused with other values: for the most frequent lists, building costs as much as
 * sending. `build` must use exactly the values in `parameters`, in that order, which is checked when the text is built.
 * @param shape the object that alone determines the text; the caller may only affect values
 */
export async function repeated<Row>(
  em: EntityManager,
  shape: object,
  parameters: readonly unknown[],
  build: (db: Kysely<Tables>) => Compilable<Row>,
): Promise<Row[]> {
  const db = queries(em);
  const text = repeatedTexts.get(shape) ?? compiled(shape, parameters, build(db));
  if (text.parameters !== parameters.length) throw new Error("The parameters do not match the cached query text.");
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text.sql, [...parameters]));
  return rows;
}

function compiled(shape: object, parameters: readonly unknown[], query: Compilable) {
  const { sql, parameters: built } = query.compile();
  if (!isDeepStrictEqual([...built], [...parameters]))
    throw new Error("The parameters do not match the cached query text.");
  const text = { sql, parameters: parameters.length };
  repeatedTexts.set(shape, text);
  return text;
}
