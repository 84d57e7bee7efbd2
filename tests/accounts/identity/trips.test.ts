import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { hashOf } from "../../../server/platform/ids.ts";
import type { Browser } from "../../support/identity/browser.ts";
import { Clock, minute, second } from "../../support/clock.ts";
import { authorize, browserFor, comeBack, site } from "../../support/identity/external-sign-in.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "../../support/identity/vendors.ts";
import { rogueClient, startRogueProvider, type RogueProvider } from "../../support/identity/rogue-openid-provider.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { SITE_URL: site }, now: clock.now });
const harness = useIdentityHarness(zw);
let gitlab: IdentityVendor;
let rogue: RogueProvider;

beforeAll(async () => {
  gitlab = await startIdentityVendor("gitlab");
  rogue = await startRogueProvider();
  const { wellKnownUrl } = rogue;
  for (const config of [
    { providerId: "gitlab", ...vendorClient, ...gitlab.endpoints },
    { providerId: "oidc", ...rogueClient, wellKnownUrl },
    { providerId: "custom", ...rogueClient, wellKnownUrl },
  ])
    await zw.admin.post("/api/oauth/providers", config);
});
afterAll(async () => {
  await gitlab.stop();
  await rogue.stop();
});

function tokensAsked(): number {
  return harness.vendor.calls.filter(({ method }) => method === "POST").length;
}

/** Completes a callback that must fail. @returns the parameters that the front end receives, and how many codes were redeemed */
async function outcomeOf(browser: Browser, back: URL): Promise<object> {
  const before = tokensAsked();
  return { ...(await comeBack(browser, back)), redeemed: tokensAsked() - before };
}
const refused = { error: "state_invalid", redeemed: 0 };

