import type { PGlite } from "@electric-sql/pglite";

/** A table of fewer pages is read as fast as its index. */
const fewPages = 8;
/** What statements that were planned for none of so few rows read of them takes a moment. */
const fewRows = 500;
/** Of 3,000 rows, as 300 for each unit of the target (PostgreSQL documentation §70.1): in a large table that takes a moment, not a second. */
export const statisticsTarget = 10;

type Answers = Awaited<ReturnType<PGlite["execProtocolStream"]>>;

/**
 * Has the embedded engine count the rows of tables that have grown, or changed, by half since it last did. A server's autovacuum does that.
 * Here nothing did, and a plan for an empty table reads all of a large one, for each row that is looked for. It is done before the first
 * statement after many changes: of a large change of a zone the next call asks, however soon it comes.
 */
export function countRowsOfGrownTables(engine: PGlite): void {
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
