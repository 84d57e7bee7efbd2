import { describe, expect, test } from "vitest";
import type { Browser } from "../../support/identity/browser.ts";
import { authorize, browserFor, comeBack, site, startBinding } from "../../support/identity/external-sign-in.ts";
import { problemOf } from "../../support/problems.ts";
import type { Answer } from "../../support/rest-client.ts";
import { rogueClient, startRogueProvider } from "../../support/identity/rogue-openid-provider.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { useLoopbackProviders } from "./loopback-providers.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
const providers = useLoopbackProviders(zw);

test("an unreachable provider redirects sign-ins to the console with an error, and linking gets a message", async () => {
  const short = await startRogueProvider();
  await short.stop();
  await providers.enabledUnseen({ providerId: "custom", ...rogueClient, wellKnownUrl: short.wellKnownUrl });
  const { location } = await browserFor(zw).get(`${site}/api/auth/oauth/custom/authorize`);
  expect(location?.href).toBe(`${site}/?error=provider_error`);
  const { detail } = problemOf(await zw.admin.post("/api/auth/oauth/custom/bind/start"), 409, "CONFLICT");
  expect(detail).toContain("is unreachable");
});

describe.each([
  ["disabled", (at: string) => zw.admin.put(at, { enabled: false })],
  ["deleted", (at: string) => zw.admin.delete(at, { "x-confirm-delete": "true" })],
])("a provider %s during a flow", (how, stop) => {
  /** Returns from a provider that is stopped before it has responded. @returns the parameters that the front end receives */
  async function comeBackMeanwhile(at: string, browser: Browser, url: URL) {
    const stopped: Answer[] = [];
    providers.vendor.meanwhile(
      (call) => call.url.pathname === "/user",
      async () => stopped.push(await stop(at)),
    );
    const query = await comeBack(browser, providers.vendor.agree(url));
    expect(stopped).toMatchObject([{ status: 200 }]);
    return query;
  }

  test("signing in and registering fail with a provider disabled or deleted during the sign-in", async () => {
    const { body } = await providers.configured(providers.github());
    const at = `/api/oauth/providers/${body.id}`;
    const browser = browserFor(zw);
    const query = await comeBackMeanwhile(at, browser, await authorize(browser, "github"));
    expect(query).toEqual({ error: "provider_disabled" });
  });

  test("linking an identity fails with a provider disabled or deleted during the flow", async () => {
    const { body } = await providers.configured(providers.github());
    const at = `/api/oauth/providers/${body.id}`;
    const member = await zw.member(`binds-while-${how}`);
    const browser = browserFor(zw);
    const query = await comeBackMeanwhile(at, browser, await startBinding(browser, member, "github"));
    expect(query).toEqual({ error: "provider_disabled" });
    expect((await member.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
  });
});
