import { sql, type Selectable } from "kysely";
import type { Logger } from "../platform/log.ts";
import { queries, type EntityManager } from "./database.ts";
import type { Tables } from "./tables/all.ts";

/** A column whose values are encrypted with a key of SECRET_KEYS. */
interface SealedColumn<Table extends keyof Tables> {
  table: Table;
  column: keyof Tables[Table] & string;
  type: "text" | "jsonb";
  id: "id" | "user_id";
  /** The column that names a row in the log. */
  name: keyof Tables[Table] & string;
  /** Whose secrets they are, in the plural, for the log. */
  of: string;
  /** Returns the value encrypted with the newest key, unchanged if it already is, or null if no key decrypts it. */
  resealed: (row: Selectable<Tables[Table]>) => unknown;
}

const namedInLog = 20;

/**
 * Re-encrypts every value of a column with the newest key. Locks the rows, so that no concurrent change is lost. Logs values that no key
 * decrypts and leaves them unchanged. Idempotent.
 */
export async function ensureSealed<Table extends keyof Tables>(
  em: EntityManager,
  log: Logger,
  { table, column, type, id, name, of, resealed }: SealedColumn<Table>,
): Promise<void> {
  await em.transactional(async (tx) => {
    const db = queries(tx);
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where ${sql.ref(column)} is not null order by ${sql.ref(id)} for update`.execute(
      db,
    );
    const values = rows.map((row) => ({ row, value: resealed(row as Selectable<Tables[Table]>) }));
    const changed = values
      .filter(({ row, value }) => value !== null && value !== row[column])
      .map(({ row, value }) => ({ id: row[id], value }));
    if (changed.length > 0) {
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = new.value
        from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as new(id uuid, value ${sql.raw(type)})
        where ${sql.ref(`${table}.${id}`)} = new.id`.execute(db);
      log.info({ resealed: changed.length }, `encrypted the secrets of ${of} with the newest key`);
    }
    const unreadable = values.flatMap(({ row, value }) => (value === null ? [row[name]] : []));
    if (unreadable.length > 0) {
      log.warn(
        { unreadable: unreadable.length, names: unreadable.slice(0, namedInLog) },
        `no key in SECRET_KEYS opens the secrets of some ${of}; restore the key or enter them again`,
      );
    }
  });
}
