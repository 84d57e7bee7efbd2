import { describe, expect, test } from "vitest";
import { useCloudflare } from "./cloudflare.ts";

const cf = useCloudflare();

describe("Cloudflare configurations", () => {
  test("the kind cloudflare is listed with its limits, and its token is masked in every response", async () => {
    const { body } = await cf.zw.admin.get("/api/providers");
    const kind = body.providers.find((one: { kind: string }) => one.kind === "cloudflare");
    expect(kind).toMatchObject({
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000005",
      supportsProxied: true,
      minTtl: 30,
      configFields: [
        { name: "apiToken", secret: true, required: true },
        { name: "accountId", secret: false, required: false },
        { name: "endpoint", secret: false, required: false },
      ],
    });
    const id = await cf.configure();
    const configs = (await cf.zw.admin.get("/api/provider-configs")).body.configs;
    const shown = configs.find((config: { id: string }) => config.id === id);
    expect(shown.config).toEqual({
      apiToken: "********",
      accountId: cf.server.accountId,
      endpoint: cf.server.url,
    });
  });

  test("testing a Cloudflare configuration lists zones of several pages and marks managed ones", async () => {
    const zone = await cf.zone();
    const names = Array.from({ length: 120 }, (_, index) => `page${index}.example`);
    for (const name of names) cf.server.addZone(name);
    const id = await cf.configure();
    const { body } = await cf.zw.admin.post(`/api/provider-configs/${id}/test`);
    expect(body).toEqual({ success: true, error: null, zones: 121 });
    const listed = (await cf.zw.admin.get(`/api/provider-configs/${id}/zones`)).body.zones;
    expect(listed).toHaveLength(121);
    expect(listed).toContainEqual({ name: zone.name, managed: true });
    expect(listed).toContainEqual({ name: "page119.example", managed: false });
    const pages = cf.server.calls.filter(({ path }) => path.endsWith("/zones")).map(({ query }) => query["page"]);
    expect(pages).toEqual(["1", "2", "3", "1", "2", "3"]);
  });

  test("an import from Cloudflare leaves out zones of other accounts", async () => {
    cf.server.addZone("import.example");
    cf.server.addRecord("import.example", { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
    cf.server.addZone("foreign.example", "free", { id: "f".repeat(32), name: "Somebody else" });
    const id = await cf.configure();
    const zones = ["import.example", "foreign.example"];
    const { body } = await cf.zw.admin.post(`/api/provider-configs/${id}/import`, { zones });
    expect(body.results).toMatchObject([
      { name: "import.example", success: true, records: 1 },
      { name: "foreign.example", success: false, records: 0 },
    ]);
  });

  test("of several Cloudflare zones with one name the active one is used; none or two are refused with advice", async () => {
    const served = cf.server.addZone("twice.example");
    cf.server.addRecord("twice.example", { type: "A", name: "www", ttl: 300, content: "192.0.2.1" });
    const other = cf.server.addZone("twice.example");
    const path = `/api/provider-configs/${await cf.configure()}/import`;
    const attempt = async () => (await cf.zw.admin.post(path, { zones: ["twice.example"] })).body.results[0];
    const unclear = {
      success: false,
      error: expect.stringMatching(/2 zones named twice\.example.*Enter the account id/),
    };
    expect(await attempt()).toMatchObject(unclear);
    served.status = "active";
    other.status = "active";
    expect(await attempt()).toMatchObject(unclear);
    other.status = "pending";
    expect(await attempt()).toMatchObject({ success: true, records: 1 });
  });

  test("a zone is created in the configured account; without one, the error asks for it", async () => {
    const id = await cf.configure();
    const made = await cf.zw.admin.post("/api/domains", { name: "made.example", providerConfigId: id });
    expect(made.status).toBe(201);
    expect(cf.server.zone("made.example").account.id).toBe(cf.server.accountId);
    const { token, url } = cf.server;
    const input = { kind: "cloudflare", name: "Without account", config: { apiToken: token, endpoint: url } };
    const bare = (await cf.zw.admin.post("/api/provider-configs", input)).body.id;
    const refused = await cf.zw.admin.post("/api/domains", { name: "unmade.example", providerConfigId: bare });
    expect([refused.status, refused.body.detail]).toEqual([502, expect.stringContaining("enter the account id")]);
  });

  test("a token that Cloudflare rejects is reported with its message and without the token", async () => {
    const apiToken = "cf-wrong-token-that-nobody-should-see";
    const id = await cf.configure({ apiToken });
    const { body } = await cf.zw.admin.post(`/api/provider-configs/${id}/test`);
    expect(body.success).toBe(false);
    expect(body.error).toMatch(/rejects the token of this provider configuration.*Invalid access token \*{8} \(9109\)/);
    const domain = await cf.zw.admin.post("/api/domains", { name: "wrong.example", providerConfigId: id });
    expect(domain.status).toBe(502);
    expect(JSON.stringify([body, domain.body])).not.toContain(apiToken);
  });

  test("an address that is not Cloudflare's API is reported as such", async () => {
    const id = await cf.configure({ endpoint: new URL("/elsewhere", cf.server.url).href });
    const { body } = await cf.zw.admin.post(`/api/provider-configs/${id}/test`);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining("Could not route to") });
    const other = await cf.configure({ endpoint: cf.zw.url });
    expect((await cf.zw.admin.post(`/api/provider-configs/${other}/test`)).body.success).toBe(false);
  });

  test("a private API address is not called unless allowed", async () => {
    const id = await cf.configure({ endpoint: "http://10.0.0.1/client/v4" });
    const { body } = await cf.zw.admin.post(`/api/provider-configs/${id}/test`);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining("10.0.0.1") });
  });

  test.each([
    [{ apiToken: "two words" }, "API token"],
    [{ accountId: "me" }, "32 hexadecimal digits"],
    [{ endpoint: "ftp://example.net" }, "Enter the API's address, such as https://api.cloudflare.com"],
    [
      { endpoint: "https://user:word@example.net/client/v4" },
      "Enter the API's address, such as https://api.cloudflare.com",
    ],
  ])("a Cloudflare configuration with %j is refused with advice", async (wrong, words) => {
    await expect(cf.configure(wrong)).rejects.toThrow(words);
  });
});
