import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAlidnsServer, type AlidnsServer } from "../support/vendors/alidns/server.ts";
import { startDigitalOcean, type DigitalOceanServer } from "../support/vendors/digitalocean/server.ts";
import { startDnspodServer, type DnspodServer } from "../support/vendors/dnspod/server.ts";
import { useZonewright } from "../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../support/zones.ts";
import { configure, expectInSync } from "./vendor-zone.ts";

// Vendors that store a TXT as one text and split it themselves.

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let alidns: AlidnsServer;
let digitalocean: DigitalOceanServer;
let dnspod: DnspodServer;
beforeAll(async () => {
  [alidns, digitalocean, dnspod] = await Promise.all([startAlidnsServer(), startDigitalOcean(), startDnspodServer()]);
});
afterAll(() => Promise.all([alidns, digitalocean, dnspod].map((server) => server.stop())));

const texts = async (zone: Zone) =>
  (await zone.records("&type=TXT")).map(({ name: host, value, strings }) => [host, value, strings]);

describe.each<[name: string, kind: string, config: () => Record<string, string>, prepare: (zone: string) => unknown]>([
  ["DigitalOcean", "digitalocean", () => ({ token: digitalocean.token, endpoint: digitalocean.url }), () => undefined],
  [
    "DNSPod",
    "dnspod",
    () => ({ secretId: dnspod.secretId, secretKey: dnspod.secretKey, url: dnspod.url }),
    (zone) => dnspod.account.addDomain(zone, "DP_FREE"),
  ],
  [
    "Alibaba Cloud DNS",
    "alidns",
    () => ({ accessKeyId: alidns.accessKeyId, accessKeySecret: alidns.accessKeySecret, url: alidns.url }),
    (zone) => alidns.account.addDomain(zone, 600),
  ],
])("split TXT records at %s", (name, kind, config, prepare) => {
  /** A zone with a split text that moved there. */
  async function movedZone(): Promise<{ zone: Zone; before: Body }> {
    const zone = await manualZone(zw);
    const lines = 'cut 600 TXT "a" "b"\ncut 600 TXT "ab"\nother 600 TXT "c" "d"\n';
    await zone.post("/zonefile", { zonefile: lines });
    const { body: before } = await zone.post("/snapshots");
    prepare(zone.name);
    const providerConfigId = await configure(zw, kind, config(), []);
    const { status, body } = await zw.admin.put(zone.path, { providerConfigId });
    expect({ status, body }).toMatchObject({ status: 200 });
    return { zone, before };
  }

  test("moving a zone there joins each split text, and reading it back shows no difference", async () => {
    const { zone } = await movedZone();
    expect(await texts(zone)).toEqual([
      ["cut", "ab", null],
      ["other", "cd", null],
    ]);
    await expectInSync(zone);
    const [last] = await zone.history();
    expect(last).toMatchObject({ kind: "sync" });
    expect(last.changes).toContainEqual(
      expect.objectContaining({
        before: expect.objectContaining({ strings: ["c", "d"] }),
        after: expect.objectContaining({ strings: null }),
      }),
    );
  });

  test("edits and plans with explicit strings are refused, naming the provider", async () => {
    const { zone } = await movedZone();
    const record = { recordType: "TXT", name: "new", strings: ["a", "b"], ttl: 600 };
    const refused = { path: expect.arrayContaining(["strings"]), message: expect.stringContaining(name) };
    for (const answer of [
      await zone.create(record),
      await zone.post("/records/plan", { changes: [{ action: "create", record }] }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { issues: [refused] } });
    }
    expect((await zone.create({ ...record, strings: ["ab"] })).status).toBe(201);
    await expectInSync(zone);
  });

  test("an import joins split texts with a warning each, and repeating it changes nothing", async () => {
    const { zone } = await movedZone();
    const zonefile = 'new 600 TXT "a" "b"\nother 600 TXT "c" "d"\n';
    const { status, body } = await zone.post("/zonefile", { zonefile });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 1, updated: 0, unchanged: 1 } });
    expect(body.warnings).toEqual(
      ["new", "other"].map((host) => expect.stringMatching(`^${host} TXT loses its 2 strings: ${name} `)),
    );
    expect((await zone.post("/zonefile", { zonefile, dryRun: true })).body).toMatchObject({ created: 0, updated: 0 });
    await expectInSync(zone);
  });

  test("a rollback to split texts restores what it can, and its plan says so", async () => {
    const { zone, before } = await movedZone();
    const other = (await zone.records("&type=TXT")).find((record) => record.name === "other");
    await zone.delete(other.id);
    const path = `/snapshots/${before.id}/rollback`;
    const { body: dry } = await zone.post(path, { dryRun: true });
    expect(dry.plan.warnings).toContainEqual(expect.stringMatching(`^other TXT loses its 2 strings: ${name} `));
    await zone.post(path, { force: true });
    expect(await texts(zone)).toContainEqual(["other", "cd", null]);
    await expectInSync(zone);
  });
});
