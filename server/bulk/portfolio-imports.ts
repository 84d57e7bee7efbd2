import { sql } from "kysely";
import { permitted } from "../access/authenticator.ts";
import type { Caller } from "../access/caller.ts";
import { fromJson, queries, type EntityManager } from "../database/database.ts";
import { writeEntry } from "../notifications/audit/audit.ts";
import type { Enqueue } from "../ops/jobs/runner.ts";
import { badField } from "../platform/errors.ts";
import { importRow, planImport, type PlannedImport, type ReadingOptions } from "../zones/domains/portfolio-import.ts";
import type { StartPortfolioImportInput } from "../zones/domains/portfolio-schemas.ts";
import { changeableColumns, portfolioColumns } from "../zones/domains/portfolio-table.ts";
import { batchJobName, type DomainPurpose, type ExplainedRequest, type NewItem } from "./batches/batch.ts";
import { revertTitle } from "./batches/notices.ts";
import { storeBatch } from "./batches/store.ts";

/*
 * Imports of tables of domains as jobs, for tables that no call should wait for. A job has an item for each row that changes something: one
 * transaction changes the domain and ends the item, so that a row is carried out once, whoever is killed in between.
 */

/** What a job of the kind `portfolio` stores. */
interface ImportRequest extends ReadingOptions {
  /** Whether it takes another one back. */
  reverts?: true;
}

/** The detail of an item. */
type ImportedRow = Omit<PlannedImport, "domainId">;

interface Parts {
  enqueue: Enqueue;
  now: () => Date;
}

/** Starts imports as jobs. */
export class PortfolioImports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a job that carries out exactly the plan that was shown. @throws AppError BAD_REQUEST, CONFLICT */
  async start(em: EntityManager, caller: Caller, input: StartPortfolioImportInput) {
    const { enqueue, now } = this.#parts;
    const { rows, undo } = await planImport(em, caller, input);
    if (rows.length === 0) throw badField(["csv"], "No row of this table changes anything.");
    const { dateOrder, emptyCells, message } = input;
    const request: ImportRequest = {
      emptyCells,
      ...(dateOrder === undefined ? {} : { dateOrder }),
      ...(message === undefined ? {} : { message }),
    };
    return await em.transactional(async (tx) => {
      const batch = { kind: "portfolio", request, force: false, revertsId: null, now: now() } as const;
      const jobId = await storeBatch(tx, caller, batch, rows.map(itemOf));
      await writeEntry(tx, now(), caller, {
        action: "domain.import_table",
        targetType: "replacement",
        targetId: jobId,
        after: { domains: rows.length, ...(message === undefined ? {} : { message }) },
      });
      await enqueue(tx, batchJobName, {});
      return { jobId, undo };
    });
  }
}

const options: ReadonlySet<string> = new Set<keyof (ImportRequest & ExplainedRequest)>([
  "dateOrder",
  "emptyCells",
  "message",
  "override",
  "reverts",
  "unlock",
]);
const columns: ReadonlySet<string> = new Set(portfolioColumns);

function itemOf({ domainId, ...detail }: PlannedImport): NewItem {
  return { domainId, planHash: null, detail, error: null };
}

/** Carries out the rows of imports, and of what takes them back. */
export function portfolioPurpose(now: () => Date): DomainPurpose {
  return {
    knows: ({ request, detail }) => {
      const { cells, changes } = detail as ImportedRow;
      return (
        Object.keys(request as object).every((name) => options.has(name)) &&
        Object.keys(cells).every((name) => columns.has(name)) &&
        changes.every(({ field }) => changeableColumns.includes(field))
      );
    },
    title: (request) => {
      const title = "Import of a table of domains";
      return (request as ImportRequest).reverts ? revertTitle(title) : title;
    },
    async change(tx, caller, { domainId, request, detail }) {
      const row = { domainId, ...(detail as ImportedRow) };
      await importRow(tx, caller, row, { input: request as ImportRequest, now: now() });
    },
  };
}

/**
 * Returns what takes an import back: its request, and an item for each domain in which it is in effect. Where it was taken back, and that taken
 * back in turn, it is.
 * @throws AppError FORBIDDEN
 */
export async function takingImportBack(tx: EntityManager, caller: Caller, batchId: string) {
  permitted(caller, "domains:write");
  const { rows } = await sql<{ domain_id: string; detail: unknown }>`
    with recursive chain as (
      select item.id as root, item.batch_id, item.domain_id, 0 as reverts
      from batch_items item where item.batch_id = ${batchId} and item.state = 'done'
      union all
      select chain.root, later.id, chain.domain_id, chain.reverts + 1
      from chain cross join lateral (
        select batch.id from batches batch join batch_items item on item.batch_id = batch.id
        where batch.reverts_id = chain.batch_id and item.domain_id = chain.domain_id and item.state = 'done'
        order by batch.id desc limit 1
      ) later
    )
    select item.domain_id, item.detail
    from (select root from chain group by root having max(reverts) % 2 = 0) effective
    join batch_items item on item.id = effective.root
    order by item.position
  `.execute(queries(tx));
  const items = rows.map(({ domain_id: domainId, detail }) => {
    const { cells, changes, handDate } = fromJson(detail) as ImportedRow;
    const { name, view } = cells;
    return itemOf({
      domainId,
      cells: {
        ...(name === undefined ? {} : { name }),
        ...(view === undefined ? {} : { view }),
        ...Object.fromEntries(changes.map(({ field, before }) => [field, before])),
        ...(handDate === undefined ? {} : { expires: handDate }),
      },
      ...(handDate === undefined ? {} : { restoresDate: true }),
      changes: changes.map(({ field, before, after }) => ({ field, before: after, after: before })),
    });
  });
  const request: ImportRequest = { emptyCells: "clear", reverts: true };
  return { items, request };
}
