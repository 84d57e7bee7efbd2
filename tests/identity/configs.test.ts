import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../server/config.ts";
import { queries } from "../../server/database/database.ts";
import { startServer } from "../../server/start.ts";
import { entries } from "../audit/trail.ts";
import type { Browser } from "../support/identity/browser.ts";
import { authorize, browserFor, comeBack, invite, site, startBinding } from "../support/identity/external-sign-in.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "../support/identity/vendors.ts";
import { problemOf } from "../support/problems.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { rogueClient, startRogueProvider, type RogueProvider } from "../support/identity/rogue-openid-provider.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const older = "the-older-key-of-at-least-32-characters";
const newer = "the-newer-key-of-at-least-32-characters";
const zw = useZonewright({ env: { SITE_URL: site, SECRET_KEYS: older } });
let rogue: RogueProvider;
let vendor: IdentityVendor;

beforeAll(async () => {
  rogue = await startRogueProvider();
  vendor = await startIdentityVendor("github");
});
afterAll(async () => {
  await rogue.stop();
  await vendor.stop();
});

/** Configures a provider for one test. */
async function configured(config: object): Promise<Answer> {
  const answer = await zw.admin.post("/api/oauth/providers", config);
  if (answer.status === 201)
    onTestFinished(async () => {
      await zw.admin.delete(`/api/oauth/providers/${answer.body.id}`, { "x-confirm-delete": "true" });
    });
  return answer;
}

/** Configures a provider that was last looked at when it was different. */
async function enabledUnseen(config: object): Promise<void> {
  const { body } = await configured({ ...config, enabled: false });
  const em = zw.services.database.fork();
  await queries(em).updateTable("identity_configs").set({ enabled: true }).where("id", "=", body.id).execute();
}
const oidc = () => ({ providerId: "oidc", ...rogueClient, wellKnownUrl: rogue.wellKnownUrl });
const github = () => ({ providerId: "github", ...vendorClient, ...vendor.endpoints });

