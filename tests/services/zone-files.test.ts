import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { compiledZone, knotAccepts } from "../support/name-servers/compilezone.ts";
import { embeddedConfig, type Body } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";
import { awkwardZones } from "../dns/zone-file/corpus/all.ts";
import type { AwkwardZone } from "../dns/zone-file/corpus/awkward-zone.ts";
import { refusedByBind } from "../dns/zone-file/corpus/refused.ts";

const zw = useZonewright({ env: { JOBS: "off", RATE_LIMIT: "off", RATE_LIMIT_COSTLY: "off" } });
let config: string;
let folder: string;
let path: string | null = null;

beforeAll(async () => {
  config = await embeddedConfig(zw);
  folder = join(zw.dataDir, "zones");
  await mkdir(folder, { recursive: true });
});
afterEach(async () => {
  if (path !== null) await zw.admin.delete(path);
  path = null;
});

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text as a client can send it; null where its octets are not UTF-8. */
function asSent(octets: Buffer): string | null {
  try {
    return utf8.decode(octets);
  } catch {
    return null;
  }
}

/** What the text that the zone was read from would change in it. */
async function changesOf(domain: string, zonefile: string | null): Promise<Body> {
  if (zonefile === null) return { created: 0, updated: 0, deleted: 0 };
  const { body } = await zw.admin.post(`${domain}/zonefile`, { zonefile, mode: "replace", dryRun: true });
  return { created: body.created, updated: body.updated, deleted: body.deleted };
}

/** Deleting these may be refused because the zone would not load, as may what BIND's check-names forbids. */
const addressing = new Set(["A", "AAAA", "NS", "SRV"]);

/** Changes, adds and deletes something, and reverts all of it. */
async function editAndRollBack(domain: string): Promise<void> {
  const snapshot = (await zw.admin.post(`${domain}/snapshots`)).body;
  const { records } = (await zw.admin.get(`${domain}/records?limit=500`)).body;
  const created = await zw.admin.post(`${domain}/records`, { recordType: "TXT", name: "ed", value: "here" });
  expect(created.status).toBe(201);
  const [first, ...others] = records.filter(({ name }: Body) => name !== "@");
  const edited = await zw.admin.put(`${domain}/records/${first.id}`, { ttl: first.ttl === 77 ? 78 : 77 });
  expect(edited.status).toBe(200);
  const last = others.findLast(({ recordType }: Body) => !addressing.has(recordType));
  if (last) expect((await zw.admin.delete(`${domain}/records/${last.id}`)).status).toBe(200);
  const rollback = await zw.admin.post(`${domain}/snapshots/${snapshot.id}/rollback`);
  expect(rollback.body).toMatchObject({ success: true, failed: [] });
}

async function expectRoundTrip({ zone, text, plain = text }: AwkwardZone): Promise<void> {
  const octets = Buffer.from(text, "latin1");
  const original = Buffer.from(plain, "latin1");
  const file = join(folder, `${zone.replaceAll("/", "%2f")}.zone`);
  await writeFile(file, octets);
  const imported = await zw.admin.post(`/api/provider-configs/${config}/import`, { zones: [zone] });
  expect(imported.body.results).toMatchObject([{ success: true, error: null }]);
  path = `/api/domains/${imported.body.results[0].domainId}`;

  expect(await changesOf(path, asSent(octets))).toEqual({ created: 0, updated: 0, deleted: 0 });
  await editAndRollBack(path);

  const meant = await compiledZone(zone, original);
  const exported = (await zw.admin.get(`${path}/zonefile`)).body;
  expect(await compiledZone(zone, exported)).toEqual(meant);
  expect(await compiledZone(zone, await readFile(file))).toEqual(meant);
  // Knot may refuse what it refused before.
  const { accepted, said } = await knotAccepts(zone, exported);
  expect({ said, accepted: accepted || !(await knotAccepts(zone, original)).accepted }).toEqual({
    said,
    accepted: true,
  });
}

describe("after import, edits and a rollback, the export compiles in BIND to the original zone", () => {
  test.each(awkwardZones.map((zone) => [zone.title, zone] as const))(
    "the export still compiles to the original zone: %s",
    async (_, zone) => {
      expect.hasAssertions();
      await expectRoundTrip(zone);
    },
  );
});

describe("lines for which an import and BIND both refuse a zone", () => {
  test.each(refusedByBind)("BIND refuses a zone with a line that imports refuse: %s", async (line) => {
    const text = `$TTL 60\n@ SOA ns1 hostmaster 1 2 3 4 5\n@ NS ns1\nns1 A 192.0.2.1\n${line}\n`;
    await expect(compiledZone("example.com", Buffer.from(text, "latin1"))).rejects.toThrow("refuses");
  });
});
