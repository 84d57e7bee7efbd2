import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "../support/identity/browser.ts";
import { Clock, minute, second } from "../support/clock.ts";
import {
  authorize,
  browserFor,
  comeBack,
  exchange,
  invite,
  site,
  startBinding,
} from "../support/identity/external-sign-in.ts";
import { useIdentityDesk } from "../support/identity/desk.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "../support/identity/vendors.ts";
import { rogueClient, startRogueProvider, type RogueProvider } from "../support/identity/rogue-openid-provider.ts";
import { useZonewright } from "../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { SITE_URL: site }, now: clock.now });
const desk = useIdentityDesk(zw);
const invalid = { error: "state_invalid" };
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
  return desk.vendor.calls.filter(({ method }) => method === "POST").length;
}

/** Does something after a while, and turns the clock back: sessions of other tests go on. */
async function later<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  clock.advance(milliseconds);
  try {
    return await work();
  } finally {
    clock.advance(-milliseconds);
  }
}

/** Comes back where that must come to nothing. @returns what the front end gets, and how many codes were redeemed */
async function outcomeOf(browser: Browser, back: URL): Promise<object> {
  const before = tokensAsked();
  return { ...(await comeBack(browser, back)), redeemed: tokensAsked() - before };
}
const refused = { error: "state_invalid", redeemed: 0 };

