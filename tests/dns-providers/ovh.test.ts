import { expect, test } from "vitest";
import { callProvider, readAll } from "../../server/zones/changes/provider-call.ts";
import type { VendorCall, VendorReply } from "../support/vendors/loopback-vendor.ts";
import { ovh } from "../support/vendors/records/ovh.ts";
import { useZonewright } from "../support/zonewright.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { withAccount, zone } from "./record-vendor.ts";
import { create, record, remove, update } from "./zone-folder.ts";

// What only OVHcloud does. What it shares with others is in record-kinds.test.ts.

const isRefresh = ({ url }: VendorCall) => url.pathname.endsWith("/refresh");
const isZones = ({ url }: VendorCall) => url.pathname.endsWith("/domain/zone");
const isCreate = ({ method, url }: VendorCall) => method === "POST" && url.pathname.endsWith("/record");
const isBatch = ({ headers }: VendorCall) => headers["x-ovh-batch"] !== undefined;
const a = (name: string, value = "192.0.2.1") => record(name, "A", value, 3_600);
const says = (status: number, errorCode: string, message: string): VendorReply => ({
  status,
  body: JSON.stringify({ errorCode, httpCode: String(status), message }),
});

test("a set of changes at OVHcloud is served by one refresh after the last of them", async () => {
  await withAccount(ovh, async (server, provider) => {
    await provider.applyChanges(zone, [create(a("one")), create(a("two")), create(a("three"))]);
    expect(server.calls.filter(isRefresh)).toHaveLength(1);
    expect(isRefresh(server.calls.at(-1) as VendorCall)).toBe(true);
    await provider.applyChanges(zone, [update(a("gone"), a("gone", "192.0.2.2"))]);
    expect(server.calls.filter(isRefresh)).toHaveLength(1);
  });
});

test("a refresh of OVHcloud that fails is made again, and one that is refused leaves the outcome open", async () => {
  await withAccount(ovh, async (server, provider) => {
    server.failNext({ after: false, reply: says(503, "UNAVAILABLE", "Later") }, 1, isRefresh);
    expect((await provider.applyChanges(zone, [create(a("one"))])).outcomes).toEqual([{ ok: true }]);
    expect(server.calls.filter(isRefresh)).toHaveLength(2);
    for (const reply of [
      says(409, "CONFLICT", "The zone is locked"),
      says(403, "NOT_GRANTED_CALL", "This call has not been granted"),
    ]) {
      server.failNext({ after: false, reply }, 1, isRefresh);
      const { effect, message } = await failureOf(provider.applyChanges(zone, [create(a(`two${reply.status}`))]));
      expect([effect, message]).toEqual(["unknown", expect.stringMatching(/locked|not been granted/)]);
    }
    expect((await readAll(provider, zone)).map(({ name }) => name)).toEqual(["one", "two409", "two403"]);
  });
});

test("a change that OVHcloud refuses is reported with its reason, and the zone is not refreshed", async () => {
  await withAccount(ovh, async (server, provider) => {
    server.failNext({ after: false, reply: says(400, "INVALID_ARGUMENT", "The zone is full") }, 1, isCreate);
    server.failNext({ after: false, reply: says(409, "CONFLICT", "The zone is locked") }, 1, isRefresh);
    const { outcomes } = await provider.applyChanges(zone, [create(a("one"))]);
    expect(outcomes).toEqual([{ ok: false, message: expect.stringContaining("The zone is full") }]);
    expect(server.calls.filter(isRefresh)).toEqual([]);
  });
});

test("no half of an all-or-nothing set is served at OVHcloud while its outcome is unknown", async () => {
  await withAccount(ovh, async (server, provider) => {
    await provider.applyChanges(zone, [create(a("old"))]);
    server.calls.length = 0;
    server.failNext({ after: false, reply: null }, 1, isCreate);
    const move = [remove(a("old")), create(a("new"))];
    expect((await failureOf(provider.applyChanges(zone, move, { atomic: true }))).effect).toBe("unknown");
    expect(server.calls.filter(isRefresh)).toEqual([]);
  });
});

