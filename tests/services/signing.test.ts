import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DriftJob, type OnDrift } from "../../server/drift/drift-job.ts";
import { ProviderComparison } from "../../server/records/compare-with-provider.ts";
import { Clock, hour } from "../support/clock.ts";
import { asPresented, recordLines } from "../support/records/presentation.ts";
import type { Body } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";
import { signingTargets, type SigningTarget } from "./signing-servers.ts";

const zw = useZonewright({ env: { JOBS: "off" } });
const clock = new Clock();
const managedTypes = new Set(["RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "ZONEMD", "TYPE65534"]);
const apexTypes = new Set(["DNSKEY", "CDS", "CDNSKEY"]);

describe.each(signingTargets)("a zone that is signed by %s", (name, start) => {
  const zone = `signed${signingTargets.findIndex(([other]) => other === name)}.example`;
  let target: SigningTarget;
  let path: string;
  let told: Parameters<OnDrift>[0][];

  beforeAll(async () => {
    target = await start(zone);
    const config = { kind: target.kind, name, config: target.config };
    const { body } = await zw.admin.post("/api/provider-configs", config);
    const imported = await zw.admin.post(`/api/provider-configs/${body.id}/import`, { zones: [zone] });
    expect(imported.body.results).toMatchObject([{ success: true, error: null }]);
    path = `/api/domains/${imported.body.results[0].domainId}`;
  });
  afterAll(() => target.stop());
  beforeEach(() => {
    told = [];
  });

  const records = async (query = "&serverManaged=false"): Promise<Body[]> =>
    (await zw.admin.get(`${path}/records?limit=500${query}`)).body.records;
  const newest = async (): Promise<Body> => (await zw.admin.get(`${path}/history?limit=1`)).body.entries[0];
  const nothing = { created: 0, updated: 0, deleted: 0 };

  /** What the server serves, without what it maintains. */
  async function served(): Promise<string[]> {
    const all = await target.transfer(zone);
    return recordLines(
      all.filter(({ name, type }) => !managedTypes.has(type) && !(apexTypes.has(type) && name === `${zone}.`)),
    );
  }

  async function expectAgreement(): Promise<void> {
    const listed = await records();
    expect(await served()).toEqual(recordLines(asPresented(zone, listed)));
    expect((await zw.admin.get(path)).body).toMatchObject({ recordCount: listed.length, signedBy: "provider" });
  }

  /** What the next check finds. */
  async function drift(): Promise<unknown> {
    clock.advance(hour);
    const job = new DriftJob({
      database: zw.services.database,
      connections: zw.services.providerConfigs.connections,
      comparison: new ProviderComparison(clock.now, clock.pause),
      log: zw.services.log,
      now: clock.now,
      every: "hourly",
      onDrift: (found) => {
        told.push(found);
      },
    });
    await job.runOnce();
    return (await zw.admin.get(path)).body.drift;
  }

  async function apply(changes: readonly unknown[]): Promise<Body> {
    const { body: plan } = await zw.admin.post(`${path}/records/plan`, { changes });
    const applied = await zw.admin.post(`${path}/records/apply`, { changes, planHash: plan.planHash });
    expect(applied).toMatchObject({ status: 200, body: { revision: expect.any(Number) } });
    return plan;
  }

  test("tells who signs it, and shows what the server maintains apart from its records", async () => {
    await expectAgreement();
    const { body: list } = await zw.admin.get(`/api/domains?search=${zone}`);
    expect(list.domains).toMatchObject([{ name: zone, signedBy: "provider" }]);
    const all = await records("");
    const managed = all.filter(({ serverManaged }: Body) => serverManaged);
    expect(all.slice(0, all.length - managed.length)).toEqual(await records());
    const types = new Set(managed.map(({ recordType }: Body) => recordType));
    expect(types).toEqual(target.showsManaged ? expect.any(Set) : new Set());
    for (const type of target.showsManaged ? ["RRSIG", "NSEC", "DNSKEY"] : []) expect(types).toContain(type);
    const apart = (await target.transfer(zone)).length - (await served()).length - 1;
    expect(managed).toHaveLength(target.showsManaged ? apart : 0);
  });

  test("pages and filters what the server maintains like other records", async () => {
    const all = await records("");
    for (const limit of [1, 3, 7]) {
      const pages: Body[] = [];
      for (let page = 1; pages.length < all.length; page++) {
        const { body } = await zw.admin.get(`${path}/records?page=${page}&limit=${limit}`);
        expect(body.total).toBe(all.length);
        pages.push(...body.records);
      }
      expect(pages).toEqual(all);
    }
    const keys = all.filter(({ recordType }: Body) => recordType === "DNSKEY");
    expect(await records("&type=DNSKEY")).toEqual(keys);
    expect(await records("&type=DNSKEY&serverManaged=false")).toEqual([]);
    const below = all.filter(({ name }: Body) => name.includes("ns"));
    expect(await records("&search=ns")).toEqual(below);
  });

  test("refuses to change or delete what the server maintains, in words", async () => {
    const maintained = (await records("")).filter(({ serverManaged }: Body) => serverManaged);
    for (const { id, recordType } of maintained.filter(({ recordType }: Body) => recordType !== "NSEC")) {
      const words = expect.stringContaining("is maintained by the name server that signs the zone");
      const deleted = await zw.admin.delete(`${path}/records/${id}`);
      expect([recordType, deleted]).toMatchObject([recordType, { status: 400, body: { detail: words } }]);
      const changed = await zw.admin.put(`${path}/records/${id}`, { ttl: 60 });
      expect(changed).toMatchObject({ status: 400, body: { detail: words } });
      const planned = await zw.admin.post(`${path}/records/plan`, { changes: [{ action: "delete", recordId: id }] });
      expect(planned).toMatchObject({ status: 400, body: { detail: words } });
    }
    await expectAgreement();
  });

  test(
    "takes 200 edits in a row, each answered as it happened, while it is signed anew",
    { timeout: 240_000 },
    async () => {
      const edits = fc.sample(fc.tuple(fc.nat(99), fc.nat(39), fc.integer({ min: 1, max: 250 })), {
        seed: 13,
        numRuns: 200,
      });
      for (const [index, [kind, host, value]] of edits.entries()) {
        if (index % 50 === 25) await target.resign(zone);
        const own = (await records()).filter(({ name }: Body) => name.startsWith("host"));
        const some = own[value % Math.max(1, own.length)];
        if (kind < 30 && some) {
          const { status, body } = await zw.admin.delete(`${path}/records/${some.id}`);
          expect([index, status, body]).toEqual([index, 200, { success: true }]);
        } else if (kind < 55 && some) {
          const patch = kind < 40 ? { ttl: 300 + value } : { name: `host${host}-${index}` };
          const { status, body } = await zw.admin.put(`${path}/records/${some.id}`, patch);
          expect([index, status, body]).toMatchObject([index, 200, patch]);
        } else {
          const [recordType, text] = (
            [
              ["A", `192.0.2.${value}`],
              ["AAAA", `2001:db8::${value}`],
              ["TXT", `text ${value}`],
              ["MX", `${value} mail.example.net`],
              ["CNAME", `alias${value}.example.net`],
            ] as const
          )[kind % 5] ?? ["A", "192.0.2.1"];
          const record = { recordType, name: `host${host}-${index}`, value: text, ttl: 300 };
          const { status, body } = await zw.admin.post(`${path}/records`, record);
          expect([index, status, body]).toMatchObject([index, 201, record]);
        }
        if (index % 40 === 39) {
          await expectAgreement();
          expect(await drift()).toBeNull();
        }
      }
      await expectAgreement();
      expect(told).toEqual([]);
    },
  );

  test("takes bulk calls and atomic plans, whole", async () => {
    const bulk = Array.from({ length: 100 }, (_, index) => ({
      recordType: "A",
      name: `bulk${index}`,
      value: `192.0.2.${index}`,
    }));
    const { body } = await zw.admin.post(`${path}/records/bulk`, { records: bulk, mode: "atomic" });
    expect(body).toMatchObject({ total: 100, succeeded: 100 });
    await target.resign(zone);
    const made = (await records()).filter(({ name }: Body) => name.startsWith("bulk"));
    const plan = await apply([
      ...made.slice(0, 40).map(({ id }: Body) => ({ action: "delete", recordId: id })),
      ...made.slice(40, 60).map(({ id }: Body) => ({ action: "update", recordId: id, record: { ttl: 77 } })),
      ...made.slice(0, 20).map(({ name }: Body) => ({
        action: "create",
        record: { recordType: "CNAME", name, value: "to.example.net" },
      })),
    ]);
    expect(plan.warnings).not.toContainEqual(expect.stringContaining("outside Zonewright"));
    await expectAgreement();
    expect([await drift(), told]).toEqual([null, []]);
  });

  test("goes back to a snapshot as a whole, though it was signed anew since", async () => {
    const before = await served();
    const { body: snapshot } = await zw.admin.post(`${path}/snapshots`, {});
    expect(snapshot.records.filter(({ serverManaged }: Body) => serverManaged)).toEqual([]);
    const some = (await records()).filter(({ name }: Body) => name.startsWith("bulk"));
    await apply([
      ...some.slice(0, 10).map(({ id }: Body) => ({ action: "delete", recordId: id })),
      { action: "create", record: { recordType: "TXT", name: "after", value: "the snapshot" } },
    ]);
    await target.resign(zone);
    const answer = await zw.admin.post(`${path}/snapshots/${snapshot.id}/rollback`, { force: true });
    expect(answer).toMatchObject({ status: 200, body: { success: true, created: 10, deleted: 1, failed: [] } });
    expect(await served()).toEqual(before);
    await expectAgreement();
  });

  test("is replaced by a file, whose DNSSEC records are left out", async () => {
    const { body: plain } = await zw.admin.get(`${path}/zonefile`);
    expect(plain).not.toMatch(/\sIN (RRSIG|NSEC|DNSKEY)\s/);
    const { body: whole } = await zw.admin.get(`${path}/zonefile?serverManaged=true`);
    if (target.showsManaged) expect(whole).toMatch(/\sIN RRSIG\s/);
    const some = /^bulk4\d .* IN (?:A|CNAME) .*$/gm;
    const deleted = whole.match(some).length;
    const file = { zonefile: `${whole.replaceAll(some, "")}replaced 300 IN A 192.0.2.99\n`, mode: "replace" };
    const { status, body } = await zw.admin.post(`${path}/zonefile`, file);
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 1, updated: 0, deleted } });
    if (target.showsManaged)
      expect(body.warnings).toContainEqual(expect.stringMatching(/^\d+ DNSSEC records of the file/));
    await expectAgreement();
  });

  test("has nothing to sync after it was signed anew, and no plan warns of an edit elsewhere", async () => {
    await target.resign(zone);
    const changes = [{ action: "create", record: { recordType: "A", name: "planned", value: "192.0.2.1" } }];
    expect((await zw.admin.post(`${path}/records/plan`, { changes })).body.warnings).toEqual([]);
    const { body } = await zw.admin.post(`${path}/sync`);
    expect(body).toMatchObject({ ...nothing, synced: (await records()).length, unchanged: (await records()).length });
    await target.resign(zone);
    expect([await drift(), told]).toEqual([null, []]);
  });

  test("has an edit by others found by the next check, between two signings", async () => {
    await target.resign(zone);
    await target.add(zone, [`foreign.${zone}. 300 A 192.0.2.200`]);
    await target.resign(zone);
    const changes = [{ action: "create", record: { recordType: "A", name: "planned", value: "192.0.2.1" } }];
    expect((await zw.admin.post(`${path}/records/plan`, { changes })).body.warnings).toContainEqual(
      expect.stringContaining("changed at its provider outside Zonewright"),
    );
    expect(await drift()).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    expect(told).toHaveLength(1);
    expect((await zw.admin.post(`${path}/sync`)).body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    expect(await drift()).toBeNull();
    await expectAgreement();
  });

  test("has an edit by others found that came between two of ours", async () => {
    await zw.admin.post(`${path}/records`, { recordType: "A", name: "ours1", value: "192.0.2.1" });
    await target.add(zone, [`between.${zone}. 300 A 192.0.2.201`]);
    await zw.admin.post(`${path}/records`, { recordType: "A", name: "ours2", value: "192.0.2.1" });
    expect(await drift()).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    await zw.admin.post(`${path}/sync`);
    await expectAgreement();
  });

  test("shows what the server does to the DS of a delegation whose name servers are deleted", async () => {
    const digest = "AB".repeat(32);
    await target.add(zone, [`sub.${zone}. 300 NS ns.example.net.`, `sub.${zone}. 300 DS 12345 13 2 ${digest}`]);
    await zw.admin.post(`${path}/sync`);
    const [delegation] = (await records("&type=NS&search=sub")) as Body[];
    const [ds] = await records("&type=DS");
    expect(ds).toMatchObject({ name: "sub", serverManaged: false });
    expect((await zw.admin.delete(`${path}/records/${delegation.id}`)).status).toBe(200);
    await expectAgreement();
    const [left] = await records("&type=DS");
    const gone = left ? [delegation.id] : [delegation.id, ds.id];
    const { deletes, changes } = await newest();
    expect([deletes, changes.map(({ recordId }: Body) => recordId).toSorted()]).toEqual([gone.length, gone.toSorted()]);
    expect(await drift()).toBeNull();
  });
});
