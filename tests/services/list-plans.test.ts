import { CompiledQuery, DefaultQueryExecutor, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queries, type Database } from "../../server/database/database.ts";
import { emptyDatabase, newMigratedDatabase } from "../support/database.ts";
import { fillZones, growing, listPaths, type FilledZones, type Run } from "../support/many-zones.ts";
import type { RestClient } from "../support/rest-client.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";

/** Searches of PowerDNS's API. */
const facePaths = ["d77", "www", "h9-1"].map((text) => `/pdns/api/v1/servers/localhost/search-data?q=*${text}*`);

/** A node of a plan, as EXPLAIN prints it. */
interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  "Plan Rows": number;
  /** Of each loop, once executed. */
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  Plans?: PlanNode[];
}

/** What a node is below: an aggregate without a join in between, or a limit. */
interface Above {
  counted?: boolean;
  limited?: boolean;
}

/** What may stand between an aggregate and the rows that it counts. */
const passing = new Set(["Aggregate", "Gather", "Gather Merge", "Sort", "Subquery Scan", "ProjectSet", "Result"]);

/**
 * Returns the reads of whole growing tables in a plan. A count of most of a table may read it, because nothing is faster. An index that is read
 * in order until a limit is reached reads only what is shown.
 */
function wholeReads(node: PlanNode, sizes: ReadonlyMap<string, number>, above: Above = {}): string[] {
  const { "Node Type": type, "Relation Name": table = "", "Plan Rows": rows, Plans: inner = [] } = node;
  const size = sizes.get(table);
  const isCount = above.counted === true && size !== undefined && rows > size / 4;
  const isUnbounded =
    table === "records" && type.startsWith("Index") && node["Index Cond"] === undefined && above.limited !== true;
  const isWhole = size !== undefined && !isCount && (type === "Seq Scan" || isUnbounded);
  const below: Above = {
    counted: type === "Aggregate" || (above.counted === true && passing.has(type)),
    limited: above.limited === true || type === "Limit",
  };
  return [...(isWhole ? [`${type} of ${table}`] : []), ...inner.flatMap((each) => wholeReads(each, sizes, below))];
}

/** Lists that may have thousands of pages. */
const longLists = [
  "/api/domains",
  ...["-name", "expiresAt", "-expiresAt", "updatedAt", "recordCount", "drift", "-drift"].map(
    (sort) => `/api/domains?sort=${sort}`,
  ),
  "/api/domains?tag=all",
  "/api/audit",
  "/api/audit?targetType=domain",
  "/api/audit?action=records.edit",
  "/api/change-requests",
  "/api/change-requests?state=applied",
];

/** Returns how many rows the nodes of an executed plan returned at most. A count returns one, and what it counts is left out. */
function mostRows({ "Node Type": type, Plans: inner = [], ...node }: PlanNode): number {
  const rows = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 0);
  return Math.max(rows, ...(type === "Aggregate" ? [] : inner.map(mostRows)));
}

describe.each([
  ["PostgreSQL", () => emptyDatabase()],
  ["the embedded database", () => newMigratedDatabase()],
])("with 20,000 domains and 160,000 records on %s", (_, open) => {
  let database: Database;
  let zw: Zonewright & { stop(): Promise<void> };
  let run: Run;
  let callers: [string, RestClient][];
  let named: FilledZones;

  beforeAll(async () => {
    database = await open();
    zw = await startZonewright({ database });
    const em = database.fork();
    run = async (text) => (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(queries(em))).rows;
    const owner = await zw.member("owner");
    const assigned = await zw.member("assigned");
    named = await fillZones(run, { domains: 20_000, recordsEach: 8 }, "owner");
    const user = "(select id from users where username = 'assigned')";
    await run(`insert into assignments (id, user_id, domain_id, group_name, tag, subdomain_pattern, access, record_types, created_at)
      values (gen_random_uuid(), ${user}, null, 'group7', null, '*', 'write', '{}', now()),
        (gen_random_uuid(), ${user}, null, null, 'tag3', 'h9*', 'read', '{A}', now()),
        (gen_random_uuid(), ${user}, '${named.domain}', null, null, '*', 'read', '{}', now())`);
    callers = [
      ["an administrator", zw.admin],
      ["an owner", owner],
      ["a member with assignments", assigned],
    ];
  });
  afterAll(async () => {
    await zw.stop();
  });

  test("no list and no search reads a whole table that grows", async () => {
    const found = new Map<string, string>();
    const counted = await run(
      `select relname, reltuples from pg_class where relname in (${growing.map((table) => `'${table}'`).join(", ")})`,
    );
    const sizes = new Map(counted.map(({ relname, reltuples }) => [String(relname), Number(reltuples)]));
    for (const [who, client] of callers) {
      const token = { name: "PowerDNS client", permissions: ["records:read"] };
      const headers = { "x-api-key": (await client.post("/api/auth/me/tokens", token)).body.token };
      for (const path of [...(await listPaths(client, named)), ...facePaths]) {
        const statements = await statementsOf(async () => {
          const { status, body } = await client.get(path, path.startsWith("/pdns/") ? headers : {});
          // Members may not read every list.
          if (status !== 200 && status !== 403) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
        });
        for (const { sql: text, parameters } of statements) {
          const key = `${text} ${JSON.stringify(parameters)}`;
          if (!/^\s*(?:select|with)\b/i.test(text) || found.has(key)) continue;
          const plan = await planOf(database, text, parameters);
          const whole = wholeReads(plan, sizes);
          found.set(key, whole.length === 0 ? "" : `${path} for ${who}: ${whole.join(", ")}\n    ${text}`);
        }
      }
    }
    expect(found.size).toBeGreaterThan(100);
    expect([...found.values()].filter((problem) => problem !== "").join("\n")).toBe("");
  });

  test.each(longLists)("the last page of %s reads few rows more than it shows", async (list) => {
    const { total, limit } = (await zw.admin.get(list)).body;
    const last = `${list}${list.includes("?") ? "&" : "?"}page=${Math.ceil(total / limit)}`;
    expect(total).toBeGreaterThan(3_000);
    const statements = await statementsOf(async () => {
      expect((await zw.admin.get(last)).status).toBe(200);
    });
    const reads = statements.filter(({ sql: text }) => /^\s*(?:select|with)\b/i.test(text));
    const rows = await Promise.all(
      reads.map(async ({ sql: text, parameters }) => mostRows(await planOf(database, text, parameters, "analyze, "))),
    );
    expect(reads.length).toBeGreaterThan(1);
    expect(Math.max(...rows)).toBeLessThan(500);
  });
});

/** Returns the statements that a call has the database execute. */
async function statementsOf(call: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const statements: CompiledQuery[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- put back below
  const original = DefaultQueryExecutor.prototype.executeQuery;
  DefaultQueryExecutor.prototype.executeQuery = function executeQuery(query, ...rest) {
    statements.push(query);
    return original.call(this, query, ...rest) as never;
  };
  try {
    await call();
  } finally {
    DefaultQueryExecutor.prototype.executeQuery = original;
  }
  return statements;
}

async function planOf(
  database: Database,
  text: string,
  parameters: readonly unknown[],
  options = "",
): Promise<PlanNode> {
  const { rows } = await queries(database.fork()).executeQuery<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    CompiledQuery.raw(`explain (${options}format json) ${text}`, [...parameters]),
  );
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
  if (!plan) throw new Error("EXPLAIN returned no plan.");
  return plan;
}
