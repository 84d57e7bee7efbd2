import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { signRequest } from "../../../server/dns/wire/tsig.ts";
import { update } from "../../support/name-servers/update-client.ts";
import { RestClient } from "../../support/rest-client.ts";
import { patience } from "../../support/patience.ts";
import { alidnsRefusal, startAlidnsServer, type AlidnsServer } from "../../support/vendors/alidns/server.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { linode } from "../../support/vendors/records/linode.ts";
import { startRecordVendor } from "../../support/vendors/records/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { basic, narrowedToken } from "../update-clients/narrowed.ts";
import { powerdnsClient } from "../update-clients/powerdns-api/client.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({
  env: { DNS_LISTEN: "127.0.0.1:0", EGRESS_ALLOW: "127.0.0.1", JOBS: "off" },
  pause: () => Promise.resolve(),
});
let alidns: AlidnsServer;
let cloudflare: CloudflareServer;
let providerConfigId: string;
let proxyConfigId: string;

beforeAll(async () => {
  alidns = await startAlidnsServer();
  const { url, accessKeyId, accessKeySecret } = alidns;
  const wish = { kind: "alidns", name: "Vendor", config: { url, accessKeyId, accessKeySecret } };
  providerConfigId = (await zw.admin.post("/api/provider-configs", wish)).body.id;
  cloudflare = await startCloudflare();
  const { token: apiToken, accountId, url: endpoint } = cloudflare;
  const proxy = { kind: "cloudflare", name: "Proxy", config: { apiToken, accountId, endpoint } };
  proxyConfigId = (await zw.admin.post("/api/provider-configs", proxy)).body.id;
});
afterAll(async () => {
  await alidns.stop();
  await cloudflare.stop();
});

/** A zone at a provider with a proxy, which has some records. */
async function proxiedZone(name: string, ...records: readonly Record<string, unknown>[]) {
  cloudflare.addZone(name, "free");
  const zone = await newZone(zw, name, { providerConfigId: proxyConfigId });
  await zone.add(...records);
  const shown = async (): Promise<string[]> => {
    const { body } = await zw.admin.get(zone.path);
    const all: { name: string; recordType: string; value: string; proxied: boolean; comment: string | null }[] =
      body.records;
    return all
      .map((one) => `${one.name} ${one.recordType} ${one.value} ${one.proxied ? "proxied" : "public"} ${one.comment}`)
      .toSorted();
  };
  return { ...zone, shown };
}

const origin = { recordType: "A", name: "www", value: "192.0.2.1", proxied: true, comment: "origin" };

async function vendorZone(name: string, minTtl = 1) {
  alidns.account.addDomain(name, minTtl);
  return await newZone(zw, name, { providerConfigId });
}

const newRecord = update.add("_acme-challenge", "TXT", "challenge", 120);

test("a TTL below the smallest of a zone is raised to it, and the same record again changes nothing", async () => {
  const zone = await vendorZone("floor.example", 600);
  expect(await zone.client.update([newRecord])).toBe(0);
  expect(await zone.lines()).toEqual(["_acme-challenge 600 TXT challenge"]);
  const revision = await zone.revision();
  expect(await zone.client.update([newRecord])).toBe(0);
  expect(await zone.client.update([update.add("_acme-challenge", "TXT", "challenge", 0)])).toBe(0);
  expect(await zone.revision()).toBe(revision);
});

test("a TTL that a zone takes stays as it is", async () => {
  const zone = await vendorZone("low.example");
  expect(await zone.client.update([newRecord, update.add("www", "A", "192.0.2.1", 900)])).toBe(0);
  expect(await zone.lines()).toEqual(["_acme-challenge 120 TXT challenge", "www 900 A 192.0.2.1"]);
});

test("a TTL that a vendor does not have becomes the next higher one that it has", async () => {
  const vendor = await startRecordVendor(linode);
  try {
    vendor.store.addZone("steps.example");
    const wish = { kind: "linode", name: "Steps", config: vendor.config };
    const { body } = await zw.admin.post("/api/provider-configs", wish);
    const zone = await newZone(zw, "steps.example", { providerConfigId: body.id });
    expect(await zone.client.update([update.add("_acme-challenge", "TXT", "challenge", 60)])).toBe(0);
    expect(await zone.lines()).toEqual(["_acme-challenge 120 TXT challenge"]);
    const hook = new RestClient(zw.url, await narrowedToken(zw.admin, { recordTypes: ["TXT"] }));
    const fqdn = "_acme-challenge.www.steps.example.";
    expect((await hook.post("/api/acme/present", { fqdn, value: "hook" })).body).toMatchObject({ changed: true });
    expect(await zone.lines()).toContain("_acme-challenge.www 120 TXT hook");
  } finally {
    await vendor.stop();
  }
});

test("PowerDNS's API refuses a TTL below the smallest of a zone and names the smallest, because its clients compare what they wrote", async () => {
  const zone = await vendorZone("compared.example", 600);
  const client = await powerdnsClient(zw.admin);
  const refused = await client.replace("compared.example", "www", "A", ["192.0.2.1"], 120);
  expect([refused.status, refused.body.error]).toEqual([
    422,
    "RRset www.compared.example. IN A: Alibaba Cloud DNS requires a TTL from 600 to 86400 seconds.",
  ]);
  expect((await client.replace("compared.example", "www", "A", ["192.0.2.1"], 600)).status).toBe(204);
  expect(await zone.lines()).toEqual(["www 600 A 192.0.2.1"]);
});