describe("a configuration", () => {
  test("is shown without its secret and with the ends of its client id, as the interface says", async () => {
    const { status, body } = await configured(oidc());
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      providerId: "oidc",
      enabled: true,
      clientIdMasked: "rog****-id",
      scope: "openid profile email",
      wellKnownUrl: rogue.wellKnownUrl,
      authorizeUrl: null,
      tokenUrl: null,
      userInfoUrl: null,
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
    expect((await zw.nobody.get("/api/auth/oauth/providers")).body).toEqual({
      providers: [{ providerId: "oidc", name: "OpenID Connect", type: "oidc" }],
    });
  });

  test("is for administrators to change, and for who is signed in to see", async () => {
    const { body } = await configured(github());
    const member = await zw.member("no-administrator");
    const at = `/api/oauth/providers/${body.id}`;
    expect(await member.post("/api/oauth/providers", github())).toBeProblem(403, "FORBIDDEN");
    expect(await member.put(at, { enabled: false })).toBeProblem(403, "FORBIDDEN");
    expect(await member.delete(at)).toBeProblem(403, "FORBIDDEN");
    expect(await zw.nobody.get("/api/oauth/providers")).toBeProblem(401, "UNAUTHORIZED");
  });

  test("has the provider's usual scopes where none are named", async () => {
    const { body } = await configured({ ...github(), scope: "" });
    expect(body.scope).toBe("read:user user:email");
    const at = `/api/oauth/providers/${body.id}`;
    expect((await zw.admin.put(at, { scope: "read:user" })).body.scope).toBe("read:user");
    expect((await zw.admin.put(at, { scope: "" })).body.scope).toBe("read:user user:email");
    expect(await zw.admin.put(at, { scope: "two  spaces" })).toBeProblem(400, "BAD_REQUEST");
  });

  test("exists once for each provider", async () => {
    await configured(github());
    expect(await configured(github())).toBeProblem(409, "CONFLICT");
  });

  test.each([
    ["a provider that there is not", { providerId: "myspace", clientId: "x" }, "providerId"],
    ["no client id", { providerId: "github", clientId: "" }, "clientId"],
    ["an address that is none", { providerId: "github", clientId: "x", tokenUrl: "not an address" }, "tokenUrl"],
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
  ])("with %s is refused, naming the field", async (_what, config, field) => {
    const { issues } = problemOf(await configured(config), 400, "BAD_REQUEST");
    expect(issues?.map(({ path }) => path[0])).toContain(field);
  });

  test("of a provider that cannot be reached says so, and can be saved disabled", async () => {
    const wellKnownUrl = "http://127.0.0.1:9/.well-known/openid-configuration";
    const config = { ...oidc(), wellKnownUrl };
    const { detail } = problemOf(await configured(config), 400, "BAD_REQUEST");
    expect(detail).toMatch(/127\.0\.0\.1.*refuses the connection/);
    expect(detail).toContain("leave it disabled");
    const { status, body } = await configured({ ...config, enabled: false });
    expect(status).toBe(201);
    const at = `/api/oauth/providers/${body.id}`;
    expect(await zw.admin.put(at, { enabled: true })).toBeProblem(400, "BAD_REQUEST");
    expect((await zw.admin.put(at, { enabled: true, wellKnownUrl: rogue.wellKnownUrl })).body.enabled).toBe(true);
  });

  test("with the discovery document of another issuer is refused", async () => {
    rogue.discovery["issuer"] = "https://accounts.example.com";
    const { detail } = problemOf(await configured(oidc()), 400, "BAD_REQUEST");
    delete rogue.discovery["issuer"];
    expect(detail).toContain("https://accounts.example.com");
  });

  test.each<[string, Record<string, unknown>]>([
    ["algorithms that are no list", { id_token_signing_alg_values_supported: "RS256" }],
    ["ways to authenticate that are no list", { token_endpoint_auth_methods_supported: { includes: "everything" } }],
    ["a script for an authorisation endpoint", { authorization_endpoint: "javascript:alert(1)" }],
    ["credentials in its authorisation endpoint", { authorization_endpoint: "https://a:b@id.example.com/" }],
    ["a list for a token endpoint", { token_endpoint: ["https://id.example.com/token"] }],
    ["a token endpoint of another scheme", { token_endpoint: "ftp://id.example.com/token" }],
    ["a number for a userinfo endpoint", { userinfo_endpoint: 4 }],
    ["a userinfo endpoint that is no address", { userinfo_endpoint: "nowhere" }],
    ["keys in a file", { jwks_uri: "file:///etc/passwd" }],
    ["no keys", { jwks_uri: null }],
    ["a text in place of yes or no", { authorization_response_iss_parameter_supported: "yes" }],
    ["a number for its issuer", { issuer: 5 }],
  ])("with a discovery document that has %s is refused, and nothing of ours fails", async (_what, fields) => {
    Object.assign(rogue.discovery, fields);
    onTestFinished(() => {
      for (const field of Object.keys(fields)) delete rogue.discovery[field];
    });
    const { issues } = problemOf(await configured(oidc()), 400, "BAD_REQUEST");
    expect(issues).toMatchObject([{ path: ["wellKnownUrl"] }]);
    // Saved before the document became like that.
    await enabledUnseen({ ...oidc(), clientId: "only-with-an-odd-document" });
    const { location } = await browserFor(zw).get(`${site}/api/auth/oauth/oidc/authorize`);
    expect(location?.href).toBe(`${site}/?error=provider_error`);
    expect(await zw.admin.post("/api/auth/oauth/oidc/bind/start")).toBeProblem(409, "CONFLICT");
  });

  test("with a discovery document that leaves out what is optional works", async () => {
    const fields = {
      userinfo_endpoint: null,
      id_token_signing_alg_values_supported: null,
      token_endpoint_auth_methods_supported: null,
    };
    Object.assign(rogue.discovery, fields);
    onTestFinished(() => {
      for (const field of Object.keys(fields)) delete rogue.discovery[field];
    });
    await configured(oidc());
    const browser = browserFor(zw);
    expect(await comeBack(browser, rogue.agree(await authorize(browser, "oidc")))).toHaveProperty("pending_token");
  });

  test.each(["token_endpoint", "userinfo_endpoint", "jwks_uri"])(
    "does not lead to another server of one's own network by the %s of its discovery document",
    async (field) => {
      const inside = await startRogueProvider();
      onTestFinished(() => inside.stop());
      rogue.discovery[field] = `${inside.url}/anything`;
      onTestFinished(() => void delete rogue.discovery[field]);
      // A configuration of its own: keys are remembered with it.
      await configured({ ...oidc(), scope: `openid ${field}` });
      const browser = browserFor(zw);
      const back = rogue.agree(await authorize(browser, "oidc"));
      expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
      expect(inside.calls).toEqual([]);
    },
  );

  test("leads to another server of one's own network where an administrator names it", async () => {
    const inside = await startRogueProvider();
    onTestFinished(() => inside.stop());
    await configured({ ...oidc(), userInfoUrl: `${inside.url}/userinfo` });
    const browser = browserFor(zw);
    expect(await comeBack(browser, rogue.agree(await authorize(browser, "oidc")))).toHaveProperty("pending_token");
    expect(inside.calls).toHaveLength(1);
  });

  test("that is saved again is used with the discovery document as it is then", async () => {
    const { body } = await configured(oidc());
    await authorize(browserFor(zw), "oidc");
    rogue.discovery["authorization_endpoint"] = `${rogue.url}/moved`;
    onTestFinished(() => void delete rogue.discovery["authorization_endpoint"]);
    expect((await authorize(browserFor(zw), "oidc")).pathname).toBe("/authorize");
    await zw.admin.put(`/api/oauth/providers/${body.id}`, {});
    expect((await authorize(browserFor(zw), "oidc")).pathname).toBe("/moved");
  });

  test("keeps the stored secret where an empty one is sent, and takes a new one", async () => {
    const { body } = await configured(github());
    const at = `/api/oauth/providers/${body.id}`;
    const works = async () => {
      const browser = browserFor(zw);
      return "pending_token" in (await comeBack(browser, vendor.agree(await authorize(browser, "github"))));
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
    expect((await zw.admin.put(at, { tokenUrl: "" })).body.tokenUrl).toBeNull();
    expect(await zw.admin.put("/api/oauth/providers/01a1fb0f-6204-7000-abd4-276e976be8b7", {})).toBeProblem(
      404,
      "NOT_FOUND",
    );
  });

  test("with users is deleted only when that is confirmed, and takes their bindings along", async () => {
    const { body } = await configured(github());
    const browser = browserFor(zw);
    const { pending_token: pendingToken } = await comeBack(browser, vendor.agree(await authorize(browser, "github")));
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
  });

  test("without users is deleted at once", async () => {
    const { body } = await configured({ providerId: "google", clientId: "g" });
    expect((await zw.admin.delete(`/api/oauth/providers/${body.id}`)).status).toBe(200);
  });
});

test("a provider that went away leaves people at the front end, and who binds gets a sentence", async () => {
  const short = await startRogueProvider();
  await short.stop();
  await enabledUnseen({ providerId: "custom", ...rogueClient, wellKnownUrl: short.wellKnownUrl });
  const { location } = await browserFor(zw).get(`${site}/api/auth/oauth/custom/authorize`);
  expect(location?.href).toBe(`${site}/?error=provider_error`);
  const { detail } = problemOf(await zw.admin.post("/api/auth/oauth/custom/bind/start"), 409, "CONFLICT");
  expect(detail).toContain("cannot be reached");
});

describe.each([
  ["disabled", (at: string) => zw.admin.put(at, { enabled: false })],
  ["deleted", (at: string) => zw.admin.delete(at, { "x-confirm-delete": "true" })],
])("a provider that is %s while it is asked who somebody is", (how, stop) => {
  /** Comes back, and the provider is stopped before it has answered. @returns what the front end gets */
  async function comeBackMeanwhile(at: string, browser: Browser, url: URL) {
    const stopped: Answer[] = [];
    vendor.meanwhile(
      (call) => call.url.pathname === "/user",
      async () => stopped.push(await stop(at)),
    );
    const query = await comeBack(browser, vendor.agree(url));
    expect(stopped).toMatchObject([{ status: 200 }]);
    return query;
  }

  test("does not sign in whom it vouches for then, nor lets them register", async () => {
    const { body } = await configured(github());
    const at = `/api/oauth/providers/${body.id}`;
    const browser = browserFor(zw);
    const query = await comeBackMeanwhile(at, browser, await authorize(browser, "github"));
    expect(query).toEqual({ error: "provider_disabled" });
  });

  test("is not bound any more", async () => {
    const { body } = await configured(github());
    const at = `/api/oauth/providers/${body.id}`;
    const member = await zw.member(`binds-while-${how}`);
    const browser = browserFor(zw);
    const query = await comeBackMeanwhile(at, browser, await startBinding(browser, member, "github"));
    expect(query).toEqual({ error: "provider_disabled" });
    expect((await member.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
  });
});

test.each([
  ["oidc", `${site}/oauth/oidc`],
  ["custom", `${site}/oauth/oidc`],
  ["github", `${site}/api/auth/oauth/github/callback`],
  ["dingtalk", `${site}/api/auth/oauth/dingtalk/callback`],
])("the addresses to register for %s are told to everybody", async (providerId, redirectUrl) => {
  const { body } = await zw.nobody.get(`/api/auth/oauth/${providerId}/callback-url`);
  expect(body).toEqual({ providerId, homepageUrl: site, redirectUrl, siteUrl: site, callbackUrl: redirectUrl });
});

test("a provider that there is not has no addresses and no way there", async () => {
  for (const path of ["callback-url", "authorize", "callback"])
    expect(await zw.nobody.get(`/api/auth/oauth/myspace/${path}`)).toBeProblem(404, "NOT_FOUND");
});

/** The table of configurations, as text. */
async function stored() {
  const { rows } = await sql<{ row: string; secret: string }>`
      select identity_configs::text as row, client_secret as secret from identity_configs`.execute(
    queries(zw.services.database.fork()),
  );
  return rows;
}

/** The service once more on the same database, as after a restart with other keys. */
async function restarted(secretKeys: string) {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const env = {
    PORT: "0",
    DATA_DIR: dataDir,
    LOG_LEVEL: "silent",
    SITE_URL: site,
    SECRET_KEYS: secretKeys,
    JOBS: "off",
  };
  const server = await startServer(loadConfig({ ...env, ADMIN_PASSWORD: adminPassword }), {
    announce: () => undefined,
    database: zw.services.database,
  });
  onTestFinished(() => server.stop());
  const client = new RestClient(server.url);
  const { body } = await client.post("/api/auth/login", { username: "admin", password: adminPassword });
  client.token = body.accessToken;
  return { ...zw, url: server.url, admin: client, nobody: new RestClient(server.url) };
}

describe("a client secret", () => {
  test("stands nowhere in the table, the trail or an answer", async () => {
    const created = await configured(github());
    const changed = await zw.admin.put(`/api/oauth/providers/${created.body.id}`, {
      clientSecret: "a secret of its own",
    });
    const trail = await entries(zw.admin, { targetId: created.body.id });
    expect(trail.map(({ action, after }) => [action, after?.["secretChanged"] ?? null])).toEqual([
      ["identity_config.update", true],
      ["identity_config.create", null],
    ]);
    const texts = [
      created.body,
      changed.body,
      trail,
      await stored(),
      (await zw.admin.get("/api/oauth/providers")).body,
    ];
    for (const text of texts.map((one) => JSON.stringify(one))) {
      expect(text).not.toContain(vendorClient.clientSecret);
      expect(text).not.toContain("a secret of its own");
    }
  });

  test("follows the newest key at the next start, and goes on working without the older one", async () => {
    await configured(github());
    const [before] = await stored();
    const rotated = await restarted(`${newer},${older}`);
    const [after] = await stored();
    expect(after?.secret.split(".")[1]).not.toBe(before?.secret.split(".")[1]);
    const browser = browserFor(rotated);
    expect(await comeBack(browser, vendor.agree(await authorize(browser, "github")))).toHaveProperty("pending_token");
    const forgetful = await restarted(newer);
    const again = browserFor(forgetful);
    expect(await comeBack(again, vendor.agree(await authorize(again, "github")))).toHaveProperty("pending_token");
  });

  test("that no key opens stops sign-ins through its provider and nothing else, until it is entered again", async () => {
    const { body } = await configured(github());
    const other = await restarted("a-key-that-has-sealed-nothing-of-it-all");
    const at = `/api/oauth/providers/${body.id}`;
    const { location } = await browserFor(other).get(`${site}/api/auth/oauth/github/authorize`);
    expect(location?.searchParams.get("error")).toBe("provider_error");
    expect((await other.admin.get("/api/oauth/providers")).status).toBe(200);
    const { issues } = problemOf(await other.admin.put(at, { clientSecret: "" }), 409, "CONFLICT");
    expect(issues).toMatchObject([{ path: ["clientSecret"] }]);
    expect((await other.admin.put(at, { enabled: false })).body.enabled).toBe(false);
    expect(await other.admin.put(at, { enabled: true })).toBeProblem(409, "CONFLICT");
    const { clientSecret } = vendorClient;
    expect((await other.admin.put(at, { enabled: true, clientSecret })).status).toBe(200);
    expect(await authorize(browserFor(other), "github")).toMatchObject({ origin: vendor.url });
  });
});

test("nothing that opens something stands in the tables of trips", async () => {
  await configured(github());
  const browser = browserFor(zw);
  const url = await authorize(browser, "github");
  const cookies = browser.cookiesFor(new URL(site)).map(([, { value }]) => value);
  const other = browserFor(zw);
  const { pending_token: pending = "" } = await comeBack(other, vendor.agree(await authorize(other, "github")));
  const em = zw.services.database.fork();
  const { rows } = await sql<{ row: string }>`
    select identity_flows::text as row from identity_flows
    union all select pending_identities::text from pending_identities`.execute(queries(em));
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const secret of [...cookies, pending, url.searchParams.get("state") ?? ""]) {
    expect(secret).not.toBe("");
    for (const { row } of rows) expect(row).not.toContain(secret);
  }
});
