import { describe, expect, onTestFinished, test } from "vitest";
import { authorize, browserFor, comeBack, site } from "../../support/identity/external-sign-in.ts";
import { problemOf } from "../../support/problems.ts";
import { startRogueProvider } from "../../support/identity/rogue-openid-provider.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { useLoopbackProviders } from "./loopback-providers.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
const providers = useLoopbackProviders(zw);

describe("discovery documents", () => {
  test("a configuration with the discovery document of another issuer is refused", async () => {
    providers.discovers({ issuer: "https://accounts.example.com" });
    const { detail } = problemOf(await providers.configured(providers.oidc()), 400, "BAD_REQUEST");
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
  ])(
    "a configuration with a discovery document that has %s is refused without an internal error",
    async (_what, fields) => {
      providers.discovers(fields);
      const { issues } = problemOf(await providers.configured(providers.oidc()), 400, "BAD_REQUEST");
      expect(issues).toMatchObject([{ path: ["wellKnownUrl"] }]);
      // Saved before the document became invalid.
      await providers.enabledUnseen({ ...providers.oidc(), clientId: "only-with-an-odd-document" });
      const { location } = await browserFor(zw).get(`${site}/api/auth/oauth/oidc/authorize`);
      expect(location?.href).toBe(`${site}/?error=provider_error`);
      expect(await zw.admin.post("/api/auth/oauth/oidc/bind/start")).toBeProblem(409, "CONFLICT");
    },
  );

  test("a discovery document without optional fields works", async () => {
    providers.discovers({
      userinfo_endpoint: null,
      id_token_signing_alg_values_supported: null,
      token_endpoint_auth_methods_supported: null,
    });
    await providers.configured(providers.oidc());
    const browser = browserFor(zw);
    expect(await comeBack(browser, providers.rogue.agree(await authorize(browser, "oidc")))).toHaveProperty(
      "pending_token",
    );
  });

  test.each(["token_endpoint", "userinfo_endpoint", "jwks_uri"])(
    "a discovery document cannot send calls to another internal server by its %s",
    async (field) => {
      const inside = await startRogueProvider();
      onTestFinished(() => inside.stop());
      providers.discovers({ [field]: `${inside.url}/anything` });
      // A separate configuration, because keys are cached with it.
      await providers.configured({ ...providers.oidc(), scope: `openid ${field}` });
      const browser = browserFor(zw);
      const back = providers.rogue.agree(await authorize(browser, "oidc"));
      expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
      expect(inside.calls).toEqual([]);
    },
  );

  test("a discovery document may name another internal server only if the administrator configured it", async () => {
    const inside = await startRogueProvider();
    onTestFinished(() => inside.stop());
    await providers.configured({ ...providers.oidc(), userInfoUrl: `${inside.url}/userinfo` });
    const browser = browserFor(zw);
    expect(await comeBack(browser, providers.rogue.agree(await authorize(browser, "oidc")))).toHaveProperty(
      "pending_token",
    );
    expect(inside.calls).toHaveLength(1);
  });

  test("saving a configuration again rereads its discovery document", async () => {
    const { body } = await providers.configured(providers.oidc());
    await authorize(browserFor(zw), "oidc");
    providers.discovers({ authorization_endpoint: `${providers.rogue.url}/moved` });
    expect((await authorize(browserFor(zw), "oidc")).pathname).toBe("/authorize");
    await zw.admin.put(`/api/oauth/providers/${body.id}`, {});
    expect((await authorize(browserFor(zw), "oidc")).pathname).toBe("/moved");
  });
});
