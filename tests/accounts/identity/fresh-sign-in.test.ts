import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Clock, minute } from "../../support/clock.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import {
  authorize,
  browserFor,
  comeBack,
  exchange,
  invite,
  signedInClient,
  site,
} from "../../support/identity/external-sign-in.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { rogueClient, startRogueProvider, type RogueProvider } from "../../support/identity/rogue-openid-provider.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });
const anew = "?prompt=login";
const password = "/api/auth/me/password";
const newToken = { name: "Script", permissions: ["records:read"] };

const seconds = () => Math.floor(Date.now() / 1_000);

/** The client of a sign-in that was completed with a ticket. */
async function signedIn(answer: Promise<Answer>): Promise<RestClient> {
  const { status, body } = await answer;
  expect(status).toBe(200);
  return new RestClient(zw.url, body.accessToken);
}

describe("reauthentication with a real OpenID provider", () => {
  let provider: OpenIdProvider;
  beforeAll(async () => {
    provider = await startOpenIdProvider(`${site}/oauth/oidc`);
    const { wellKnownUrl, clientId, clientSecret } = provider;
    await zw.admin.post("/api/oauth/providers", { providerId: "oidc", clientId, clientSecret, wellKnownUrl });
  });
  afterAll(async () => {
    await provider.stop();
    const { body } = await zw.admin.get("/api/oauth/providers");
    const { id } = body.providers.find(({ providerId }: { providerId: string }) => providerId === "oidc");
    await zw.admin.send("DELETE", `/api/oauth/providers/${id}`, undefined, { "x-confirm-delete": "true" });
  });

  test("a real OpenID provider asks for the password again on request, and its response is accepted", async () => {
    provider.accounts.set("grace", { name: "Grace" });
    const browser = browserFor(zw);
    const first = await provider.signIn(browser, await authorize(browser, "oidc"), "grace");
    const { pending_token: pendingToken } = await comeBack(browser, first);
    const account = { pendingToken, inviteCode: await invite(zw) };
    expect((await zw.nobody.post("/api/auth/oauth/oidc/register", account)).status).toBe(201);
    // Already signed in there, this browser returns immediately,
    const silent = await browser.follow(await authorize(browser, "oidc"), (url) => url.href.startsWith(site));
    expect(await comeBack(browser, silent.location ?? new URL(site))).toHaveProperty("ticket");
    // unless reauthentication is requested.
    const url = await authorize(browser, "oidc", anew);
    expect([url.searchParams.get("prompt"), url.searchParams.get("max_age")]).toEqual(["login", "0"]);
    const { ticket } = await comeBack(browser, await provider.signIn(browser, url, "grace"));
    const fresh = await signedIn(exchange(zw, ticket));
    expect((await fresh.post("/api/auth/me/tokens", newToken)).status).toBe(201);
  });
});

describe("an OpenID provider that does not prove reauthentication", () => {
  let rogue: RogueProvider;
  beforeAll(async () => {
    rogue = await startRogueProvider();
    await zw.admin.post("/api/oauth/providers", {
      providerId: "oidc",
      ...rogueClient,
      wellKnownUrl: rogue.wellKnownUrl,
    });
    const explicit = {
      authorizeUrl: `${rogue.url}/authorize`,
      tokenUrl: `${rogue.url}/token`,
      userInfoUrl: `${rogue.url}/userinfo`,
    };
    await zw.admin.post("/api/oauth/providers", { providerId: "custom", ...rogueClient, ...explicit });
  });
  afterAll(() => rogue.stop());
  beforeEach(() => rogue.tamper());

  async function goThrough(providerId: string, authTime: unknown, query: string) {
    rogue.tamper(({ claims }) => {
      if (authTime !== undefined) claims["auth_time"] = authTime;
    });
    const browser = browserFor(zw);
    return await comeBack(browser, rogue.agree(await authorize(browser, providerId, query)));
  }

  test.each([
    ["oidc", "without an auth_time", () => undefined],
    ["oidc", "with an auth_time an hour old", () => seconds() - 3_600],
    ["oidc", "with an auth_time a minute old", () => seconds() - 60],
    ["oidc", "with an invalid auth_time", () => String(seconds())],
    ["custom", "without an auth_time", () => undefined],
    ["custom", "with an auth_time an hour old", () => seconds() - 3_600],
    ["custom", "with an invalid auth_time", () => "now"],
  ])("reauthentication at %s is refused %s", async (providerId, _what, authTime) => {
    expect(await goThrough(providerId, authTime(), anew)).toEqual({ error: "provider_error" });
  });

  test.each(["oidc", "custom"])(
    "reauthentication at %s succeeds with a recent auth_time, and a sign-in without it needs none",
    async (providerId) => {
      expect(await goThrough(providerId, seconds(), anew)).toHaveProperty("pending_token");
      expect(await goThrough(providerId, seconds() - 3_600, "")).toHaveProperty("pending_token");
      expect(await goThrough(providerId, undefined, "?prompt=none")).toHaveProperty("pending_token");
    },
  );
});

