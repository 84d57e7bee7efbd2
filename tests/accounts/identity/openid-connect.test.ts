import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { startOpenIdProvider } from "../../support/identity/openid-provider.ts";
import {
  authorize,
  browserFor,
  comeBack,
  exchange,
  invite,
  signedInClient,
  site,
  startBinding,
} from "../../support/identity/external-sign-in.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
let provider: OpenIdProvider;

beforeAll(async () => {
  provider = await startOpenIdProvider(`${site}/oauth/oidc`);
  const { wellKnownUrl, clientId, clientSecret } = provider;
  await zw.admin.post("/api/oauth/providers", {
    providerId: "oidc",
    clientId,
    clientSecret,
    wellKnownUrl,
  });
});
afterAll(() => provider.stop());

/** Signs in at the provider. @returns the parameters that the front end receives */
async function goThrough(login: string, browser = browserFor(zw)) {
  return await comeBack(browser, await provider.signIn(browser, await authorize(browser, "oidc"), login));
}

/** Registers a person without an account. @returns the response */
async function register(login: string) {
  const { pending_token: pendingToken, ...query } = await goThrough(login);
  expect(query).toEqual({ needs_invite: "true" });
  return await zw.nobody.post("/api/auth/oauth/oidc/register", { pendingToken, inviteCode: await invite(zw) });
}

describe("a real OpenID provider", () => {
  test("the authorization request has PKCE S256, a nonce, a state and the registered redirect URI", async () => {
    const url = await authorize(browserFor(zw), "oidc");
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      redirect_uri: `${site}/oauth/oidc`,
      response_type: "code",
      scope: "openid profile email",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w.-]{80,400}$/),
    });
  });

  test("an unknown person registers with an invitation, and then signs in with a ticket", async () => {
    provider.accounts.set("grace", {
      email: "grace@example.org",
      email_verified: true,
      name: "Grace Hopper",
      preferred_username: "grace",
    });
    const registered = await register("grace");
    expect(registered.status).toBe(201);
    expect(registered.body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      user: { id: expect.any(String), username: "grace", email: "grace@example.org", role: "member" },
    });
    const { ticket, ...query } = await goThrough("grace");
    expect(query).toEqual({});
    const signedIn = await exchange(zw, ticket);
    expect(signedIn.status).toBe(200);
    expect(signedIn.body).toEqual({ accessToken: expect.any(String), user: registered.body.user });
    expect(signedIn.headers.getSetCookie()[0]).toMatch(
      /^refresh_token=[^;]+; Path=\/api; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(signedIn.headers.get("cache-control")).toBe("no-store");
    const me = await signedInClient(zw, signedIn).get("/api/auth/me");
    expect(me.body).toMatchObject({ username: "grace", displayName: "Grace Hopper", hasPassword: false });
  });

  test("a person who refuses consent at the provider returns with access_denied", async () => {
    const browser = browserFor(zw);
    const back = await provider.refuse(browser, await authorize(browser, "oidc"));
    expect(await comeBack(browser, back)).toEqual({ error: "access_denied" });
  });

  test("a signed-in user links an identity, lists it, signs in with it and unlinks it", async () => {
    provider.accounts.set("barbara", { email: "barbara@example.org", email_verified: true, name: "Barbara Liskov" });
    const member = await zw.member("barbara");
    const browser = browserFor(zw);
    const back = await provider.signIn(browser, await startBinding(browser, member, "oidc"), "barbara");
    expect(await comeBack(browser, back)).toEqual({ bound: "1", provider_id: "oidc" });
    const listed = await member.get("/api/auth/oauth/bindings");
    expect(listed.body).toEqual({
      bindings: [
        {
          providerId: "oidc",
          name: "OpenID Connect",
          type: "oidc",
          subject: "barbara",
          email: "barbara@example.org",
          displayName: "Barbara Liskov",
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
    });
    const { body } = await exchange(zw, (await goThrough("barbara")).ticket);
    expect(body.user.username).toBe("barbara");
    expect((await member.delete("/api/auth/oauth/unbind/oidc")).body).toEqual({ success: true });
    expect((await member.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
    expect(await member.delete("/api/auth/oauth/unbind/oidc")).toBeProblem(404, "NOT_FOUND");
    expect(await goThrough("barbara")).toHaveProperty("needs_invite");
  });

  test("a replayed or altered code is refused", async () => {
    const browser = browserFor(zw);
    const back = await provider.signIn(browser, await authorize(browser, "oidc"), "replayed");
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
    const again = browserFor(zw);
    const other = await authorize(again, "oidc");
    const mixed = new URL(back);
    mixed.searchParams.set("state", other.searchParams.get("state") ?? "");
    expect(await comeBack(again, mixed)).toEqual({ error: "provider_error" });
  });
});
