import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { useCli } from "../../support/cli.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const cli = useCli(zw);
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
  const before = cloudflare.vendor.calls.length;
  const unreadable = await plan("new.example", creating, "www 300 IN A nowhere\n");
  expect(unreadable).toMatchObject({ status: 400, body: { detail: expect.stringContaining("Line 1: ") } });
  // The text is read before the provider is asked.
  expect(cloudflare.vendor.calls).toHaveLength(before);
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

test("the command line creates neither of two views of a name at a provider that has no views", async () => {
  await configured("Viewless", { accountId: cloudflare.accountId });
  const folder = await mkdtemp(join(tmpdir(), "zonewright-views-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const file of ["both.example.zone", "both.example!internal.zone"])
    await writeFile(join(folder, file), "www 300 IN A 192.0.2.1\n");
  const { exitCode, stderr } = await cli.run(["apply", folder, "--create", "--yes", "--provider", "Viewless"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(
      /both\.example!internal and both\.example would both be the zone both\.example of their provider.*\nNothing was changed\.\n$/,
    ) as string,
  });
  expect((await zw.admin.get("/api/domains?name=both.example")).body.total).toBe(0);
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
