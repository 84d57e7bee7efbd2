import { describe, expect, test } from "vitest";
import { freshName } from "../../support/zones.ts";
import { reusableSet } from "../../support/vendors/route53/server.ts";
import { useAccount } from "./account.ts";

const account = useAccount();
const { zw } = account;

test("the secret of a Route 53 configuration is masked in every response, and wrong fields are named", async () => {
  expect(account.config.config).toMatchObject({
    accessKeyId: account.server.accessKeyId,
    secretAccessKey: "********",
  });
  const { status, body } = await zw.admin.post("/api/provider-configs", {
    kind: "route53",
    name: "wrong",
    config: {
      accessKeyId: "AKIA",
      secretAccessKey: "a b",
      hostedZoneIds: "z1",
      delegationSetId: "n 1",
      endpoint: "route53",
    },
  });
  expect(status).toBe(400);
  expect(body.issues.map(({ path }: { path: string[] }) => path[1]).toSorted()).toEqual([
    "accessKeyId",
    "delegationSetId",
    "endpoint",
    "hostedZoneIds",
    "secretAccessKey",
  ]);
});

test("a new domain is created at Route 53 with its assigned name servers, and an existing one is imported", async () => {
  const name = freshName();
  const { body: domain } = await zw.admin.post("/api/domains", { name, providerConfigId: account.config.id });
  const { body } = await zw.admin.get(`/api/domains/${domain.id}/records`);
  expect(body.records).toHaveLength(4);
  expect(body.records[0]).toMatchObject({ recordType: "NS", name: "@", ttl: 172_800 });

  const there = freshName();
  const hosted = account.server.addZone(there);
  account.server.put(hosted, { name: `www.${there}`, type: "A", ttl: 60, values: ["192.0.2.1", "192.0.2.2"] });
  account.server.put(hosted, { name: `\\052.${there}`, type: "TXT", ttl: 60, values: [String.raw`"\303\274" "x"`] });
  const zone = await account.adopt(there);
  expect((await zone.lines()).filter((line) => !line.startsWith("@ NS"))).toEqual([
    "* TXT üx",
    "www A 192.0.2.1",
    "www A 192.0.2.2",
  ]);
});

/** The name servers of a new zone, or why none was made. */
async function serversWith(delegationSetId: string) {
  const { id } = await account.configure({ delegationSetId });
  const made = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: id });
  if (made.status !== 201) return made.body.detail;
  const { body } = await zw.admin.get(`/api/domains/${made.body.id}/records?type=NS`);
  return body.records.map(({ value }: { value: string }) => `${value}.`).toSorted();
}

test("a configuration with a reusable delegation set gives new zones its name servers, and one that does not exist is named", async () => {
  expect(await serversWith(reusableSet.id)).toEqual(reusableSet.servers);
  expect(await serversWith(`/delegationset/${reusableSet.id}`)).toEqual(reusableSet.servers);
  expect(await serversWith("N9NOSUCHSET")).toContain(
    "A reusable delegation set with the ID N9NOSUCHSET does not exist.",
  );
});

test("all hosted zones of an account are listed, beyond the hundred of a page", async () => {
  const names = Array.from({ length: 101 }, () => freshName());
  for (const name of names) account.server.addZone(name);
  account.server.addZone("private.example", true);
  const { body } = await zw.admin.get(`/api/provider-configs/${account.config.id}/zones`);
  const listed = body.zones.map(({ name }: { name: string }) => name);
  expect(listed).toEqual(expect.arrayContaining(names));
  expect(listed).not.toContain("private.example");
  const tried = await zw.admin.post(`/api/provider-configs/${account.config.id}/test`);
  expect(tried.body).toEqual({ success: true, error: null, zones: listed.length });
});

describe("several hosted zones of one name", () => {
  test("of several hosted zones the public one is used, and a private one only if listed", async () => {
    const name = freshName();
    const inside = account.server.addZone(name, true);
    const outside = account.server.addZone(name);
    account.server.put(inside, { name: `where.${name}`, type: "TXT", ttl: 60, values: ['"inside"'] });
    account.server.put(outside, { name: `where.${name}`, type: "TXT", ttl: 60, values: ['"outside"'] });
    const zone = await account.adopt(name);
    expect(await zone.lines()).toContain("where TXT outside");
    await zw.admin.delete(`/api/domains/${zone.id}`);
    const listing = await account.configure({ hostedZoneIds: ` /hostedzone/${inside} ` });
    expect(await (await account.adopt(name, listing.id)).lines()).toContain("where TXT inside");
  });

  test("two public hosted zones of one name are refused with their ids until one is listed", async () => {
    const name = freshName();
    const ids = [account.server.addZone(name), account.server.addZone(name)];
    const input = { name, providerConfigId: account.config.id };
    const refused = await zw.admin.post("/api/domains", input);
    expect([refused.status, refused.body.code]).toEqual([502, "PROVIDER_ERROR"]);
    for (const part of [...ids, "hostedZoneIds"]) expect(refused.body.detail).toContain(part);
    const listing = await account.configure({ hostedZoneIds: String(ids[1]) });
    await account.adopt(name, listing.id);
  });

  test("a configuration limited to listed hosted zones creates no others", async () => {
    const listing = await account.configure({ hostedZoneIds: account.server.addZone(freshName()) });
    const { status, body } = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: listing.id });
    expect([status, body.detail]).toEqual([502, expect.stringContaining("Create it at Amazon Route 53")]);
  });
});

test("hosted zones are imported by name, each with its records", async () => {
  const name = freshName();
  const hosted = account.server.addZone(name);
  account.server.put(hosted, { name, type: "MX", ttl: 60, values: ["10 Mail.Example.net"] });
  const { body } = await zw.admin.post(`/api/provider-configs/${account.config.id}/import`, {
    zones: [name, "nowhere.example"],
  });
  expect(body.results).toMatchObject([
    { name, success: true, records: 5 },
    { name: "nowhere.example", success: false, error: expect.stringContaining("zone at this provider does not exist") },
  ]);
});

test.each<[string, Record<string, string>, string]>([
  ["a wrong secret", { secretAccessKey: "a-wrong-secret-that-nobody-should-see" }, "does not match the signature"],
  ["an unknown key", { accessKeyId: "AKIANOBODYKNOWSTHIS0" }, "security token included in the request is invalid"],
])("%s is reported with Route 53's message and without the secret", async (_what, fields, words) => {
  const config = await account.configure(fields);
  const tried = await zw.admin.post(`/api/provider-configs/${config.id}/test`);
  expect(tried.body).toMatchObject({ success: false, error: expect.stringContaining("rejects the access key") });
  const zones = await zw.admin.get(`/api/provider-configs/${config.id}/zones`);
  expect([zones.status, zones.body.detail]).toEqual([502, expect.stringContaining(words)]);
  expect(JSON.stringify([tried.body, zones.body])).not.toContain(
    fields["secretAccessKey"] ?? account.server.secretAccessKey,
  );
});

test("an address that is not Route 53's API is reported as such", async () => {
  account.server.failNext({ after: false, reply: { status: 200, body: "<html>It works!</html>" } });
  const { body } = await zw.admin.post(`/api/provider-configs/${account.config.id}/test`);
  expect(body).toMatchObject({ success: false, error: expect.stringContaining("Check the address") });
});

test("a private Route 53 address is not called unless allowed", async () => {
  const calls = account.server.calls.length;
  const config = await account.configure({ endpoint: "https://10.0.0.1" });
  const { body } = await zw.admin.post(`/api/provider-configs/${config.id}/test`);
  expect(body.success).toBe(false);
  expect(account.server.calls).toHaveLength(calls);
});