test("what is read back at OVHcloud after a call without an answer is refreshed, too", async () => {
  await withAccount(ovh, async (server, provider) => {
    server.failNext({ after: true, reply: null }, 1, isCreate);
    const { outcomes } = await callProvider(provider, zone, [create(a("one"))], {});
    expect(outcomes).toEqual([{ ok: true }]);
    expect(server.calls.filter(isRefresh)).toHaveLength(1);
    const reply = says(409, "CONFLICT", "The zone is locked");
    server.failNext({ after: false, reply }, 2, isRefresh);
    const { effect, message } = await failureOf(callProvider(provider, zone, [create(a("two"))], {}));
    expect([effect, message]).toEqual(["unknown", expect.stringContaining("The zone is locked")]);
  });
});

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off" } });

test("a change that OVHcloud stored but did not serve stays open until it is served", async () => {
  await withAccount(ovh, async (server) => {
    const config = { kind: "ovh", name: "OVH", config: server.config };
    const { id } = (await zw.admin.post("/api/provider-configs", config)).body;
    const { results } = (await zw.admin.post(`/api/provider-configs/${id}/import`, { zones: [zone] })).body;
    const path = `/api/domains/${results[0].domainId}`;
    server.failNext({ after: false, reply: says(409, "CONFLICT", "The zone is locked") }, 3, isRefresh);
    const answer = await zw.admin.post(`${path}/records`, { recordType: "A", name: "www", value: "192.0.2.1" });
    expect(answer.status).toBe(502);
    const newest = async () => (await zw.admin.get(`${path}/history?limit=1`)).body.entries[0];
    expect(await newest()).toMatchObject({ state: "pending" });
    await zw.services.repair.runOnce();
    expect(await newest()).toMatchObject({ state: "pending" });
    const before = server.calls.filter(isRefresh).length;
    await zw.services.repair.runOnce();
    expect(await newest()).toMatchObject({ state: "applied", repaired: true });
    expect(server.calls.filter(isRefresh)).toHaveLength(before + 1);
  });
});

test.each([
  ["an error", [{ key: "1", value: null, error: { message: "Internal server error" } }]],
  ["another form", [{ id: 1, record: { id: 1, fieldType: "A", subDomain: "h", target: "192.0.2.1", ttl: 60 } }]],
  ["a TTL as text", [{ id: 1, fieldType: "A", subDomain: "h", target: "192.0.2.1", ttl: "60" }]],
  ["too few entries", []],
])("a record of OVHcloud that is read with %s does not count as deleted", async (_, entries) => {
  await withAccount(ovh, async (server, provider) => {
    server.store.add(zone, { type: "A", name: "h", ttl: 60, fields: { target: "192.0.2.1" } });
    server.failNext({ after: false, reply: { status: 200, body: JSON.stringify(entries) } }, 1, isBatch);
    expect((await failureOf(readAll(provider, zone))).effect).toBe("none");
  });
});

test("OVHcloud's own types for texts are shown as TXT, and keep their type and form when they change", async () => {
  await withAccount(ovh, async (server, provider) => {
    const target = "v=DKIM1; k=rsa; p=AAAA";
    server.store.add(zone, { type: "DKIM", name: "k._domainkey", ttl: 3_600, fields: { target } });
    server.store.add(zone, { type: "SPF", name: "", ttl: 0, fields: { target: '"v=spf1 -all"' } });
    const read = await readAll(provider, zone);
    expect(read.map(({ recordType, name, value, ttl }) => `${name} ${recordType} ${ttl} ${value}`)).toEqual([
      `k._domainkey TXT 3600 ${target}`,
      "@ TXT 3600 v=spf1 -all",
    ]);
    const [key, policy] = read;
    const outcomes =
      key && (await provider.applyChanges(zone, [update(key, { ...key, value: "v=DKIM1; k=rsa; p=BBBB" })])).outcomes;
    expect(outcomes).toEqual([{ ok: true }]);
    expect(server.store.lines(zone)).toContain("k._domainkey DKIM 3600 v=DKIM1; k=rsa; p=BBBB");
    if (policy) await provider.applyChanges(zone, [update(policy, { ...policy, value: "v=spf1 ~all" })]);
    expect(server.store.lines(zone)).toContain(' SPF 0 "v=spf1 ~all"');
    const sent = server.calls.find(({ method }) => method === "PUT");
    expect(JSON.parse(sent?.body ?? "{}")).toEqual({
      subDomain: "k._domainkey",
      target: "v=DKIM1; k=rsa; p=BBBB",
      ttl: 3_600,
    });
  });
});

