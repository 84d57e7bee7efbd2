import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isKeyHeld } from "../../../server/platform/slices.ts";
import { takeLease } from "../../../server/zones/changes/zone-context.ts";
import { configure, newZone } from "../../dns-providers/vendor-zone.ts";
import { patience } from "../../support/patience.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { alidnsRefusal, startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Zone } from "../../support/zones.ts";
import { basic, narrowedToken } from "./narrowed.ts";

const zw = useZonewright({
  env: { EGRESS_ALLOW: "127.0.0.1", JOBS: "off", TRUST_PROXY: "loopback" },
  pause: () => Promise.resolve(),
});
let vendor: AlidnsServer;
let zone: Zone;
let configId: string;
let headers: Record<string, string>;

beforeAll(async () => {
  vendor = await startAlidnsServer();
  const { url, accessKeyId, accessKeySecret } = vendor;
  configId = await configure(zw, "alidns", { url, accessKeyId, accessKeySecret }, []);
  zone = await newZone(zw, configId, "dyn.example");
  headers = basic(await narrowedToken(zw.admin, { recordTypes: ["A", "AAAA"] }));
});
afterAll(() => vendor.stop());

const answerTo = async (query: string, more: Record<string, string> = {}) =>
  String((await zw.nobody.get(`/nic/update?${query}`, { ...headers, ...more })).body).trim();

test.each([
  ["refuses", { kind: "refuses", status: 400, body: alidnsRefusal("QuotaExceeded.Record", "Too many.") }],
  ["fails to make", { kind: "refuses", status: 403, body: alidnsRefusal("Forbidden.RAM", "Not authorized.") }],
] as const)("a change that the provider %s gets `dnserr`, and the next call may succeed", async (what, fault) => {
  const query = `hostname=${what.slice(0, 5)}.${zone.name}&myip=192.0.2.1`;
  vendor.faults.next("AddDomainRecord", fault);
  expect(await answerTo(query)).toBe("dnserr");
  expect(await answerTo(query)).toBe("good 192.0.2.1");
});

test("while a change of unknown outcome is pending, a host of its zone gets `911`", async () => {
  vendor.faults.next("AddDomainRecord", { kind: "does later", status: 500, body: {} });
  expect(await answerTo(`hostname=unknown.${zone.name}&myip=192.0.2.1`)).toBe("dnserr");
  expect(await answerTo(`hostname=next.${zone.name}&myip=192.0.2.1`)).toBe("911");
});

test("while it is unknown whether a host has another address, its stored address gets `911`, too", async () => {
  const own = await newZone(zw, configId, "unsure.example");
  const callFor = (address: string) => answerTo(`hostname=wan.${own.name}&myip=${address}`);
  expect(await callFor("192.0.2.1")).toBe("good 192.0.2.1");
  vendor.faults.next("UpdateDomainRecord", { kind: "does later", status: 500, body: {} });
  expect(await callFor("192.0.2.9")).toBe("dnserr");
  expect(await callFor("192.0.2.1")).toBe("911");
});

test("an address that returns while the change to another one is in flight is set again", async () => {
  const own = await newZone(zw, configId, "returning.example");
  const callFor = (address: string) => answerTo(`hostname=wan.${own.name}&myip=${address}`);
  expect(await callFor("192.0.2.1")).toBe("good 192.0.2.1");
  // As another instance that changes the zone.
  const lease = await takeLease(() => zw.services.database.fork(), own.id, Number.POSITIVE_INFINITY);
  const changed = callFor("192.0.2.9");
  await vi.waitUntil(() => isKeyHeld(`zone ${own.id}`), patience);
  const returned = callFor("192.0.2.1");
  // Time in which an answer that waits for nothing would be given.
  for (let call = 0; call < 5; call++) expect(await answerTo("hostname=")).toBe("notfqdn");
  await lease[Symbol.asyncDispose]();
  expect([await changed, await returned]).toEqual(["good 192.0.2.9", "good 192.0.2.1"]);
  expect(await own.lines()).toEqual(["wan A 192.0.2.1"]);
});

test("without `myip`, the address is the one that a trusted proxy reports", async () => {
  const own = await manualZone(zw);
  const query = `hostname=home.${own.name}`;
  expect(await answerTo(query, { "x-forwarded-for": "198.51.100.7, 203.0.113.9" })).toBe("good 203.0.113.9");
  expect(await answerTo(query, { "x-forwarded-for": "2001:db8::7" })).toBe("good 2001:db8::7");
  expect(await own.lines()).toEqual(["home A 203.0.113.9", "home AAAA 2001:db8::7"]);
});

test("a router that speaks HTTP/1.0 and sends no Host is answered", async () => {
  const own = await manualZone(zw);
  const { authorization = "" } = headers;
  const call = `GET /nic/update?hostname=old.${own.name}&myip=192.0.2.9 HTTP/1.0\r\n`;
  const { status, body } = await sendRaw(zw.url, `${call}Authorization: ${authorization}\r\n\r\n`);
  expect([status, body]).toEqual([200, "good 192.0.2.9\n"]);
  expect(await own.lines()).toEqual(["old A 192.0.2.9"]);
});

test("a change of an address is taken back like any other", async () => {
  const own = await manualZone(zw);
  await own.add("A", "home", "192.0.2.1");
  expect(await answerTo(`hostname=home.${own.name}&myip=192.0.2.2`)).toBe("good 192.0.2.2");
  const [{ id }] = await own.history();
  expect((await own.post(`/history/${id}/revert`, {})).status).toBe(200);
  expect(await own.lines()).toEqual(["home A 192.0.2.1"]);
});
