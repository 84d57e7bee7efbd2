import { expect, test } from "vitest";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { extrasOf, huaweicloud } from "../support/vendors/rrsets/huaweicloud.ts";
import { a, reply, useVendor, zone } from "./rrset-vendor.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { create, remove, update } from "./zone-folder.ts";

// What only Huawei Cloud does. What it shares with others is in rrset-kinds.test.ts.

const vendor = useVendor(huaweicloud);
const { apply, held } = vendor;
const { isWrite } = huaweicloud;
const isSets = ({ method, url }: VendorCall) => method === "GET" && url.pathname.endsWith("/recordsets");

const set = (name: string, value: string, more: object) => ({
  id: `${name}${value}`,
  name: `${name}.${zone}.`,
  type: "A",
  ttl: 300,
  records: [value],
  line: "default_view",
  status: "ACTIVE",
  ...more,
});
const gone = (name: string) => [{ name, type: "A", ttl: 300, values: [] }];

test("a record with a TTL of a second can be written at Huawei Cloud", async () => {
  expect(knownKind("huaweicloud").minTtl).toBe(1);
  expect(await apply([create(a("quick", "192.0.2.1", 1))])).toEqual([{ ok: true }]);
  expect(held()).toContain("quick A 1 192.0.2.1");
});

test("records that Huawei Cloud steers or has disabled are read-only, and hold their place", async () => {
  const recordsets = [
    set("lines", "192.0.2.1", {}),
    set("lines", "192.0.2.2", { line: "Dianxin" }),
    set("alias", "192.0.2.3", { alias_target: { resource_type: "waf", resource_domain_name: "waf.example." } }),
    set("off", "192.0.2.4", { status: "DISABLE" }),
    set("www", "192.0.2.5", { alias_target: { resource_type: null } }),
  ];
  vendor.server.failNext(reply({ recordsets }), 4, isSets);
  expect((await readAll(vendor.provider, zone)).map(({ name, value }) => `${name} ${value}`)).toEqual([
    "lines 192.0.2.1",
    "lines 192.0.2.2",
    "alias 192.0.2.3",
    "www 192.0.2.5",
  ]);
  expect([...((await vendor.provider.readOnlyRecords?.(zone))?.values() ?? [])]).toHaveLength(3);
  const outcomes = await apply([remove(a("lines", "192.0.2.1", 300)), create(a("off"))]);
  expect(outcomes).toEqual([
    { ok: false, message: "Huawei Cloud DNS steers these records by line, weight or alias; change them there." },
    { ok: false, message: "Huawei Cloud DNS has disabled these records; enable or delete them there." },
  ]);
  expect(vendor.server.calls.filter(isWrite)).toEqual([]);
});

test("a record that Huawei Cloud is still deleting is not read, not written again, and frees its name", async () => {
  await apply([create(a("www"))]);
  expect(await apply([remove(a("www"))])).toEqual([{ ok: true }]);
  expect((await readAll(vendor.provider, zone)).map(({ name }) => name)).not.toContain("www");
  await apply([create(a("ftp"))]);
  await apply([remove(a("ftp"))]);
  expect(await apply([create(a("ftp", "192.0.2.2"))])).toEqual([{ ok: true }]);
  expect(await apply([update(a("ftp", "192.0.2.2"), a("ftp", "192.0.2.3"))])).toEqual([{ ok: true }]);
  expect(held()).toEqual(["ftp A 3600 192.0.2.3"]);
});

test("records that Huawei Cloud does not serve are not shown, and nothing is written in their place", async () => {
  const states = ["ERROR", "FREEZE", "PENDING_DISABLE"];
  const recordsets = [
    ...states.map((status) => set(status.toLowerCase(), "192.0.2.1", { status })),
    set("new", "192.0.2.1", { status: "PENDING_CREATE" }),
    set("changed", "192.0.2.1", { status: "PENDING_UPDATE" }),
  ];
  vendor.server.failNext(reply({ recordsets }), 2, isSets);
  expect((await readAll(vendor.provider, zone)).map(({ name }) => name)).toEqual(["new", "changed"]);
  expect(await apply(states.map((status) => create(a(status.toLowerCase()))))).toEqual(
    states.map((status) => ({
      ok: false,
      message: `Huawei Cloud DNS does not serve these records (${status}); look at them there.`,
    })),
  );
});