describe("reauthentication without OpenID Connect", () => {
  const harness = useIdentityHarness(zw);

  test("with OAuth 2.0, a user without a password confirms by a new sign-in, and the old session stays unconfirmed", async () => {
    harness.be(1);
    const old = await harness.newcomer();
    clock.advance(11 * minute);
    expect(await old.post("/api/auth/me/tokens", newToken)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect(await old.post("/api/auth/me/confirm", { password: "there is none" })).toBeProblem(409, "CONFLICT");
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github", anew));
    const { ticket } = await comeBack(browser, back);
    const fresh = await signedIn(exchange(zw, ticket));
    const [me, again] = [(await old.get("/api/auth/me")).body, (await fresh.get("/api/auth/me")).body];
    expect([again.id, again.confirmedUntil, me.confirmedUntil]).toEqual([me.id, expect.any(String), null]);
    expect((await fresh.post("/api/auth/me/tokens", newToken)).status).toBe(201);
    expect(await old.post("/api/auth/me/tokens", newToken)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
  });

  /** Registers the vendor's current user with an invitation of an administrator who has just signed in. */
  async function invited(): Promise<RestClient> {
    const admin = await zw.signIn("admin", adminPassword);
    const { body } = await admin.post("/api/invitations", {});
    const registered = await harness.register({ inviteCode: body.code });
    expect(registered.status).toBe(201);
    return signedInClient(zw, registered);
  }

  test("a user without a password sets the first one in a confirmed session only, and then needs it to change it", async () => {
    harness.be(2);
    const old = await invited();
    const first = { newPassword: "seven grey herons wading" };
    clock.advance(11 * minute);
    expect(await old.put(password, first)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect(await old.put(password, { ...first, currentPassword: "there is none" })).toBeProblem(409, "CONFLICT");
    const client = await signedIn(harness.signIn());
    expect((await client.put(password, { newPassword: "Password1234" })).body.issues[0].path).toEqual(["newPassword"]);
    expect((await client.put(password, first)).status).toBe(200);
    expect((await old.get("/api/auth/me")).status).toBe(401);
    const { username, hasPassword } = (await client.get("/api/auth/me")).body;
    expect(hasPassword).toBe(true);
    const login = await zw.nobody.post("/api/auth/login", { username, password: first.newPassword });
    expect(login.status).toBe(200);
    const again = await client.put(password, { newPassword: "three owls over the harbour" });
    expect(again).toBeProblem(400, "BAD_REQUEST");
    expect(again.body.issues[0].path).toEqual(["currentPassword"]);
  });

  test("of two first passwords set at the same time, one is set and the other refused", async () => {
    harness.be(3);
    const client = await invited();
    const wishes = ["seven grey herons wading", "three owls over the harbour"];
    const answers = await Promise.all(wishes.map((newPassword) => client.put(password, { newPassword })));
    const set = wishes.filter((_, index) => answers[index]?.status === 200);
    expect(set).toHaveLength(1);
    const { username } = (await client.get("/api/auth/me")).body;
    for (const wish of wishes) {
      const { status } = await zw.nobody.post("/api/auth/login", { username, password: wish });
      expect(status).toBe(set.includes(wish) ? 200 : 401);
    }
  });
});
