import { sql } from "kysely";
import { expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { canonicalizeStoredData } from "../../server/database/migrations/0020-canonical-data.ts";
import { quoteEmptyCaaValues } from "../../server/database/migrations/0068-empty-caa-values.ts";
import { manualZone, type Body } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

/** Each value as it was stored earlier, and as it is read now. */
const values: readonly (readonly [recordType: string, stored: string, canonical: string])[] = [
  ["LOC", "\\# 16 001613138b3cf018810cbce0009895b8", "52 22 23.000 N 4 53 32.000 E -2.00m 10000m 10m 10m"],
  ["SSHFP", "04 01 AB", "04 01 AB"],
  ["SSHFP", "04 00 ab", "4 0 ab"],
  ["HTTPS", "1 . port=443 alpn=h2", "1 . alpn=h2 port=443"],
  ["PTR", "host.example.", "host.example."],
  ["TYPE65280", "\\# 1 00", "\\# 1 00"],
  ["TXT", "04 00 ab", "04 00 ab"],
];

test("the migration canonicalizes stored data of uneditable types in every record version", async () => {
  const zone = await manualZone(zw);
  for (const [index] of values.entries()) await zone.add("A", `h${index}`, "192.0.2.1");
  const em = zw.services.database.fork();
  for (const [index, [recordType, stored]] of values.entries()) {
    await sql`update records set record_type = ${recordType}, value = ${stored} where domain_id = ${zone.id} and name = ${`h${index}`}`.execute(
      queries(em),
    );
  }
  // More than one batch, and an older version of each.
  await sql`insert into records select gen_random_uuid(), 1, domain_id, 1, 2, record_type, name, value, ttl, priority, proxied, status, comment,
      created_at, updated_at, strings from records cross join generate_series(1, 500) where domain_id = ${zone.id}`.execute(
    queries(em),
  );
  await canonicalizeStoredData((text, params) => em.getConnection().execute(text, params));
  const { rows } =
    await sql<Body>`select distinct name, value from records where domain_id = ${zone.id} order by name`.execute(
      queries(em),
    );
  expect(rows).toEqual(values.map(([, , canonical], index) => ({ name: `h${index}`, value: canonical })));
});

test("the migration shows the empty value of a CAA record in quotes, and leaves every other value", async () => {
  const zone = await manualZone(zw);
  await zone.add("CAA", "empty", '0 issue ""');
  await zone.add("CAA", "other", "0 issue ca.example");
  const em = zw.services.database.fork();
  await sql`update records set value = ${"0 issue "} where domain_id = ${zone.id} and name = 'empty'`.execute(
    queries(em),
  );
  await em.getConnection().execute(quoteEmptyCaaValues);
  expect(await zone.lines()).toEqual(['empty CAA 0 issue ""', "other CAA 0 issue ca.example"]);
  const { body: zonefile } = await zone.get("/zonefile");
  expect((await zone.post("/zonefile", { zonefile, mode: "replace" })).body).toMatchObject({ unchanged: 2 });
});
