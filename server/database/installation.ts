import { sql, type QueryExecutorProvider } from "kysely";

type Db = QueryExecutorProvider;

/** An installation that this process would damage. The message says what to do. */
export class InstallationError extends Error {}

/**
 * Refuses a database that a newer version has used, because its tables or their contents may have changed meaning.
 * Call before running migrations.
 * @param variable the variable that names the database
 * @param migrations names of all migrations of this version
 * @returns those not yet applied
 * @throws InstallationError naming both versions
 */
export async function refuseNewer(
  db: Db,
  variable: "DATABASE_URL" | "DATA_DIR",
  { version, migrations }: { version: string; migrations: readonly string[] },
): Promise<string[]> {
  const last = await lastVersion(db);
  const alternative = "or restore the backup from before the upgrade.";
  if (last !== null && isNewer(last, version)) {
    throw new InstallationError(
      `${variable}: this database was last used by version ${last}, which is newer than this version ${version}. Start ${last} or newer, ${alternative}`,
    );
  }
  const executed = await executedMigrations(db);
  const unknown = executed.find((name) => !migrations.includes(name));
  if (unknown !== undefined) {
    throw new InstallationError(
      `${variable}: a newer build (${last ?? "version unknown"}) has applied the migration ${unknown}, which version ${version} does not have. Start that build, ${alternative}`,
    );
  }
  return migrations.filter((name) => !executed.includes(name));
}

/** Stores the version. Call after the migrations. */
export async function storeVersion(db: Db, version: string): Promise<void> {
  await sql`update installation set version = ${version} where version is distinct from ${version}`.execute(db);
}

/** Returns null for an empty database and for one of 0.1, which did not store its version. */
async function lastVersion(db: Db): Promise<string | null> {
  if (!(await exists(db, "installation"))) return null;
  const { rows } = await sql<{ version: string | null }>`select version from installation`.execute(db);
  return rows[0]?.version ?? null;
}

async function executedMigrations(db: Db): Promise<string[]> {
  if (!(await exists(db, "mikro_orm_migrations"))) return [];
  const { rows } = await sql<{ name: string }>`select name from mikro_orm_migrations order by id desc`.execute(db);
  return rows.map(({ name }) => name);
}

async function exists(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${table}) is not null as found`.execute(db);
  return rows[0]?.found === true;
}

/** Compares versions by their three numbers; ignores suffixes. */
export function isNewer(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((text) => text.split("-", 1)[0]?.split(".").map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
