import { afterAll, beforeAll, expect, test } from "vitest";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
let cloudflare: CloudflareServer;
beforeAll(async () => {
  cloudflare = await startCloudflare();
});
afterAll(() => cloudflare.stop());

const zonefile = "@ 300 IN MX 10 mail\nmail 300 IN A 192.0.2.25\n";

async function configured(name: string, more: object): Promise<string> {
  const config = { apiToken: cloudflare.token, endpoint: cloudflare.url, ...more };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "cloudflare", name, config });
  return body.id;
}

test("a new domain is planned as it would be, nothing is created, and a vendor that creates no zones is named", async () => {
  const plan = async (name: string, providerConfigId: string, text = zonefile) =>
    await zw.admin.post("/api/domains/plan", { name, providerConfigId, zonefile: text });
  const creating = await configured("Creating", { accountId: cloudflare.accountId });
  const planned = await plan("new.example", creating);
  expect(planned.body).toMatchObject({ created: 2, updated: 0, deleted: 0, planHash: null, plan: { deletes: [] } });
  const refused = await plan("new.example", await configured("Only reading", {}));
  expect(refused).toMatchObject({
    status: 502,
    body: { detail: expect.stringContaining("shows this token no zones, not even new.example") },
  });
  const tooShort = await plan("new.example", creating, "www 5 IN A 192.0.2.1\n");
  expect(tooShort).toMatchObject({ status: 409, body: { detail: expect.stringContaining("requires a TTL from") } });
  expect(cloudflare.vendor.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  expect((await zw.admin.get("/api/domains")).body.total).toBe(0);
});

test("a new domain whose zone the provider already has is compared with the records there", async () => {
  const providerConfigId = await configured("Found", { accountId: cloudflare.accountId });
  const { body: domain } = await zw.admin.post("/api/domains", { name: "found.example", providerConfigId });
  await zw.admin.post(`/api/domains/${domain.id}/zonefile`, {
    zonefile: "mail 300 IN A 192.0.2.24\nold 300 IN A 192.0.2.1\n",
  });
  await zw.admin.delete(`/api/domains/${domain.id}`);
  const { body } = await zw.admin.post("/api/domains/plan", { name: "found.example", providerConfigId, zonefile });
  expect(body.plan).toMatchObject({
    creates: [{ name: "@", recordType: "MX" }],
    updates: [{ before: { value: "192.0.2.24" }, after: { value: "192.0.2.25" } }],
    deletes: [{ name: "old" }],
  });
});

test("who can add no domains plans none: auditors and narrowed tokens", async () => {
  const eve = await zw.member("eve");
  const me = (await eve.get("/api/auth/me")).body.id;
  await zw.admin.put(`/api/users/${me}`, { role: "auditor" });
  const auditor = await zw.signIn("eve", "another long enough password");
  expect(await auditor.post("/api/domains/plan", { name: "a.example", zonefile })).toMatchObject({ status: 403 });
  const token = await zw.admin.post("/api/auth/me/tokens", {
    name: "Hosts",
    permissions: ["domains:read", "records:read"],
    hostPattern: "www",
  });
  const narrowed = await fetch(`${zw.url}/api/domains/plan`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.body.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "a.example", zonefile }),
  });
  expect([narrowed.status, await narrowed.json()]).toMatchObject([
    403,
    { detail: expect.stringContaining("is narrowed") },
  ]);
});
