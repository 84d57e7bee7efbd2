import { Client } from "pg";
import type { Figure } from "./support/report.ts";
import type { Environment } from "./support/environment.ts";

const records = 20_000;
const bulk = 100;

/** Measures the disk space of a record, a snapshot and an edit, including indexes; see "Sizing" in docs/operations. */
export async function measureRowSizes(environment: Environment): Promise<Figure[]> {
  const database = new Client({ connectionString: environment.databaseUrl });
  await database.connect();
  const sizeOf = async (...tables: string[]) => {
    await database.query(`vacuum full ${tables.join(", ")}`);
    const { rows } = await database.query<{ size: string }>(
      "select sum(pg_total_relation_size(name::regclass)) as size from unnest($1::text[]) as name",
      [tables],
    );
    return Number(rows[0]?.size);
  };
  const grown = async (tables: string[], count: number, work: () => Promise<unknown>) => {
    const before = await sizeOf(...tables);
    await work();
    return ((await sizeOf(...tables)) - before) / count;
  };
  const versions = ["records"];
  const trail = ["change_sets", "audit_entries"];
  let domainId = "";
  const record = await grown(versions, records, async () => {
    ({ domainId } = await environment.importZone("row-sizes.example", records));
  });
  const path = `/api/domains/${domainId}`;
  const snapshot = await grown(["snapshots"], 500, async () => {
    for (let index = 0; index < 500; index++) await environment.client.post(`${path}/snapshots`);
  });
  const edits = async () => {
    for (let index = 0; index < 500; index++)
      await environment.client.post(`${path}/records`, { recordType: "A", name: `one${index}`, value: "192.0.2.1" });
  };
  const edit = await grown(trail, 500, edits);
  const bulks = async () => {
    for (let index = 0; index < 20; index++) {
      const named = Array.from({ length: bulk }, (_, one) => ({
        recordType: "A",
        name: `bulk${index}-${one}`,
        value: "192.0.2.1",
      }));
      await environment.client.post(`${path}/records/bulk`, { records: named });
    }
  };
  const bulkEdit = await grown(trail, 20, bulks);
  await database.end();
  return [
    bytes("a version of a record", record),
    bytes("a snapshot", snapshot),
    bytes("history and audit entries of a change to one record", edit),
    bytes("history and audit entries of a change to 100 records", bulkEdit),
  ];
}

function bytes(what: string, size: number): Figure {
  return { what: `disk for ${what}`, measured: `${Math.round(size)} bytes`, baseline: "", ratio: null, goal: null };
}
