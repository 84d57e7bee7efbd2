import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { queries } from "../../server/database/database.ts";
import type { TsigKey } from "../../server/dns/wire/tsig.ts";
import { StandInSecondary } from "../support/name-servers/stand-in-secondary.ts";
import { patience } from "../support/patience.ts";
import { useZonewright } from "../support/zonewright.ts";
import { untilFollowed } from "./until-followed.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0", JOBS: "off" } });
const keyOf = (name: string): TsigKey => ({ name, algorithm: "hmac-sha256", secret: Buffer.from(`secret of ${name}`) });
const keys = { one: keyOf("one"), two: keyOf("two") };
const now = () => new Date();
const secondaries = new Map<string, StandInSecondary>();
const configs = new Map<string, string>();

/** Which secondaries each configuration notifies, and with which key. */
const notified: Record<string, { secondaries: readonly string[]; key: TsigKey | null }> = {
  "one.example": { secondaries: ["with key one"], key: keys.one },
  "two.example": { secondaries: ["with key two"], key: keys.two },
  "plain.example": { secondaries: ["plain", "other plain"], key: null },
  "nobody.example": { secondaries: [], key: null },
};

beforeAll(async () => {
  for (const [name, key] of [
    ["with key one", keys.one],
    ["with key two", keys.two],
    ["plain", null],
    ["other plain", null],
  ] as const)
    secondaries.set(name, await StandInSecondary.start(key, now));
  for (const [name, { secondaries: names, key }] of Object.entries(notified)) {
    const config = {
      nameServers: "ns1.example.net",
      contact: "dns@example.net",
      notify: names.map((one) => `127.0.0.1:${secondaries.get(one)?.port}`).join(","),
      ...(key ? { tsigKeys: `${key.name}:${key.algorithm}:${key.secret.toString("base64")}` } : {}),
    };
    const { status, body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name, config });
    if (status !== 201) throw new Error(`Not created: ${JSON.stringify(body)}`);
    configs.set(name, body.id);
  }
});
afterAll(() => {
  for (const secondary of secondaries.values()) secondary.stop();
});

async function create(name: string, config: string): Promise<string> {
  const { status, body } = await zw.admin.post("/api/domains", { name, providerConfigId: configs.get(config) });
  expect({ status, body }).toMatchObject({ status: 201 });
  return `/api/domains/${body.id}`;
}

const report = async (path: string) => (await zw.admin.get(`${path}/secondaries`)).body;

async function inSync(path: string): Promise<void> {
  const check = async () => {
    const { secondaries: rows, serial } = await report(path);
    for (const row of rows) expect(row).toMatchObject({ inSync: true, serial });
  };
  await vi.waitFor(check, patience);
}

/** Waits until the notifier has found a new zone at its secondaries. */
async function followed(path: string, count = 1): Promise<void> {
  await untilFollowed(zw, zw.admin, path.split("/").at(-1) ?? "", count);
}

/** What is stored of the secondaries of a zone. */
async function rowsOf(path: string) {
  const found = queries(zw.services.database.fork()).selectFrom("primary_secondaries").select("error");
  return await found.where("zone_id", "=", path.split("/").at(-1) ?? "").execute();
}

test("each secondary is notified of the zones whose configuration lists it, signed with that configuration's key, and of no others (RFC 1996 §3.1)", async () => {
  for (const [zone, { secondaries: listed }] of Object.entries(notified))
    await followed(await create(zone, zone), listed.length);
  for (const [name, secondary] of secondaries) {
    // An answer that is signed with the key of the secondary is what acknowledges a NOTIFY.
    const heard = Object.keys(notified).filter((zone) => secondary.notified(zone).length > 0);
    expect(heard).toEqual(Object.keys(notified).filter((zone) => notified[zone]?.secondaries.includes(name)));
  }
});

test("a NOTIFY that is not acknowledged is sent again until it is (RFC 1996 §3.6)", async () => {
  const secondary = secondaries.get("plain");
  const path = await create("again.example", "plain.example");
  await followed(path, 2);
  if (secondary) secondary.answers = false;
  const { status } = await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  expect(status).toBe(201);
  const failed = async () =>
    expect((await report(path)).secondaries).toContainEqual(
      expect.objectContaining({ inSync: false, error: expect.any(String) }),
    );
  await vi.waitFor(failed, patience);
  if (secondary) secondary.answers = true;
  await inSync(path);
  expect(secondary?.notified("again.example").at(-1)).toBe((await report(path)).serial);
});

test("a secondary that does not answer gets no more messages of a serial the more often it is found behind", async () => {
  const secondary = await StandInSecondary.start(null, now);
  try {
    const config = {
      nameServers: "ns1.example.net",
      contact: "dns@example.net",
      notify: `127.0.0.1:${secondary.port}`,
    };
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "silent", config });
    configs.set("silent", body.id);
    const path = await create("silent.example", "silent");
    await followed(path);
    secondary.answers = false;
    secondary.heard = 0;
    const { status } = await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
    expect(status).toBe(201);
    for (let minute = 0; minute < 10; minute++) await zw.services.secondaryCheck.runOnce();
    await vi.waitFor(() => expect(secondary.heard).toBeGreaterThan(1), patience);
    // The NOTIFY and five more.
    expect(secondary.heard).toBeLessThanOrEqual(6);
    secondary.answers = true;
    await inSync(path);
  } finally {
    secondary.stop();
  }
});