test("a record of a zone that Huawei Cloud no longer has is not reported as deleted", async () => {
  await apply([create(a("www"))]);
  vendor.server.meanwhile(isWrite, () => vendor.server.store.zones.clear());
  const { message, effect } = await failureOf(apply([remove(a("www"))]));
  expect([effect, message]).toEqual(["none", expect.stringContaining(`has no zone ${zone} in this account`)]);
});

test("a set of Huawei Cloud that somebody else deleted is not created again, and the message says to sync", async () => {
  await apply([create(a("www")), create(a("ftp"))]);
  vendor.server.meanwhile(isWrite, () => vendor.server.store.write(zone, gone("www")));
  expect(await apply([update(a("www"), a("www", "192.0.2.2"))])).toEqual([
    { ok: false, message: expect.stringMatching(/^Huawei Cloud DNS refused the change: .*sync the zone first/) },
  ]);
  vendor.server.meanwhile(isWrite, () => vendor.server.store.write(zone, gone("ftp")));
  expect(await apply([remove(a("ftp"))])).toEqual([{ ok: true }]);
  expect(held()).toEqual([]);
});

test("a set of Huawei Cloud keeps its description, weight and tags when its records change and when its deletion is undone", async () => {
  await apply([create(a("www"))]);
  const key = `${zone} www A`;
  const more = { description: "the lighthouse", weight: 5, tags: [{ key: "team", value: "harbour" }] };
  const extras = extrasOf(vendor.server.store);
  extras.set(key, more);
  await apply([update(a("www"), a("www", "192.0.2.2"))]);
  expect([held(), extras.get(key)]).toEqual([["www A 3600 192.0.2.2"], more]);
  vendor.server.failNext({ after: false, reply: huaweicloud.refusal("Not this one") }, 1, ({ body }) =>
    body.includes("new"),
  );
  await apply([remove(a("www", "192.0.2.2")), create(a("new"))], true);
  expect([held(), extras.get(key)]).toEqual([["www A 3600 192.0.2.2"], more]);
  await apply([update(a("www", "192.0.2.2"), a("www", "192.0.2.3"))]);
  expect([held(), extras.get(key)]).toEqual([["www A 3600 192.0.2.3"], more]);
});

test("5,000 sets of Huawei Cloud are read by the markers of its links, which lead nowhere else", async () => {
  const many = Array.from({ length: 5_000 }, (_, index) => ({
    name: `h${index}`,
    type: "A",
    ttl: 300,
    values: ["192.0.2.1"],
  }));
  vendor.server.store.write(zone, many);
  expect(await readAll(vendor.provider, zone)).toHaveLength(5_002);
  vendor.server.failNext(reply({ recordsets: [], links: { next: "https://attacker.example/?marker=m1" } }), 1, isSets);
  await readAll(vendor.provider, zone);
  expect(vendor.server.calls.filter(isSets).some(({ url }) => url.searchParams.get("marker") === "m1")).toBe(true);
});

test("a list of Huawei Cloud is read to its end by relative links, and is refused if a link has no marker", async () => {
  const first = { recordsets: [set("one", "192.0.2.1", {})] };
  await apply([create(a("two"))]);
  vendor.server.failNext(reply({ ...first, links: { next: "/v2.1/zones/x/recordsets?marker=one" } }), 1, isSets);
  expect((await readAll(vendor.provider, zone)).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["one", "two"]),
  );
  const next = "https://dns.myhuaweicloud.com/v2.1/zones/x/recordsets?limit=500&offset=500";
  vendor.server.failNext(reply({ ...first, links: { next } }), 1, isSets);
  const { message, effect } = await failureOf(readAll(vendor.provider, zone));
  expect([effect, message]).toEqual([
    "none",
    "Huawei Cloud DNS does not say where the next page of a list starts. Try again later.",
  ]);
});

test("a wrong signature is reported in the gateway's words, and the secret key is neither sent nor repeated", async () => {
  const { secretKey = "" } = vendor.server.config;
  const fault = { error_code: "APIGW.0301", error_msg: `verify aksk signature fail ${secretKey}`, request_id: "1" };
  vendor.server.failNext(reply(fault, 401), 1);
  const { message } = await failureOf(vendor.provider.listZones());
  expect(message).toMatch(/^Huawei Cloud DNS rejects the access key .* It says: verify aksk signature fail/);
  await apply([create(a("www"))]);
  const sent = vendor.server.calls.map(({ headers, body, target }) => JSON.stringify([headers, body, target]));
  for (const text of [message, ...sent]) expect(text).not.toContain(secretKey);
});
