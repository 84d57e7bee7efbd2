import { Client } from "pg";
import { entities } from "../../server/database/tables/all.ts";
import { openDatabase, queries, type Database, type EntityManager } from "../../server/database/database.ts";
import { sql } from "kysely";
import { emptyCluster } from "./empty-cluster.ts";
import { migratedCluster } from "./migrated-cluster.ts";

/** How large a table may be and still be emptied row by row. */
const mostOctets = 1_048_576;

let shared: Promise<Database> | undefined;

/**
 * The worker's database, empty: embedded in memory, or one of its own on the server that TEST_DATABASE_URL names.
 * It is opened once and emptied for each file of tests.
 */
export async function emptyDatabase(): Promise<Database> {
  shared ??= open();
  const database = await shared;
  const em = database.fork();
  await emptyTables(em);
  await sql`update installation set zones_folder_id = null, zones_folder = null`.execute(queries(em));
  const { rows } = await sql<{ made: boolean }>`select to_regclass('jobs.job') is not null as made`.execute(
    queries(em),
  );
  if (rows[0]?.made) await sql`delete from jobs.job`.execute(queries(em));
  return database;
}

/**
 * Deletes the few rows that a file of tests leaves, which takes a fraction of the time of truncating every table with its indexes.
 * Tables that have grown are truncated: deleted rows go on taking space.
 */
async function emptyTables(em: EntityManager): Promise<void> {
  const names = entities.map(({ meta }) => meta.tableName);
  const { rows } = await sql<{ name: string; octets: number }>`
    select name, pg_relation_size(name::regclass)::int as octets from unnest(${names}::text[]) as name
    where pg_relation_size(name::regclass) > 0`.execute(queries(em));
  if (rows.some(({ octets }) => octets > mostOctets)) {
    await sql`truncate ${sql.join(names.map((name) => sql.table(name)))}`.execute(queries(em));
    return;
  }
  // A replica checks no references and runs no triggers: each table is emptied by itself, the audit trail as well.
  const deletions = rows.map(({ name }) => `delete from "${name}";`);
  await sql
    .raw(`do $$ begin set local session_replication_role = replica; ${deletions.join(" ")} end $$`)
    .execute(queries(em));
}

async function open(): Promise<Database> {
  const server = process.env["TEST_DATABASE_URL"];
  if (server === undefined) return await newMigratedDatabase();
  const database = await openDatabase({ databaseUrl: await ownDatabase(server), dataDir: "memory" });
  await database.migrate();
  return database;
}

/** An embedded database in memory, after all migrations. */
export async function newMigratedDatabase(): Promise<Database> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir: "memory", dump: await migratedCluster() });
  await database.migrate();
  return database;
}

/** An embedded database in memory, without tables. */
export async function newMemoryDatabase(): Promise<Database> {
  return await openDatabase({ databaseUrl: undefined, dataDir: "memory", dump: await emptyCluster() });
}

async function ownDatabase(server: string): Promise<string> {
  const name = `zonewright_test_${process.env["VITEST_POOL_ID"] ?? "0"}_${process.pid}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`drop database if exists ${name}`);
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