test("5,000 records of OVHcloud are read a hundred at a time, without those deleted meanwhile", async () => {
  await withAccount(ovh, async (server, provider) => {
    for (let index = 0; index < 5_000; index++) {
      server.store.add(zone, { type: "A", name: `h${index}`, ttl: 60, fields: { target: "192.0.2.1" } });
    }
    const records = server.store.zones.get(zone)?.records;
    const [first = 0] = records?.keys() ?? [];
    server.meanwhile(isBatch, () => records?.delete(first));
    expect(await readAll(provider, zone)).toHaveLength(4_999);
    expect(server.calls.filter(isBatch)).toHaveLength(50);
  });
});

test("hosts of OVHcloud without a trailing dot are names of the zone", async () => {
  await withAccount(ovh, async (server, provider) => {
    server.store.add(zone, { type: "CNAME", name: "www", ttl: 60, fields: { target: "quay" } });
    server.store.add(zone, { type: "MX", name: "", ttl: 60, fields: { target: "10 mail.example.net." } });
    expect((await readAll(provider, zone)).map(({ value }) => value)).toEqual([`quay.${zone}`, "10 mail.example.net"]);
  });
});

test("a wrong signature and a clock that is off are reported as credentials, and no key of OVHcloud is repeated", async () => {
  await withAccount(ovh, async (server, provider) => {
    const { endpoint: _, ...keys } = server.config;
    for (const code of ["INVALID_SIGNATURE", "QUERY_TIME_OUT"]) {
      const reply = says(400, code, `Seen: ${Object.values(keys).join(" ")}`);
      server.failNext({ after: false, reply }, 1, isZones);
      const { message, effect } = await failureOf(provider.listZones());
      expect([effect, message]).toEqual(["none", expect.stringMatching(/^OVHcloud rejects the keys of .* Seen: /)]);
      for (const key of Object.values(keys)) expect(message).not.toContain(key);
    }
    expect((await provider.listZones()).names).toEqual([zone]);
  });
});

test.each([
  [
    "NOT_GRANTED_CALL",
    isZones,
    /the consumer key .* it lacks GET \/domain\/zone\. Request .* GET \/domain\/zone, and /,
  ],
  ["NOT_GRANTED_CALL", isCreate, /the consumer key .* it lacks POST \/domain\/zone\/\*\. Request /],
  ["INVALID_CREDENTIAL", isZones, /the consumer key .* Check that it .* was validated, and has not expired/],
  ["NOT_CREDENTIAL", isZones, /the consumer key .* Check that it .* was validated, and has not expired/],
  ["INVALID_KEY", isZones, /the application key .* the API address is that of its region/],
])("OVHcloud's %s is reported with the key and the right that are at fault", async (code, isRefused, expected) => {
  await withAccount(ovh, async (server, provider) => {
    server.failNext({ after: false, reply: says(403, code, "No") }, 1, isRefused);
    const call = isRefused === isZones ? provider.listZones() : provider.applyChanges(zone, [create(a("www"))]);
    const { message, effect } = await failureOf(call);
    expect([effect, message]).toEqual(["none", expect.stringMatching(expected)]);
  });
});

test("a record of OVHcloud without a TTL keeps the zone's when its value changes, and gets another one when that is set", async () => {
  await withAccount(ovh, async (server, provider) => {
    server.store.add(zone, { type: "A", name: "www", ttl: 0, fields: { target: "192.0.2.1" } });
    expect(await readAll(provider, zone)).toMatchObject([{ name: "www", ttl: 3_600 }]);
    await provider.applyChanges(zone, [update(a("www"), a("www", "192.0.2.2"))]);
    expect(server.store.lines(zone)).toEqual(["www A 0 192.0.2.2"]);
    const timed = { ...a("www", "192.0.2.2"), ttl: 300 };
    await provider.applyChanges(zone, [update(a("www", "192.0.2.2"), timed)]);
    expect(server.store.lines(zone)).toEqual(["www A 300 192.0.2.2"]);
  });
});

test("a zone that OVHcloud does not have is not created, and the message says where to order it", async () => {
  await withAccount(ovh, async (server, provider) => {
    expect((await failureOf(provider.createZone("new.example"))).message).toContain(
      "Order the zone new.example there first",
    );
    await provider.createZone(zone);
    expect(server.calls.every(({ method }) => method === "GET")).toBe(true);
    await provider.applyChanges(zone, [create(a("www"))]);
    expect((await provider.applyChanges(zone, [remove(a("www"))])).outcomes).toEqual([{ ok: true }]);
  });
});
