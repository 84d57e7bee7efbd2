import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { Clock } from "../support/clock.ts";
import { startPowerdns } from "../support/name-servers/powerdns-api.ts";
import { asPresented, recordLines } from "../support/records/presentation.ts";
import type { Body } from "../support/zones.ts";
import { useZonewright } from "../support/zonewright.ts";
import { SignedZone } from "./signed-zone.ts";
import { signingTargets, type SigningTarget } from "./signing-servers.ts";

const zw = useZonewright({ env: { JOBS: "off" } });
const clock = new Clock();
const nothing = { created: 0, updated: 0, deleted: 0 };
const agrees = { drift: null, reported: 0 };
const done = { status: 200, body: { revision: expect.any(Number) } };
const refused = {
  status: 400,
  body: { detail: expect.stringContaining("is maintained by the name server that signs the zone") },
};

/** Expects the list, the domain and the server to agree. */
async function expectAgreement(zone: SignedZone): Promise<void> {
  const listed = await zone.records();
  expect(await zone.served()).toEqual(recordLines(asPresented(zone.name, listed)));
  expect((await zone.get()).body).toMatchObject({ recordCount: listed.length, signedBy: "provider" });
}

describe.each(signingTargets)("a zone signed by %s", (label, start) => {
  const name = `signed${signingTargets.findIndex(([other]) => other === label)}.example`;
  let target: SigningTarget;
  let zone: SignedZone;

  beforeAll(async () => {
    target = await start(name);
    zone = await SignedZone.bringIn(zw, clock, target, name);
  });
  afterAll(() => target.stop());

  test("a signed zone says who signs it, and shows server-managed records apart from its own", async () => {
    await expectAgreement(zone);
    const { body: list } = await zw.admin.get(`/api/domains?search=${name}`);
    expect(list.domains).toMatchObject([{ name, signedBy: "provider" }]);
    const maintained = await zone.maintained();
    expect(await zone.records("")).toEqual([...(await zone.records()), ...maintained]);
    const types = new Set(maintained.map(({ recordType }: Body) => recordType));
    expect(types).toEqual(target.maintains);
    // Everything in the transfer except the SOA and user records.
    const apart = (await target.transfer(name)).length - (await zone.served()).length - 1;
    expect(maintained).toHaveLength(target.maintains.size === 0 ? 0 : apart);
  });

  test("server-managed records can be paged and filtered like others", async () => {
    const all = await zone.records("");
    for (const limit of [1, 3, 7]) {
      const pages: Body[] = [];
      for (let page = 1; pages.length < all.length; page++) {
        const { body } = await zone.get(`/records?page=${page}&limit=${limit}`);
        expect(body.total).toBe(all.length);
        pages.push(...body.records);
      }
      expect(pages).toEqual(all);
    }
    expect(await zone.records("&type=DNSKEY")).toEqual(all.filter(({ recordType }: Body) => recordType === "DNSKEY"));
    expect(await zone.records("&type=DNSKEY&serverManaged=false")).toEqual([]);
    expect(await zone.records("&search=ns")).toEqual(all.filter(({ name: host }: Body) => host.includes("ns")));
    expect(await zone.records("&name=@")).toEqual(all.filter(({ name: host }: Body) => host === "@"));
  });

  test("changing or deleting a server-managed record is refused with a reason", async () => {
    for (const { id } of await zone.maintained()) {
      expect(await zone.delete(id)).toMatchObject(refused);
      expect(await zone.change(id, { ttl: 60 })).toMatchObject(refused);
      const changes = [{ action: "delete", recordId: id }];
      expect(await zone.post("/records/plan", { changes })).toMatchObject(refused);
    }
    await expectAgreement(zone);
  });

  test(
    "a signed zone takes 200 edits in a row with correct answers, while it is re-signed",
    { timeout: 300_000 },
    async () => {
      const numbers = fc.tuple(fc.nat(99), fc.nat(39), fc.integer({ min: 1, max: 250 }));
      for (const [index, edit] of fc.sample(numbers, { seed: 13, numRuns: 200 }).entries()) {
        if (index % 50 === 25) await zone.resign();
        const { answer, wanted } = await zone.edit(index, edit);
        expect([index, answer]).toMatchObject([index, wanted]);
        if (index % 40 !== 39) continue;
        await expectAgreement(zone);
        expect(await zone.check()).toEqual(agrees);
      }
      await expectAgreement(zone);
    },
  );

  test("a signed zone takes bulk calls and atomic plans as a whole", async () => {
    const records = Array.from({ length: 100 }, (_, index) => ({
      recordType: "A",
      name: `bulk${index}`,
      value: `192.0.2.${index}`,
    }));
    const { body } = await zone.post("/records/bulk", { records, mode: "atomic" });
    expect(body).toMatchObject({ total: 100, succeeded: 100 });
    await zone.resign();
    const made = (await zone.records()).filter(({ name: host }: Body) => host.startsWith("bulk"));
    const { warnings, applied } = await zone.apply([
      ...made.slice(0, 30).map(({ id }: Body) => ({ action: "delete", recordId: id })),
      ...made.slice(40, 60).map(({ id }: Body) => ({ action: "update", recordId: id, record: { ttl: 77 } })),
      ...made.slice(0, 20).map(({ name: host }: Body) => ({
        action: "create",
        record: { recordType: "CNAME", name: host, value: "to.example.net" },
      })),
    ]);
    expect(applied).toMatchObject(done);
    expect(warnings).toEqual([]);
    await expectAgreement(zone);
    expect(await zone.check()).toEqual(agrees);
  });

  test.each([
    ["250 long texts", (index: number) => `text${index} 300 TXT "${"x".repeat(250)}" "${"y".repeat(150)}"`, 250],
    ["3,000 addresses", (index: number) => `many${index} 300 A 10.0.${index >> 8}.${index & 255}`, 3_000],
  ])("a signed zone takes %s in one import, and counts them", { timeout: 300_000 }, async (_, line, count) => {
    const { recordCount } = (await zone.get()).body;
    const zonefile = Array.from({ length: count }, (_line, index) => `${line(index)}\n`).join("");
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: count } });
    expect((await zone.get()).body.recordCount).toBe(recordCount + count);
    const isServed = async () => expect(await zone.served()).toHaveLength(recordCount + count);
    await vi.waitFor(isServed, { timeout: 60_000, interval: 200 });
    const snapshots = (await zone.get("/snapshots")).body.snapshots;
    const back = await zone.post(`/snapshots/${snapshots[0].id}/rollback`, { force: true });
    expect(back).toMatchObject({ status: 200, body: { deleted: count, failed: [] } });
    await vi.waitFor(() => expectAgreement(zone), { timeout: 60_000, interval: 200 });
    expect(await zone.check()).toEqual(agrees);
  });

  test("a key below the apex of a signed zone is served, or refused and not stored", async () => {
    // Not a zone key: those belong at the apex (RFC 4035 §2.1).
    const key = "mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==";
    const zonefile = `keyed 300 DNSKEY 0 3 13 ${key}\n`;
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "merge" });
    const isServed = (await zone.served()).some((line) => line.includes("DNSKEY"));
    expect(status).toBe(isServed ? 200 : 409);
    const isRefusedInWords = JSON.stringify(body).includes("serves only its own keys");
    expect(isRefusedInWords).toBe(label === "BIND with inline signing");
    await expectAgreement(zone);
    const kept = await zone.records("&type=DNSKEY&serverManaged=false");
    for (const { id } of kept) expect(await zone.delete(id)).toMatchObject({ status: 200 });
    expect(await zone.check()).toEqual(agrees);
  });

  test("a signed zone can be rolled back as a whole after it was re-signed", async () => {
    const before = await zone.served();
    const { body: snapshot } = await zone.post("/snapshots", {});
    expect(snapshot.records.filter(({ serverManaged }: Body) => serverManaged)).toEqual([]);
    const some = (await zone.records()).filter(({ name: host }: Body) => host.startsWith("bulk"));
    const { applied } = await zone.apply([
      ...some.slice(0, 10).map(({ id }: Body) => ({ action: "delete", recordId: id })),
      { action: "create", record: { recordType: "TXT", name: "after", value: "the snapshot" } },
    ]);
    expect(applied).toMatchObject(done);
    await zone.resign();
    const answer = await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: true });
    expect(answer).toMatchObject({ status: 200, body: { success: true, created: 10, deleted: 1, failed: [] } });
    expect(await zone.served()).toEqual(before);
    await expectAgreement(zone);
  });

  test("a file replaces a signed zone without the file's DNSSEC records", async () => {
    const { body: plain } = await zone.get("/zonefile");
    expect(plain).not.toMatch(/\sIN +(RRSIG|NSEC|DNSKEY)\s/);
    const { body: whole } = await zone.get("/zonefile?serverManaged=true");
    const maintained = whole.match(/\sIN +(RRSIG|NSEC|DNSKEY|CDS|CDNSKEY|TYPE6553[45])\s/g)?.length ?? 0;
    expect(maintained).toBe((await zone.maintained()).length);
    const some = /^bulk4\d .* IN (?:A|CNAME) .*$/gm;
    const deleted = whole.match(some).length;
    const zonefile = `${whole.replaceAll(some, "")}replaced 300 IN A 192.0.2.99\n`;
    const { status, body } = await zone.post("/zonefile", { zonefile, mode: "replace" });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 1, updated: 0, deleted } });
    const leftOut = `Skipped ${maintained} DNSSEC records: the name server signs this zone and maintains them itself.`;
    expect(body.warnings).toEqual(maintained === 0 ? [] : [leftOut]);
    await expectAgreement(zone);
  });

  test("a re-signed zone has nothing to sync, and no plan warns of an edit elsewhere", async () => {
    await zone.resign();
    expect(await zone.planWarnings()).toEqual([]);
    const { body } = await zone.post("/sync");
    const { length } = await zone.records();
    expect(body).toMatchObject({ ...nothing, synced: length, unchanged: length });
    await zone.resign();
    expect(await zone.check()).toEqual(agrees);
  });

  test("an edit elsewhere between two signings is found by the next check", async () => {
    await zone.resign();
    await zone.addElsewhere(["foreign", "300 A 192.0.2.200"]);
    await zone.resign();
    expect(await zone.planWarnings()).toContainEqual(expect.stringContaining("outside Zonewright"));
    expect(await zone.check()).toMatchObject({ drift: { created: 1, updated: 0, deleted: 0 }, reported: 1 });
    expect((await zone.post("/sync")).body).toMatchObject({ created: 1, updated: 0, deleted: 0 });
    expect(await zone.check()).toEqual(agrees);
    await expectAgreement(zone);
  });

  test("an edit elsewhere between two edits of ours is found by the next check", async () => {
    await zone.post("/records", { recordType: "A", name: "ours1", value: "192.0.2.1" });
    await zone.addElsewhere(["between", "300 A 192.0.2.201"]);
    await zone.post("/records", { recordType: "A", name: "ours2", value: "192.0.2.1" });
    expect(await zone.check()).toMatchObject({ drift: { created: 1, updated: 0, deleted: 0 }, reported: 1 });
    await zone.post("/sync");
    await expectAgreement(zone);
  });

  test("deleting a delegation's name servers shows what the server does to its DS", async () => {
    await zone.addElsewhere(["sub", "300 NS ns.example.net."], ["sub", `300 DS 12345 13 2 ${"AB".repeat(32)}`]);
    await zone.post("/sync");
    const [delegation] = await zone.records("&type=NS&name=sub");
    const [ds] = await zone.records("&type=DS");
    expect(ds).toMatchObject({ name: "sub", serverManaged: false });
    expect(await zone.delete(delegation.id)).toMatchObject({ status: 200 });
    await expectAgreement(zone);
    expect(await zone.records("&type=DS")).toEqual(target.dropsDs ? [] : [ds]);
    const [{ deletes, changes }] = (await zone.get("/history?limit=1")).body.entries;
    const gone = new Set(target.dropsDs ? [delegation.id, ds.id] : [delegation.id]);
    expect([deletes, new Set(changes.map(({ recordId }: Body) => recordId))]).toEqual([gone.size, gone]);
    expect(await zone.check()).toEqual(agrees);
  });

  test("deleting a key that the server keeps is not reported as a success", async () => {
    await zone.storeAsBefore();
    for (const { id } of (await zone.records("&type=DNSKEY")).slice(0, 1)) {
      expect(await zone.delete(id)).toMatchObject({ status: 502, body: { code: "PROVIDER_ERROR" } });
      expect((await zone.records("&type=DNSKEY")).map((record: Body) => record.id)).toContain(id);
    }
    expect((await zone.post("/sync")).body).toMatchObject(nothing);
    await expectAgreement(zone);
  });

  test.each([
    ["a sync", async () => expect((await zone.post("/sync")).body).toMatchObject(nothing)],
    ["a check", async () => expect(await zone.check()).toEqual(agrees)],
  ])("signing records stored by version 0.1 are removed by %s without counting as a change", async (_, read) => {
    const { length } = await zone.records("");
    const { total } = (await zone.get("/history")).body;
    expect(await zone.storeAsBefore()).toBe(length);
    const { body: snapshot } = await zone.post("/snapshots", {});
    await read();
    await expectAgreement(zone);
    expect((await zone.get("/history")).body.total).toBe(total);
    const back = await zone.post(`/snapshots/${snapshot.id}/rollback`, {});
    expect(back).toMatchObject({ status: 200, body: { success: true, ...nothing, failed: [] } });
    await expectAgreement(zone);
  });
});