test("a NOTIFY that is answered SERVFAIL at once is sent again after a while (RFC 1996 §3.6)", async () => {
  const secondary = secondaries.get("plain");
  const path = await create("restarts.example", "plain.example");
  await followed(path, 2);
  if (secondary) secondary.rcode = 2;
  const { status } = await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
  expect(status).toBe(201);
  const stored = async () =>
    expect((await rowsOf(path)).map(({ error }) => error)).toContain("The secondary refuses: SERVFAIL.");
  await vi.waitFor(stored, patience);
  if (secondary) secondary.rcode = 0;
  const before = secondary?.notified("restarts.example").at(-1) ?? 0;
  // Nothing else repeats it: no job runs, and nobody asks for the report.
  const heard = () => expect(secondary?.notified("restarts.example").at(-1)).toBe(before + 1);
  await vi.waitFor(heard, patience);
});

test("a secondary that does not have a member of a catalog is to read the catalog anew, each minute for an hour (RFC 9432 §5.2)", async () => {
  const secondary = await StandInSecondary.start(null, now);
  try {
    const catalogZone = "lacking.invalid";
    const notify = `127.0.0.1:${secondary.port}`;
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify, catalogZone };
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "lacking", config });
    configs.set("lacking", body.id);
    const path = await create("refused.example", "lacking");
    await followed(path);
    const heard = () => [...new Set(secondary.notified(catalogZone))];
    await vi.waitFor(() => expect(heard()).toHaveLength(1), patience);
    await zw.services.secondaryCheck.runOnce();
    await zw.services.dnsService.sweep();
    expect(heard()).toHaveLength(1);
    // As BIND, which took the catalog for one whose member another catalog still had.
    secondary.lacks.add("refused.example");
    const zoneId = path.split("/").at(-1) ?? "";
    await queries(zw.services.database.fork())
      .deleteFrom("primary_secondaries")
      .where("zone_id", "=", zoneId)
      .execute();
    for (const times of [2, 3]) {
      await zw.services.secondaryCheck.runOnce();
      await vi.waitFor(() => expect(heard()).toHaveLength(times), patience);
    }
    expect(heard().at(-1)).toBeGreaterThan(heard()[0] ?? 0);
    await sql`update primary_secondaries set behind_since = behind_since - interval '61 minutes'`.execute(
      queries(zw.services.database.fork()),
    );
    await zw.services.secondaryCheck.runOnce();
    await zw.services.dnsService.sweep();
    expect(heard()).toHaveLength(3);
  } finally {
    secondary.stop();
  }
});

test("catalogs that change together, as for a move between them, are announced that of the old place first, and again after ten seconds", async () => {
  const secondary = await StandInSecondary.start(null, now);
  try {
    const notify = `127.0.0.1:${secondary.port}`;
    const catalogs = ["old.invalid", "new.invalid"];
    const configure = async (catalogZone: string) => {
      const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify, catalogZone };
      const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: catalogZone, config });
      configs.set(catalogZone, body.id);
    };
    const heard = () => catalogs.map((name) => new Set(secondary.notified(name)).size);
    await configure("old.invalid");
    await zw.services.dnsService.sweep();
    await vi.waitFor(() => expect(heard()).toEqual([1, 0]), patience);
    await configure("new.invalid");
    const path = await create("moved.example", "new.invalid");
    await followed(path);
    await vi.waitFor(() => expect(heard()).toEqual([1, 1]), patience);
    const order = secondary.order.length;
    // Its configuration is the older one, whose catalog would be the first otherwise.
    const move = { providerConfigId: configs.get("old.invalid"), force: true };
    expect((await zw.admin.put(path, move)).status).toBe(200);
    await vi.waitFor(() => expect(heard()).toEqual([3, 3]), patience);
    expect(
      secondary.order
        .slice(order)
        .filter((name) => catalogs.includes(name))
        .slice(0, 2),
    ).toEqual(["new.invalid", "old.invalid"]);
  } finally {
    secondary.stop();
  }
});

test("a secondary is notified of a catalog again each minute until it acknowledges it (RFC 1996 §3.6)", async () => {
  const secondary = await StandInSecondary.start(null, now);
  try {
    const catalogZone = "catalog.invalid";
    const notify = `127.0.0.1:${secondary.port}`;
    const config = { nameServers: "ns1.example.net", contact: "dns@example.net", notify, catalogZone };
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "catalog", config });
    configs.set("catalog", body.id);
    secondary.rcode = 5;
    await create("member.example", "catalog");
    const stored = async () => (await rowsOf(body.id)).map(({ error }) => error);
    await vi.waitFor(async () => expect(await stored()).toEqual(["The secondary refuses: REFUSED."]), patience);
    secondary.rcode = 0;
    await zw.services.dnsService.sweep();
    await vi.waitFor(async () => expect(await stored()).toEqual([null]), patience);
    expect(secondary.notified(catalogZone)).toHaveLength(1);
    await zw.services.dnsService.sweep();
    await create("second-member.example", "catalog");
    await vi.waitFor(() => expect(secondary.notified(catalogZone)).toHaveLength(2), patience);
  } finally {
    secondary.stop();
  }
});