test("a value that an update replaces stays behind the proxy, with its id and its comment", async () => {
  const alias = { recordType: "CNAME", name: "app", value: "one.example.net", proxied: true, comment: "hidden" };
  const zone = await proxiedZone("hidden.example", origin, alias);
  const ids = async () => (await zw.admin.get(zone.path)).body.records.map(({ id }: { id: string }) => id).toSorted();
  const before = await ids();
  const [gone, other] = [update.deleteRrset("www", "A"), update.add("www", "A", "192.0.2.9", 300)];
  expect(await zone.client.update([gone, other])).toBe(0);
  expect(await zone.client.update([update.add("app", "CNAME", "two.example.net", 300)])).toBe(0);
  expect(await zone.shown()).toEqual(["app CNAME two.example.net proxied hidden", "www A 192.0.2.9 proxied origin"]);
  expect(await ids()).toEqual(before);
});

test("what an update adds to a proxied host is proxied, whatever its type, and to another host it is not", async () => {
  const plain = { recordType: "A", name: "mail", value: "192.0.2.7" };
  const zone = await proxiedZone("joined.example", origin, { ...origin, name: "shop" }, plain);
  const joins = [update.add("www", "A", "192.0.2.2", 300), update.add("www", "AAAA", "2001:db8::1", 300)];
  const becomes = [update.deleteRrset("shop", "A"), update.add("shop", "CNAME", "x.example.net", 300)];
  const others = [update.add("mail", "A", "192.0.2.8", 3600), update.add("www", "TXT", "text", 300)];
  expect(await zone.client.update([...joins, ...becomes, ...others])).toBe(0);
  expect(await zone.shown()).toEqual([
    "mail A 192.0.2.7 public null",
    "mail A 192.0.2.8 public null",
    "shop CNAME x.example.net proxied null",
    "www A 192.0.2.1 proxied origin",
    "www A 192.0.2.2 proxied null",
    "www AAAA 2001:db8::1 proxied null",
    "www TXT text public null",
  ]);
});

test("PowerDNS's API proxies what it adds to a proxied host, and what takes the place of its addresses", async () => {
  const name = "pdns-proxied.example";
  const zone = await proxiedZone(name, origin);
  const client = await powerdnsClient(zw.admin);
  expect((await client.replace(name, "www", "A", ["192.0.2.8", "192.0.2.9"], 300)).status).toBe(204);
  expect(await zone.shown()).toEqual(["www A 192.0.2.8 proxied origin", "www A 192.0.2.9 proxied origin"]);
  const rrset = { name: `www.${name}.`, type: "A" };
  const more = { ...rrset, changetype: "EXTEND", ttl: 300, records: [{ content: "192.0.2.10" }] };
  expect((await client.patch(name, [more])).status).toBe(204);
  expect(await zone.shown()).toContain("www A 192.0.2.10 proxied origin");
  const alias = { ...rrset, type: "CNAME", changetype: "REPLACE", ttl: 300, records: [{ content: "x.example.net." }] };
  expect((await client.patch(name, [{ ...rrset, changetype: "DELETE" }, alias])).status).toBe(204);
  expect(await zone.shown()).toEqual(["www CNAME x.example.net proxied null"]);
});

test("a router that adds its IPv6 address to a proxied host does not publish it", async () => {
  const zone = await proxiedZone("dyn-proxied.example", origin);
  const headers = basic(await narrowedToken(zw.admin, { recordTypes: ["A", "AAAA"] }));
  const query = "hostname=www.dyn-proxied.example&myip=192.0.2.3,2001:db8::3";
  expect((await zw.nobody.get(`/nic/update?${query}`, headers)).body).toBe("good 192.0.2.3,2001:db8::3\n");
  expect(await zone.shown()).toEqual(["www A 192.0.2.3 proxied origin", "www AAAA 2001:db8::3 proxied null"]);
});

/** Sends one message twice. @returns both RCODEs */
async function sentTwice({ client }: Awaited<ReturnType<typeof newZone>>): Promise<number[]> {
  const { message, mac } = signRequest(client.message([newRecord]), client.key, Math.floor(Date.now() / 1_000));
  const send = async () => client.verified(await client.exchange(message, "tcp"), mac).rcode;
  return [await send(), await send()];
}

const quota = alidnsRefusal("QuotaExceeded.Record", "You can't add this domain record.");
const denied = alidnsRefusal("Forbidden.RAM", "User not authorized to operate on the specified resource.");

test.each([
  ["record", "whose record the provider refuses is REFUSED", { kind: "refuses", status: 400, body: quota }, 5],
  ["failed", "that the provider fails to make is SERVFAIL", { kind: "refuses", status: 403, body: denied }, 2],
  ["unknown", "whose outcome is unknown is SERVFAIL", { kind: "does later", status: 500, body: {} }, 2],
  ["lost", "that the provider made without an answer is NOERROR", { kind: "cuts after" }, 0],
] as const)(
  "(%s) an update %s, also when it is sent again, and it reaches the provider once",
  async (label, _, fault, rcode) => {
    const name = `${label}.example`;
    const zone = await vendorZone(name);
    alidns.faults.next("AddDomainRecord", fault);
    expect(await sentTwice(zone)).toEqual([rcode, rcode]);
    const sent = alidns.calls.filter(
      ({ action, parameters }) => action === "AddDomainRecord" && parameters["DomainName"] === name,
    );
    expect(sent).toHaveLength(1);
    await vi.waitFor(async () => {
      const { body } = await zw.admin.get("/api/auth/me/tsig-keys");
      const { lastError, lastUsedAt } = body.keys.find(({ id }: { id: string }) => id === zone.key.id);
      expect([lastUsedAt !== null, lastError === null]).toEqual([true, rcode === 0]);
    }, patience);
  },
);
