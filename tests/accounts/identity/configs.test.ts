import { describe, expect, test } from "vitest";
import { entries } from "../../notifications/audit/trail.ts";
import { authorize, browserFor, comeBack, exchange, invite, site } from "../../support/identity/external-sign-in.ts";
import { rogueClient } from "../../support/identity/rogue-openid-provider.ts";
import { vendorClient } from "../../support/identity/vendors.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";
import { useLoopbackProviders } from "./loopback-providers.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
const providers = useLoopbackProviders(zw);

describe("identity provider configurations", () => {
  test("a configuration is shown without its secret and with a masked client id", async () => {
    const { status, body } = await providers.configured(providers.oidc());
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      providerId: "oidc",
      enabled: true,
      clientIdMasked: "rog****-id",
      scope: "openid profile email",
      wellKnownUrl: providers.rogue.wellKnownUrl,
      authorizeUrl: null,
      tokenUrl: null,
      userInfoUrl: null,
      groupsClaim: null,
      groupRules: [],
      groupRulesVersion: expect.any(String),
      defaultDeny: false,
      homepageUrl: site,
      redirectUrl: `${site}/oauth/oidc`,
    });
    const member = await zw.member("looks-at-configs");
    const { body: list } = await member.get("/api/oauth/providers");
    expect(list).toEqual({
      providers: [body],
      availableProviders: [
        { id: "oidc", name: "OpenID Connect", type: "oidc" },
        { id: "custom", name: "Custom OpenID Connect", type: "oidc" },
        { id: "github", name: "GitHub", type: "oauth2" },
        { id: "gitlab", name: "GitLab", type: "oauth2" },
        { id: "google", name: "Google", type: "oauth2" },
        { id: "dingtalk", name: "DingTalk", type: "oauth2" },
        { id: "feishu", name: "Feishu", type: "oauth2" },
      ],
      homepageUrl: site,
      oidcUrls: { homepageUrl: site, redirectUrl: `${site}/oauth/oidc` },
    });
    // The discovery URL may be internal, so its host is not shown without a sign-in.
    expect((await zw.nobody.get("/api/auth/oauth/providers")).body).toEqual({
      providers: [{ providerId: "oidc", name: "OpenID Connect", type: "oidc", host: null }],
    });
    const { wellKnownUrl } = providers.rogue;
    const authorizeUrl = new URL("/authorize", wellKnownUrl);
    authorizeUrl.hostname = "localhost";
    const changed = await zw.admin.put(`/api/oauth/providers/${body.id}`, {
      authorizeUrl: authorizeUrl.href,
      clientSecret: Reflect.get(providers.oidc(), "clientSecret"),
    });
    expect(changed.status).toBe(200);
    expect((await zw.nobody.get("/api/auth/oauth/providers")).body).toMatchObject({
      providers: [{ providerId: "oidc", host: authorizeUrl.host }],
    });
  });

  test("only administrators can change a configuration, and signed-in users can read it", async () => {
    const { body } = await providers.configured(providers.github());
    const member = await zw.member("no-administrator");
    const at = `/api/oauth/providers/${body.id}`;
    expect(await member.post("/api/oauth/providers", providers.github())).toBeProblem(403, "FORBIDDEN");
    expect(await member.put(at, { enabled: false })).toBeProblem(403, "FORBIDDEN");
    expect(await member.delete(at)).toBeProblem(403, "FORBIDDEN");
    expect(await zw.nobody.get("/api/oauth/providers")).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a configuration has the provider's default scopes if none are given", async () => {
    const { body } = await providers.configured({ ...providers.github(), scope: "" });
    expect(body.scope).toBe("read:user user:email");
    const at = `/api/oauth/providers/${body.id}`;
    expect((await zw.admin.put(at, { scope: "read:user" })).body.scope).toBe("read:user");
    expect((await zw.admin.put(at, { scope: "" })).body.scope).toBe("read:user user:email");
    expect(await zw.admin.put(at, { scope: "two  spaces" })).toBeProblem(400, "BAD_REQUEST");
  });

  test("each provider can be configured once", async () => {
    await providers.configured(providers.github());
    expect(await providers.configured(providers.github())).toBeProblem(409, "CONFLICT");
  });

  test.each([
    ["an unknown provider", { providerId: "myspace", clientId: "x" }, "providerId"],
    ["no client id", { providerId: "github", clientId: "" }, "clientId"],
    ["an invalid URL", { providerId: "github", clientId: "x", tokenUrl: "not an address" }, "tokenUrl"],
    [
      "credentials within an address",
      { providerId: "github", clientId: "x", tokenUrl: "https://a:b@c.example" },
      "tokenUrl",
    ],
    ["another scheme", { providerId: "github", clientId: "x", authorizeUrl: "javascript:alert(1)" }, "authorizeUrl"],
    [
      "a discovery address where there is none",
      { providerId: "google", clientId: "x", wellKnownUrl: "https://x.example/.well-known/openid-configuration" },
      "wellKnownUrl",
    ],
    ["OpenID Connect without any address", { providerId: "oidc", clientId: "x" }, "wellKnownUrl"],
    [
      "OpenID Connect without the scope for it",
      {
        providerId: "custom",
        clientId: "x",
        scope: "profile",
        wellKnownUrl: "https://x.example/.well-known/openid-configuration",
      },
      "scope",
    ],
    [
      "a discovery address of another form",
      { providerId: "oidc", clientId: "x", wellKnownUrl: "https://x.example/openid" },
      "wellKnownUrl",
    ],
    [
      "metadata of the cloud",
      { providerId: "oidc", clientId: "x", wellKnownUrl: "http://169.254.169.254/.well-known/openid-configuration" },
      "wellKnownUrl",
    ],
  ])("a configuration with %s is refused, naming the field", async (_what, config, field) => {
    const { issues } = problemOf(await providers.configured(config), 400, "BAD_REQUEST");
    expect(issues?.map(({ path }) => path[0])).toContain(field);
  });

  test("an enabled configuration of an unreachable provider is refused, but can be saved disabled", async () => {
    const wellKnownUrl = "http://127.0.0.1:9/.well-known/openid-configuration";
    const config = { ...providers.oidc(), wellKnownUrl };
    const { detail } = problemOf(await providers.configured(config), 400, "BAD_REQUEST");
    expect(detail).toMatch(/127\.0\.0\.1.*refused the connection/);
    expect(detail).toContain("leave the provider disabled");
    const { status, body } = await providers.configured({ ...config, enabled: false });
    expect(status).toBe(201);
    const at = `/api/oauth/providers/${body.id}`;
    expect(await zw.admin.put(at, { enabled: true })).toBeProblem(400, "BAD_REQUEST");
    const reachable = { ...rogueClient, wellKnownUrl: providers.rogue.wellKnownUrl };
    expect((await zw.admin.put(at, { enabled: true, ...reachable })).body.enabled).toBe(true);
  });

  test("an empty secret keeps the stored one, and a new one replaces it", async () => {
    const { body } = await providers.configured(providers.github());
    const at = `/api/oauth/providers/${body.id}`;
    const works = async () => {
      const browser = browserFor(zw);
      return "pending_token" in (await comeBack(browser, providers.vendor.agree(await authorize(browser, "github"))));
    };
    expect((await zw.admin.put(at, { clientSecret: "", scope: "read:user user:email" })).status).toBe(200);
    expect(await works()).toBe(true);
    expect((await zw.admin.put(at, {})).body).toEqual(body);
    expect(await works()).toBe(true);
    await zw.admin.put(at, { clientSecret: "another secret, which is wrong" });
    expect(await works()).toBe(false);
    await zw.admin.put(at, { clientSecret: vendorClient.clientSecret });
    expect(await works()).toBe(true);
    expect((await zw.admin.put(at, { clientId: "short" })).body.clientIdMasked).toBe("s****t");
    const { clientSecret } = vendorClient;
    expect((await zw.admin.put(at, { tokenUrl: "", clientSecret })).body.tokenUrl).toBeNull();
    expect(await zw.admin.put("/api/oauth/providers/01a1fb0f-6204-7000-abd4-276e976be8b7", {})).toBeProblem(
      404,
      "NOT_FOUND",
    );
  });

  test("deleting a configuration with users needs confirmation and unlinks them", async () => {
    const { body } = await providers.configured(providers.github());
    const browser = browserFor(zw);
    const { pending_token: pendingToken } = await comeBack(
      browser,
      providers.vendor.agree(await authorize(browser, "github")),
    );
    const registered = await zw.nobody.post("/api/auth/oauth/github/register", {
      pendingToken,
      inviteCode: await invite(zw),
    });
    const user = new RestClient(zw.url, registered.body.accessToken);
    const at = `/api/oauth/providers/${body.id}`;
    const { detail } = problemOf(await zw.admin.delete(at), 409, "CONFIRMATION_REQUIRED");
    expect(detail).toContain("1 user");
    expect(await zw.admin.delete(at, { "x-confirm-delete": "yes" })).toBeProblem(409, "CONFIRMATION_REQUIRED");
    expect((await user.get("/api/auth/oauth/bindings")).body.bindings).toHaveLength(1);
    expect((await zw.admin.delete(at, { "x-confirm-delete": "true" })).body).toEqual({ success: true });
    expect((await user.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
    expect(await zw.admin.delete(at)).toBeProblem(404, "NOT_FOUND");
    const [entry] = await entries(zw.admin, { action: "identity_config.delete" });
    expect(entry).toMatchObject({ targetId: body.id, before: { providerId: "github", boundUsers: 1 } });
    const [unbound] = await entries(zw.admin, { action: "identity.unbind" });
    expect(unbound).toMatchObject({
      actorId: entry?.actorId,
      targetType: "identity",
      before: { userId: registered.body.user.id, providerId: "github" },
    });
  });

  test.each(["authorizeUrl", "tokenUrl", "userInfoUrl"])(
    "changing a configuration's %s to another server requires the secret again, enabled or not",
    async (field) => {
      const { body } = await providers.configured(providers.github());
      const at = `/api/oauth/providers/${body.id}`;
      for (const address of ["https://attacker.example/x", null]) {
        for (const rest of [{}, { enabled: false }, { clientSecret: "" }]) {
          const { issues } = problemOf(await zw.admin.put(at, { [field]: address, ...rest }), 400, "BAD_REQUEST");
          const message = "Enter the secret again, because the address has changed.";
          expect(issues).toEqual([{ path: ["clientSecret"], message }]);
        }
      }
      expect((await zw.admin.get("/api/oauth/providers")).body.providers).toEqual([body]);
      const { clientSecret } = vendorClient;
      expect((await zw.admin.put(at, { [field]: "https://own.example/x", clientSecret })).status).toBe(200);
      expect((await zw.admin.put(at, { [field]: "https://own.example/y" })).status).toBe(200);
    },
  );

  test("the URLs of a public client can be changed, because it has no secret", async () => {
    const { body } = await providers.configured({ providerId: "google", clientId: "g" });
    const moved = await zw.admin.put(`/api/oauth/providers/${body.id}`, { tokenUrl: "https://own.example/token" });
    expect(moved.status).toBe(200);
  });

  test("changing the URLs of a configuration with users needs confirmation, even on the same host, and unlinks them", async () => {
    const { body } = await providers.configured(providers.github());
    const setOut = async () => {
      const browser = browserFor(zw);
      return await comeBack(browser, providers.vendor.agree(await authorize(browser, "github")));
    };
    const { pending_token: pendingToken } = await setOut();
    const registration = { pendingToken, inviteCode: await invite(zw) };
    const registered = await zw.nobody.post("/api/auth/oauth/github/register", registration);
    const user = new RestClient(zw.url, registered.body.accessToken);
    const at = `/api/oauth/providers/${body.id}`;
    for (const field of ["authorizeUrl", "tokenUrl", "userInfoUrl"]) {
      for (const rest of [{}, { enabled: false }]) {
        const bent = { [field]: `${body[field]}?raw=attacker`, ...rest };
        expect(problemOf(await zw.admin.put(at, bent), 409, "CONFIRMATION_REQUIRED").detail).toContain("1 user");
        const unclear = await zw.admin.put(at, bent, { "x-confirm-delete": "yes" });
        expect(unclear).toBeProblem(409, "CONFIRMATION_REQUIRED");
      }
    }
    expect((await zw.admin.put(at, { clientId: vendorClient.clientId, tokenUrl: body.tokenUrl })).status).toBe(200);
    const { ticket } = await setOut();
    expect((await user.get("/api/auth/oauth/bindings")).body.bindings).toHaveLength(1);
    const tokenUrl = `${body.tokenUrl}?tenant=own`;
    expect((await zw.admin.put(at, { tokenUrl }, { "x-confirm-delete": "true" })).body.tokenUrl).toBe(tokenUrl);
    expect((await user.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
    expect(await exchange(zw, ticket)).toBeProblem(401, "UNAUTHORIZED");
    const [entry] = await entries(zw.admin, { action: "identity_config.update" });
    expect(entry).toMatchObject({ before: { tokenUrl: body.tokenUrl, boundUsers: 1 }, after: { tokenUrl } });
    const [unbound] = await entries(zw.admin, { action: "identity.unbind" });
    expect(unbound?.before).toEqual({ userId: registered.body.user.id, providerId: "github" });
    expect((await zw.admin.put(at, { tokenUrl: body.tokenUrl })).status).toBe(200);
    expect(await setOut()).toHaveProperty("needs_invite");
  });

  test("a provider that alone signs administrators in is neither deleted, disabled nor moved until one has another way in", async () => {
    const { body } = await providers.configured(providers.github());
    const browser = browserFor(zw);
    const { pending_token: pendingToken } = await comeBack(
      browser,
      providers.vendor.agree(await authorize(browser, "github")),
    );
    const registration = { pendingToken, inviteCode: await invite(zw, { role: "admin" }) };
    const registered = await zw.nobody.post("/api/auth/oauth/github/register", registration);
    const owner = new RestClient(zw.url, registered.body.accessToken);
    const { body: other } = await zw.admin.get("/api/auth/me");
    expect((await owner.send("DELETE", `/api/users/${other.id}/access`, {})).status).toBe(200);
    const at = `/api/oauth/providers/${body.id}`;
    const tokenUrl = `${body.tokenUrl}?tenant=own`;
    const confirm = { "x-confirm-delete": "true" };
    for (const refused of [
      await owner.put(at, { enabled: false }),
      await owner.put(at, { tokenUrl }, confirm),
      await owner.delete(at, confirm),
    ])
      expect(problemOf(refused, 409, "CONFLICT").detail).toContain("No administrator could sign in");
    expect((await owner.get("/api/auth/oauth/bindings")).body.bindings).toHaveLength(1);
    expect((await owner.put(at, { enabled: true, scope: "read:user" })).body.enabled).toBe(true);
    expect((await owner.put(`/api/users/${other.id}`, { password: adminPassword })).status).toBe(200);
    zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
    expect((await owner.put(at, { enabled: false })).body.enabled).toBe(false);
    expect((await owner.put(at, { tokenUrl }, confirm)).status).toBe(200);
    expect((await owner.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
    expect((await owner.delete(at, confirm)).status).toBe(200);
  });

  test("a configuration without users is deleted without confirmation", async () => {
    const { body } = await providers.configured({ providerId: "google", clientId: "g" });
    expect((await zw.admin.delete(`/api/oauth/providers/${body.id}`)).status).toBe(200);
  });
});

test.each([
  ["oidc", `${site}/oauth/oidc`],
  ["custom", `${site}/oauth/oidc`],
  ["github", `${site}/api/auth/oauth/github/callback`],
  ["dingtalk", `${site}/api/auth/oauth/dingtalk/callback`],
])("everyone can read the URLs to register for %s", async (providerId, redirectUrl) => {
  const { body } = await zw.nobody.get(`/api/auth/oauth/${providerId}/callback-url`);
  expect(body).toEqual({ providerId, homepageUrl: site, redirectUrl, siteUrl: site, callbackUrl: redirectUrl });
});

test("an unknown provider has no URLs and cannot be used", async () => {
  for (const path of ["callback-url", "authorize", "callback"])
    expect(await zw.nobody.get(`/api/auth/oauth/myspace/${path}`)).toBeProblem(404, "NOT_FOUND");
});
