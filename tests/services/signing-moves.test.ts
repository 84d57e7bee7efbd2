import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queries } from "../../server/database/database.ts";
import { startPowerdns, type PowerdnsServer } from "../support/name-servers/powerdns-api.ts";
import { embeddedConfig, fileZone, manualConfig, type Body, type Zone } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { JOBS: "off" } });
const times = "20301201000000 20251101000000 12345";
const key = "@ 3600 DNSKEY 257 3 13 AAAA\n";
const zonefiles = [
  `@ 3600 NS ns1\nns1 300 A 192.0.2.1\n${key}`,
  `@ 3600 NS ns1\nns1 300 A 192.0.2.1\nwww 300 A 192.0.2.2\n${key}sub 300 RRSIG A 13 3 300 ${times} zone.example. AAAA\n`,
  "@ 3600 NS ns1\nns1 300 A 192.0.2.1\nwww 300 A 192.0.2.3\nwww 300 A 192.0.2.4\n",
];

let server: PowerdnsServer;
let signing: string;
beforeAll(async () => {
  server = await startPowerdns();
  const config = { kind: "powerdns", name: "Signs", config: { url: server.url, apiKey: server.apiKey } };
  signing = (await zw.admin.post("/api/provider-configs", config)).body.id;
});
afterAll(() => server.stop());

/** A zone in a file, and an empty one of its name at a server that signs it. */
async function bothZones(lines: string): Promise<Zone> {
  const zone = await fileZone(zw, lines);
  await server.call("POST", "/zones", { name: `${zone.name}.`, kind: "Native", nameservers: [] });
  await server.pdnsutil("secure-zone", zone.name);
  return zone;
}

const moveTo = (zone: Zone, providerConfigId: string) => zw.admin.put(zone.path, { providerConfigId });

/** What the domain counts, what its list counts and holds, and what is live in the database. */
async function countsOf(zone: Zone): Promise<number[]> {
  const rows = await queries(zw.services.database.fork())
    .selectFrom("records")
    .select("record_id")
    .where("domain_id", "=", zone.id)
    .where("until", "is", null)
    .execute();
  const [detail, listed] = [await zone.detail(), await zone.get("/records?serverManaged=false&limit=500")];
  return [detail.recordCount, listed.body.total, listed.body.records.length, rows.length];
}

test("a domain that moves to a signing provider loses its keys once, and counts and lists all other records", async () => {
  const zone = await bothZones(zonefiles[0] ?? "");
  expect((await zone.detail()).recordCount).toBe(3);
  const { status, body } = await moveTo(zone, signing);
  expect({ status, body }).toMatchObject({ status: 200, body: { recordCount: 2, signedBy: "provider" } });
  expect((await zone.lines()).filter((line) => !line.startsWith("@ "))).toEqual(["ns1 A 192.0.2.1"]);
  expect(new Set(await countsOf(zone)).size).toBe(1);
  const { snapshots } = (await zone.get("/snapshots")).body;
  expect(snapshots).toMatchObject([{ trigger: "on_change", recordCount: 3 }]);
});

type Step = (zone: Zone) => Promise<unknown>;

const content = fc.constantFrom(...zonefiles);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .constantFrom(
      () => manualConfig(zw),
      () => embeddedConfig(zw),
      async () => signing,
    )
    .map(
      (config): Step =>
        async (zone) =>
          await moveTo(zone, await config()),
    ),
  fc.tuple(content, fc.constantFrom("merge", "replace")).map(
    ([zonefile, mode]): Step =>
      (zone) =>
        zone.post("/zonefile", { zonefile, mode, force: true }),
  ),
  fc.constant<Step>((zone) => zone.post("/sync", { force: true })),
  fc.constant<Step>((zone) => zone.post("/snapshots")),
  fc.nat(9).map((pick): Step => async (zone) => {
    const snapshots: Body[] = (await zone.get("/snapshots")).body.snapshots;
    const some = snapshots[pick % Math.max(1, snapshots.length)];
    return some && (await zone.post(`/snapshots/${some.id}/rollback`, { force: true }));
  }),
);

test(
  "after any imports, moves, syncs and rollbacks, a domain counts the records that it has",
  {
    timeout: 300_000,
  },
  async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.array(step, { minLength: 3, maxLength: 8 }), async (lines, steps) => {
        const zone = await bothZones(lines);
        for (const take of steps) {
          await take(zone);
          expect(new Set(await countsOf(zone)).size).toBe(1);
        }
      }),
      { numRuns: 25, seed: 29 },
    );
  },
);
