import type { PGlite } from "@electric-sql/pglite";

/** How often tables are looked at, at most. */
const everyMilliseconds = 10_000;
/** A table of fewer pages is read as fast as its index. */
const fewPages = 8;
/** Of 3,000 rows, as 300 for each unit of the target (PostgreSQL documentation §70.1): in a large table that takes a moment, not a second. */
export const statisticsTarget = 10;

/**
 * Has the embedded engine count the rows of tables that have grown by half since it last did. A server's autovacuum does that. Here nothing did,
 * and a plan for an empty table reads all of a large one.
 */
export function countRowsOfGrownTables(engine: PGlite): void {
  let lookedAt = -Infinity;
  const transaction = engine.transaction.bind(engine);
  engine.transaction = async (work) => {
    if (performance.now() - lookedAt >= everyMilliseconds) {
      lookedAt = performance.now();
      // On a full disk it fails. What only reads goes on.
      await countRows(engine).catch(() => undefined);
    }
    return await transaction(work);
  };
}

async function countRows(engine: PGlite): Promise<void> {
  const { rows } = await engine.query<{ name: string }>(`
    select quote_ident(nspname) || '.' || quote_ident(relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'jobs')
      and pg_relation_size(pg_class.oid) / 8192 > greatest(relpages * 1.5, ${fewPages})
  `);
  for (const { name } of rows) await engine.exec(`analyze ${name}`);
}