test("a plan does not warn of an edit elsewhere if its zone was only signed, and shows who signs it", async () => {
  const server = await startPowerdns();
  onTestFinished(() => server.stop());
  const name = "signed-later.example";
  await server.call("POST", "/zones", { name: `${name}.`, kind: "Native", nameservers: [`ns.${name}.`] });
  const config = { kind: "powerdns", name: "Signed later", config: { url: server.url, apiKey: server.apiKey } };
  const { body: made } = await zw.admin.post("/api/provider-configs", config);
  const { body: imported } = await zw.admin.post(`/api/provider-configs/${made.id}/import`, { zones: [name] });
  const path = `/api/domains/${imported.results[0].domainId}`;
  const changes = [{ action: "create", record: { recordType: "A", name: "planned", value: "192.0.2.1" } }];
  expect((await zw.admin.get(path)).body).toMatchObject({ signedBy: null });
  await server.pdnsutil("secure-zone", name);
  await server.pdnsutil("increase-serial", name);
  expect((await zw.admin.post(`${path}/records/plan`, { changes })).body.warnings).toEqual([]);
  expect((await zw.admin.get(path)).body).toMatchObject({ signedBy: "provider" });
});

test("a zone at PowerDNS with signatures from elsewhere does not count as signed by its provider", async () => {
  const server = await startPowerdns();
  onTestFinished(() => server.stop());
  const name = "presigned.example";
  await server.call("POST", "/zones", { name: `${name}.`, kind: "Native", nameservers: [`ns.${name}.`] });
  const signature = `SOA 13 2 3600 20301201000000 20251101000000 12345 ${name}. AAAA`;
  await server.pdnsutil("add-record", name, "@", "RRSIG", "3600", signature);
  await server.pdnsutil("set-presigned", name);
  const config = { kind: "powerdns", name: "Presigned", config: { url: server.url, apiKey: server.apiKey } };
  const { body: made } = await zw.admin.post("/api/provider-configs", config);
  const { body: imported } = await zw.admin.post(`/api/provider-configs/${made.id}/import`, { zones: [name] });
  const { body: domain } = await zw.admin.get(`/api/domains/${imported.results[0].domainId}`);
  expect(domain).toMatchObject({ name, signedBy: "file" });
});
