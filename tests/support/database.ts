import { Client } from "pg";
import { entities } from "../../server/database/tables/all.ts";
import { openDatabase, queries, type Database } from "../../server/database/database.ts";
import { sql } from "kysely";

let shared: Promise<Database> | undefined;

/**
 * The worker's database, empty: embedded in memory, or one of its own on the server that TEST_DATABASE_URL names.
 * It is opened once and emptied for each file of tests.
 */
export async function emptyDatabase(): Promise<Database> {
  shared ??= open();
  const database = await shared;
  const em = database.fork();
  const tables = entities.map(({ meta }) => sql.table(meta.tableName));
  await sql`truncate ${sql.join(tables)} cascade`.execute(queries(em));
  await sql`update installation set zones_folder_id = null, zones_folder = null`.execute(queries(em));
  const { rows } = await sql<{ made: boolean }>`select to_regclass('jobs.job') is not null as made`.execute(
    queries(em),
  );
  if (rows[0]?.made) {
    await sql`delete from jobs.job`.execute(queries(em));
    await sql`delete from jobs.schedule`.execute(queries(em));
  }
  return database;
}

async function open(): Promise<Database> {
  const server = process.env["TEST_DATABASE_URL"];
  const database = await openDatabase({
    databaseUrl: server === undefined ? undefined : await ownDatabase(server),
    dataDir: "memory",
  });
  await database.migrate();
  return database;
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