describe("the state of a sign-in", () => {
  test("belongs to the browser that set out", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    expect(await outcomeOf(browserFor(zw), back)).toEqual(refused);
    const other = browserFor(zw);
    await authorize(other, "github");
    expect(await outcomeOf(other, back)).toEqual(refused);
    // Not even a cookie of the same name will do.
    const [[name] = [""]] = browser.cookiesFor(back);
    const planted = { cookie: `${name}=${"A".repeat(43)}` };
    const { headers } = await zw.nobody.get(`${back.pathname}${back.search}`, planted);
    expect(headers.get("location")).toBe(`${site}/?error=state_invalid`);
    // What strangers try does not end the trip of who set out.
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });

  test("works once", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
    expect(await outcomeOf(browser, back)).toEqual(refused);
  });

  test("of twenty returns at once one goes on", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    const cookies = browser.cookiesFor(back).map(([name, { value }]) => `${name}=${value}`);
    const path = `${back.pathname}${back.search}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => zw.nobody.get(path, { cookie: cookies.join("; ") })),
    );
    const outcomes = answers.map(({ headers }) => new URL(headers.get("location") ?? "").searchParams);
    expect(outcomes.filter((query) => query.has("pending_token"))).toHaveLength(1);
    expect(outcomes.filter((query) => query.get("error") === "state_invalid")).toHaveLength(19);
  });

  test("is good for ten minutes", async () => {
    const browser = browserFor(zw);
    const late = desk.vendor.agree(await authorize(browser, "github"));
    expect(await later(10 * minute, () => outcomeOf(browser, late))).toEqual(refused);
    const early = desk.vendor.agree(await authorize(browser, "github"));
    expect(await later(10 * minute - 30 * second, () => comeBack(browser, early))).toHaveProperty("pending_token");
  });

  test.each([
    ["missing", () => ""],
    ["another's", () => "v1.0123456789abcdef.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA"],
    ["altered", (state: string) => `${state.slice(0, -2)}${state.endsWith("AA") ? "BB" : "AA"}`],
    ["cut", (state: string) => state.slice(0, 40)],
    ["text", () => "%00' or 1=1"],
  ])("that is %s is refused", async (_how, change) => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    back.searchParams.set("state", change(back.searchParams.get("state") ?? ""));
    expect(await outcomeOf(browser, back)).toEqual(refused);
  });

  test("that comes twice is refused", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    back.searchParams.append("state", back.searchParams.get("state") ?? "");
    expect(await outcomeOf(browser, back)).toEqual(refused);
  });

  test("tells nobody what it holds, and differs each time", async () => {
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

describe("a callback", () => {
  test("on another provider's path comes to nothing", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    for (const path of ["/api/auth/oauth/gitlab/callback", "/api/auth/oauth/oidc/callback", "/oauth/oidc"])
      expect(await outcomeOf(browser, new URL(path + back.search, site))).toEqual(refused);
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });

  test("of oidc and custom comes to one address, and each is who it set out to", async () => {
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

  test("brought to the other one of oidc and custom has its code used once only, so that nobody comes back with a code that was lured out of another", async () => {
    // The attacker sets out to the honest provider, and keeps the way there.
    const attacker = browserFor(zw);
    const kept = await authorize(attacker, "oidc");
    // A victim sets out to the attacker's provider, which sends them on to the honest one with what the attacker kept.
    const victim = browserFor(zw);
    const state = (await authorize(victim, "custom")).searchParams.get("state") ?? "";
    const lured = new URL(kept);
    lured.searchParams.set("state", state);
    const back = rogue.agree(lured);
    // Whom the code is shown to then is the attacker.
    rogue.failNext({ after: false, reply: { status: 400, body: '{"error": "invalid_grant"}' } });
    expect(await comeBack(victim, back)).toEqual({ error: "provider_error" });
    back.searchParams.set("state", kept.searchParams.get("state") ?? "");
    expect(await comeBack(attacker, back)).toEqual({ error: "provider_error" });
  });

  test("also of oidc may come to its own path", async () => {
    const browser = browserFor(zw);
    const back = rogue.agree(await authorize(browser, "oidc"));
    expect(await comeBack(browser, new URL(`/api/auth/oauth/oidc/callback${back.search}`, site))).toHaveProperty(
      "pending_token",
    );
  });

  test("never leads anywhere but to the site, whatever the query says", async () => {
    for (const query of [
      "redirect_uri=https://evil.example",
      "error=%0d%0aLocation:%20https://evil.example",
      "state=//evil.example",
    ]) {
      for (const path of ["/oauth/oidc", "/api/auth/oauth/github/callback", "/api/auth/oauth/github/authorize"]) {
        const { status, headers } = await zw.nobody.get(`${path}?${query}`);
        expect(status).toBe(302);
        expect([site, desk.vendor.url]).toContain(new URL(headers.get("location") ?? "").origin);
      }
    }
  });

  test("with words of the provider's tells the front end a code only", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    back.searchParams.delete("code");
    back.searchParams.set("error", "<script>alert(1)</script>");
    back.searchParams.set("error_description", "You were chosen");
    expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
  });

  test("is neither begun nor ended by a look at its head", async () => {
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await authorize(browser, "github"));
    expect((await browser.send("HEAD", back)).status).toBe(404);
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });

  test("sets its cookie for this site, this browser and ten minutes, and takes it back", async () => {
    const browser = browserFor(zw);
    const url = new URL(`${site}/api/auth/oauth/github/authorize`);
    const { headers, location } = await browser.get(url);
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-identity_flow_[0-9a-f]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const trips = () => browser.cookiesFor(url).filter(([name]) => name.includes("identity_flow"));
    expect(trips()).toHaveLength(1);
    await comeBack(browser, desk.vendor.agree(location ?? url));
    expect(trips()).toHaveLength(0);
  });

  test("leaves a browser that is sent out again and again with a few cookies, and with the newest trips", async () => {
    const browser = browserFor(zw);
    let back = new URL(site);
    for (let count = 0; count < 30; count++) back = desk.vendor.agree(await authorize(browser, "github"));
    expect(browser.cookiesFor(new URL(site)).length).toBeLessThanOrEqual(10);
    expect(await comeBack(browser, back)).toHaveProperty("pending_token");
  });
});

describe("binding", () => {
  test("ends with the session that began it", async () => {
    desk.be(1_000);
    const member = await zw.member("signs-out");
    const browser = browserFor(zw);
    const back = desk.vendor.agree(await startBinding(browser, member, "github"));
    await member.post("/api/auth/logout");
    expect(await comeBack(browser, back)).toEqual(invalid);
    expect(await desk.goThrough()).toHaveProperty("pending_token");
  });

  test("cannot be completed by somebody who is lured to it, so that nobody's identity ends up in another's account", async () => {
    desk.be(1_001);
    const attacker = await zw.member("attacker");
    const trap = await startBinding(browserFor(zw), attacker, "github");
    const victim = browserFor(zw);
    await authorize(victim, "github");
    expect(await comeBack(victim, desk.vendor.agree(trap))).toEqual(invalid);
    expect((await attacker.get("/api/auth/oauth/bindings")).body).toEqual({ bindings: [] });
  });

  test("takes an identity once, and one of a provider for each user", async () => {
    desk.be(1_002);
    const [first, second] = [await zw.member("first"), await zw.member("second")];
    expect(await desk.bind(first)).toEqual({ bound: "1", provider_id: "github" });
    expect(await desk.bind(second)).toEqual({ error: "already_bound" });
    expect(await desk.bind(first)).toEqual({ error: "already_bound" });
    desk.be(1_003);
    expect(await desk.bind(first)).toEqual({ error: "already_bound" });
  });

  test("of one identity to two users at once succeeds for one", async () => {
    desk.be(1_004);
    const members = [await zw.member("left"), await zw.member("right")];
    const outcomes = await Promise.all(members.map((member) => desk.bind(member)));
    expect(outcomes.filter(({ bound }) => bound === "1")).toHaveLength(1);
    expect(outcomes.filter(({ error }) => error === "already_bound")).toHaveLength(1);
  });

  test("is for who is signed in", async () => {
    expect(await zw.nobody.post("/api/auth/oauth/github/bind/start")).toBeProblem(401, "UNAUTHORIZED");
    expect(await zw.admin.post("/api/auth/oauth/nowhere/bind/start")).toBeProblem(404, "NOT_FOUND");
    expect(await zw.admin.post("/api/auth/oauth/google/bind/start")).toBeProblem(409, "CONFLICT");
  });
});

test("the same subject at two providers is two people", async () => {
  desk.be(4_711);
  expect((await desk.register()).status).toBe(201);
  const browser = browserFor(zw);
  const back = gitlab.agree(await authorize(browser, "gitlab"));
  expect(await comeBack(browser, back)).toHaveProperty("needs_invite");
});

test("the same subject at another server of the same provider is somebody else", async () => {
  desk.be(2_000);
  await desk.register();
  const moved = await startIdentityVendor("github");
  moved.user.value = { id: 2_000, login: "impostor" };
  await zw.admin.put(`/api/oauth/providers/${desk.configId}`, moved.endpoints);
  const browser = browserFor(zw);
  expect(await comeBack(browser, moved.agree(await authorize(browser, "github")))).toHaveProperty("needs_invite");
  await zw.admin.put(`/api/oauth/providers/${desk.configId}`, desk.vendor.endpoints);
  expect((await desk.signIn()).status).toBe(200);
  await moved.stop();
});

/** As a page of the site does it in a browser. */
async function fromPage(browser: Browser, path: string, body: object) {
  const headers = { origin: site, "content-type": "application/json" };
  return await browser.send("POST", new URL(path, site), { headers, body: JSON.stringify(body) });
}

describe("what a browser comes back with", () => {
  test("signs in no other browser, so that nobody is lured into an attacker's account", async () => {
    desk.be(3_100);
    await desk.register();
    const browser = browserFor(zw);
    const { ticket } = await comeBack(browser, desk.vendor.agree(await authorize(browser, "github")));
    const lured = browserFor(zw);
    await comeBack(lured, desk.vendor.agree(await authorize(lured, "github")));
    const path = "/api/auth/oauth/exchange-ticket";
    for (const other of [lured, browserFor(zw)]) {
      const answer = await fromPage(other, path, { ticket });
      expect(answer).toBeProblem(401, "UNAUTHORIZED");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect((await fromPage(browser, path, { ticket })).status).toBe(200);
    expect(browser.cookiesFor(new URL(`${site}/api`)).map(([name]) => name)).toEqual(["refresh_token"]);
  });

  test("registers nobody in another browser, so that no account is made for an attacker to enter", async () => {
    desk.be(3_101);
    const browser = browserFor(zw);
    const { pending_token: pendingToken } = await comeBack(
      browser,
      desk.vendor.agree(await authorize(browser, "github")),
    );
    const body = { pendingToken, inviteCode: await invite(zw) };
    const path = "/api/auth/oauth/github/register";
    expect(await fromPage(browserFor(zw), path, body)).toBeProblem(401, "UNAUTHORIZED");
    expect(await fromPage(browser, path, { ...body, inviteCode: "wrong" })).toBeProblem(400, "BAD_REQUEST");
    expect((await fromPage(browser, path, body)).status).toBe(201);
    expect(browser.cookiesFor(new URL(`${site}/api`)).map(([name]) => name)).toEqual(["refresh_token"]);
  });

  test("is known to the browser for as long as it is good, and to this site only", async () => {
    desk.be(3_102);
    await desk.register();
    const browser = browserFor(zw);
    const { headers } = await browser.get(desk.vendor.agree(await authorize(browser, "github")));
    const [, arrival] = headers.getSetCookie();
    expect(arrival).toMatch(
      /^__Host-identity_arrival_[\w-]{12}=[\w-]{43}; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });
});

describe("a ticket", () => {
  test("is good once, for a minute", async () => {
    desk.be(3_000);
    await desk.register();
    const { ticket } = await desk.goThrough();
    expect(ticket).toMatch(/^[\w-]{43}$/);
    expect((await exchange(zw, ticket)).status).toBe(200);
    expect(await exchange(zw, ticket)).toBeProblem(401, "UNAUTHORIZED");
    const { ticket: late } = await desk.goThrough();
    expect(await later(60 * second, () => exchange(zw, late))).toBeProblem(401, "UNAUTHORIZED");
    expect(await exchange(zw, "anything")).toBeProblem(401, "UNAUTHORIZED");
  });

  test("opens one session, of twenty attempts at once", async () => {
    desk.be(3_001);
    await desk.register();
    const { ticket } = await desk.goThrough();
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(zw, ticket)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });
});
