import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { queries, type EntityManager } from "../../server/database/database.ts";
import { unclaimed } from "../../server/dns-service/notifier.ts";
import { unknownOf } from "../../server/dns-service/secondaries.ts";
import { concerned } from "../../server/dns-service/secondary-check.ts";
import { beforeAll as firstId } from "../../server/dns-service/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

const zones = 1_200;
const serialBase = 1_700_000_000;
const identity = "notify:127.0.0.1:53";
const zone = (n: number) => `01a1fb0f-6204-7000-abd4-${String(n).padStart(12, "0")}`;
/** The last zone changed, the one before it is not known of the secondary, and the one before that did not follow. */
const [lagging, unknown, changed] = [zone(zones - 2), zone(zones - 1), zone(zones)];
let configId: string;

beforeAll(async () => {
  const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify: "127.0.0.1" };
  configId = (await zw.admin.post("/api/provider-configs", { kind: "primary", name: "Many", config })).body.id;
  const db = queries(zw.services.database.fork());
  await sql`
    insert into domains (id, name, provider_zone, provider_config_id, tags, expiry_remind_days, auto_check_expiry, record_count, revision)
    select ('01a1fb0f-6204-7000-abd4-' || lpad(n::text, 12, '0'))::uuid, 'd' || n || '.example', 'd' || n || '.example', ${configId}::uuid,
      '{}', '{}', false, 0, 1
    from generate_series(1, ${zones}::int) n
  `.execute(db);
  await sql`
    update primary_zones set serial_base = ${serialBase}, notified_serial = ${serialBase + 1}::bigint - (domain_id = ${changed}::uuid)::int
  `.execute(db);
  await sql`
    insert into primary_secondaries (zone_id, identity, address, serial)
    select domain_id, ${identity}::text, '127.0.0.1', ${serialBase + 1}::bigint - (domain_id = ${lagging}::uuid)::int
    from primary_zones where domain_id <> ${unknown}::uuid
  `.execute(db);
  for (const table of ["domains", "primary_zones", "primary_secondaries"])
    await sql`analyze ${sql.table(table)}`.execute(db);
});

/** How many rows of each table a transaction has read. A connection's counters may still hold what earlier ones on it read. */
async function rowsRead(tx: EntityManager): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables
    where relname in ('domains', 'primary_zones', 'primary_secondaries', 'mirrors')
  `.execute(queries(tx));
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** Takes one part after another until there is none. @returns what they found, and the most rows of a table that one of them read */
async function inParts<After, Found>(
  first: After,
  take: (tx: EntityManager, after: After) => Promise<{ found: Found[]; last: After | null }>,
): Promise<{ found: Found[]; parts: number; mostRead: number }> {
  return await zw.services.database.fork().transactional(async (tx) => {
    const found: Found[] = [];
    let [parts, mostRead] = [0, 0];
    let before = await rowsRead(tx);
    for (let after: After | null = first; after !== null; parts++) {
      const part = await take(tx, after);
      found.push(...part.found);
      const read = await rowsRead(tx);
      mostRead = Math.max(mostRead, ...[...read].map(([name, count]) => count - (before.get(name) ?? 0)));
      [before, after] = [read, part.last];
    }
    return { found, parts, mostRead };
  });
}

test("changes that nobody has announced are looked for in parts, which read some hundred zones each", async () => {
  const { found, parts, mostRead } = await inParts(firstId, async (tx, after) => {
    const { ids, last } = await unclaimed(tx, after);
    return { found: ids, last };
  });
  expect(found).toEqual([changed]);
  expect(parts).toBeGreaterThan(2);
  expect(mostRead).toBeGreaterThan(100);
  expect(mostRead).toBeLessThan(zones);
});

test("secondaries that are not known yet are looked for in parts, which read some hundred zones each", async () => {
  const listed = [{ config_id: configId, identity }];
  const { found, parts, mostRead } = await inParts(firstId, async (tx, after) => {
    const part = await unknownOf(tx, listed, after);
    return { found: part.unknown, last: part.last };
  });
  expect(found).toEqual([{ domainId: unknown, identity }]);
  expect(parts).toBeGreaterThan(2);
  expect(mostRead).toBeGreaterThan(100);
  expect(mostRead).toBeLessThan(zones);
});

test("secondaries that did not follow are looked for in parts, which read some hundred of them each", async () => {
  const { found, parts, mostRead } = await inParts({ zone: firstId, identity: "" }, async (tx, after) => {
    const { rows, last } = await concerned(tx, after, new Set());
    return { found: rows.map((row) => row.zone_id), last };
  });
  expect(found).toEqual([lagging]);
  expect(parts).toBeGreaterThan(2);
  expect(mostRead).toBeGreaterThan(100);
  expect(mostRead).toBeLessThan(zones);
});