describe("the state of a flow", () => {
  test("a state is valid only in the browser that started the flow", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    expect(await outcomeOf(browserFor(zw), back)).toEqual(refused);
    const other = browserFor(zw);
    await authorize(other, "github");
    expect(await outcomeOf(other, back)).toEqual(refused);
    // A forged cookie of the same name does not help either.
    const [[name] = [""]] = browser.cookiesFor(back);
    const planted = { cookie: `${name}=${"A".repeat(43)}` };
    const { headers } = await zw.nobody.get(`${back.pathname}${back.search}`, planted);
    expect(headers.get("location")).toBe(`${site}/?error=state_invalid`);
    // A stranger's attempt does not end the flow of its owner.
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });

  test("a state works once", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
    expect(await outcomeOf(browser, back)).toEqual(refused);
  });

  test("of twenty concurrent callbacks with one state, one succeeds", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    const cookies = browser.cookiesFor(back).map(([name, { value }]) => `${name}=${value}`);
    const path = `${back.pathname}${back.search}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => zw.nobody.get(path, { cookie: cookies.join("; ") })),
    );
    const outcomes = answers.map(({ headers }) => new URL(headers.get("location") ?? "").searchParams);
    expect(outcomes.filter((query) => query.has("pending_token"))).toHaveLength(1);
    expect(outcomes.filter((query) => query.get("error") === "state_invalid")).toHaveLength(19);
  });

  test("a state is valid for ten minutes", async () => {
    const browser = browserFor(zw);
    const late = harness.vendor.agree(await authorize(browser, "github"));
    expect(await clock.ahead(10 * minute, () => outcomeOf(browser, late))).toEqual(refused);
    const early = harness.vendor.agree(await authorize(browser, "github"));
    expect(await clock.ahead(10 * minute - 30 * second, () => comeBack(browser, early))).toHaveProperty(
      "pending_token",
    );
  });

  test.each([
    ["missing", () => ""],
    ["another's", () => "v1.0123456789abcdef.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA"],
    ["altered", (state: string) => `${state.slice(0, -2)}${state.endsWith("AA") ? "BB" : "AA"}`],
    ["cut", (state: string) => state.slice(0, 40)],
    ["text", () => "%00' or 1=1"],
  ])("a state that is %s is refused", async (_how, change) => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    back.searchParams.set("state", change(back.searchParams.get("state") ?? ""));
    expect(await outcomeOf(browser, back)).toEqual(refused);
  });

  test("a repeated state parameter is refused", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    back.searchParams.append("state", back.searchParams.get("state") ?? "");
    expect(await outcomeOf(browser, back)).toEqual(refused);
  });

  test("a state reveals nothing of its content and differs each time", async () => {
    const browser = browserFor(zw);
    const states = await Promise.all(
      ["github", "gitlab"].map(async (id) => (await authorize(browser, id)).searchParams.get("state") ?? ""),
    );
    expect(new Set(states).size).toBe(2);
    for (const state of states) {
      const texts = state.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
      expect(texts.join(" ")).not.toMatch(/github|gitlab/);
    }
  });
});

describe("callbacks", () => {
  test("a callback on another provider's path is refused", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    for (const path of ["/api/auth/oauth/gitlab/callback", "/api/auth/oauth/oidc/callback", "/oauth/oidc"])
      expect(await outcomeOf(browser, new URL(path + back.search, site))).toEqual(refused);
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });

  test("oidc and custom share a callback, which identifies the provider of the flow", async () => {
    for (const id of ["oidc", "custom"]) {
      const browser = browserFor(zw);
      const back = rogue.agree(await authorize(browser, id));
      expect(back.pathname).toBe("/oauth/oidc");
      const { pending_token: pendingToken } = await comeBack(browser, back);
      const other = id === "oidc" ? "custom" : "oidc";
      const register = (path: string) =>
        zw.nobody.post(`/api/auth/oauth/${path}/register`, { pendingToken, inviteCode: "not a code" });
      expect(await register(other)).toBeProblem(401, "UNAUTHORIZED");
      expect(await register(id)).toBeProblem(400, "BAD_REQUEST");
    }
  });

  test("a code of oidc or custom can be used with only one of them, which prevents mix-up attacks", async () => {
    // The attacker starts a flow at the honest provider, and keeps its URL.
    const attacker = browserFor(zw);
    const kept = await authorize(attacker, "oidc");
    // A victim starts a flow at the attacker's provider, which redirects them to the honest one with the attacker's URL.
    const victim = browserFor(zw);
    const state = (await authorize(victim, "custom")).searchParams.get("state") ?? "";
    const lured = new URL(kept);
    lured.searchParams.set("state", state);
    const back = rogue.agree(lured);
    // The code would now be sent to the attacker.
    rogue.failNext({ after: false, reply: { status: 400, body: '{"error": "invalid_grant"}' } });
    expect(await comeBack(victim, back)).toEqual({ error: "provider_error" });
    back.searchParams.set("state", kept.searchParams.get("state") ?? "");
    expect(await comeBack(attacker, back)).toEqual({ error: "provider_error" });
  });

  test("a callback with several codes is refused, and none of them is stored", async () => {
    const browser = browserFor(zw);
    const back = rogue.agree(await authorize(browser, "oidc"));
    const extra = Array.from({ length: 3 }, (_, index) => `code-${index}`);
    for (const code of extra) back.searchParams.append("code", code);
    expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
    const stored = await queries(zw.services.database.fork())
      .selectFrom("identity_codes")
      .select("code_hash")
      .where("code_hash", "in", back.searchParams.getAll("code").map(hashOf))
      .execute();
    expect(stored).toEqual([]);
  });

  test("oidc also accepts callbacks on its own path", async () => {
    const browser = browserFor(zw);
    const back = rogue.agree(await authorize(browser, "oidc"));
    expect(await comeBack(browser, new URL(`/api/auth/oauth/oidc/callback${back.search}`, site))).toHaveProperty(
      "pending_token",
    );
  });

  test("a callback redirects only to the site, whatever its query", async () => {
    for (const query of [
      "redirect_uri=https://evil.example",
      "error=%0d%0aLocation:%20https://evil.example",
      "state=//evil.example",
    ]) {
      for (const path of ["/oauth/oidc", "/api/auth/oauth/github/callback", "/api/auth/oauth/github/authorize"]) {
        const { status, headers } = await zw.nobody.get(`${path}?${query}`);
        expect(status).toBe(302);
        expect([site, harness.vendor.url]).toContain(new URL(headers.get("location") ?? "").origin);
      }
    }
  });

  test("a provider's error text reaches the console only as a code", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    back.searchParams.delete("code");
    back.searchParams.set("error", "<script>alert(1)</script>");
    back.searchParams.set("error_description", "You were chosen");
    expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
  });

  test("a HEAD request neither starts nor completes a flow", async () => {
    const browser = browserFor(zw);
    const back = harness.vendor.agree(await authorize(browser, "github"));
    expect((await browser.send("HEAD", back)).status).toBe(405);
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });

  test("the flow cookie is limited to this site and ten minutes, and is deleted at the callback", async () => {
    const browser = browserFor(zw);
    const url = new URL(`${site}/api/auth/oauth/github/authorize`);
    const { headers, location } = await browser.get(url);
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-identity_flow_[0-9a-f]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const trips = () => browser.cookiesFor(url).filter(([name]) => name.includes("identity_flow"));
    expect(trips()).toHaveLength(1);
    await comeBack(browser, harness.vendor.agree(location ?? url));
    expect(trips()).toHaveLength(0);
  });

  test("a browser that starts flows repeatedly keeps only a few cookies, for the newest flows", async () => {
    const browser = browserFor(zw);
    let back = new URL(site);
    for (let count = 0; count < 30; count++) back = harness.vendor.agree(await authorize(browser, "github"));
    expect(browser.cookiesFor(new URL(site)).length).toBeLessThanOrEqual(10);
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });
});
