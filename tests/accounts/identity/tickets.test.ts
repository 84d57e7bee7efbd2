import { describe, expect, test } from "vitest";
import type { Browser } from "../../support/identity/browser.ts";
import { Clock, second } from "../../support/clock.ts";
import { authorize, browserFor, comeBack, exchange, invite, site } from "../../support/identity/external-sign-in.ts";
import { useIdentityHarness } from "../../support/identity/harness.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ env: { SITE_URL: site }, now: clock.now });
const harness = useIdentityHarness(zw);

/** Does what a page of the site does in a browser. */
async function fromPage(browser: Browser, path: string, body: object) {
  const headers = { origin: site, "content-type": "application/json" };
  return await browser.send("POST", new URL(path, site), { headers, body: JSON.stringify(body) });
}

describe("tokens from a callback", () => {
  test("a ticket signs in only the browser that received it, which prevents login CSRF", async () => {
    harness.be(3_100);
    await harness.register();
    const browser = browserFor(zw);
    const { ticket } = await comeBack(browser, harness.vendor.agree(await authorize(browser, "github")));
    const lured = browserFor(zw);
    await comeBack(lured, harness.vendor.agree(await authorize(lured, "github")));
    const path = "/api/auth/oauth/exchange-ticket";
    for (const other of [lured, browserFor(zw)]) {
      const answer = await fromPage(other, path, { ticket });
      expect(answer).toBeProblem(401, "UNAUTHORIZED");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect((await fromPage(browser, path, { ticket })).status).toBe(200);
    expect(browser.cookiesFor(new URL(`${site}/api`)).map(([name]) => name)).toEqual([
      "refresh_token",
      expect.stringMatching(/^__Host-known_device_/),
    ]);
  });

  test("a pending token registers only in the browser that received it", async () => {
    harness.be(3_101);
    const browser = browserFor(zw);
    const { pending_token: pendingToken } = await comeBack(
      browser,
      harness.vendor.agree(await authorize(browser, "github")),
    );
    const body = { pendingToken, inviteCode: await invite(zw) };
    const path = "/api/auth/oauth/github/register";
    expect(await fromPage(browserFor(zw), path, body)).toBeProblem(401, "UNAUTHORIZED");
    expect(await fromPage(browser, path, { ...body, inviteCode: "wrong" })).toBeProblem(400, "BAD_REQUEST");
    expect((await fromPage(browser, path, body)).status).toBe(201);
    expect(browser.cookiesFor(new URL(`${site}/api`)).map(([name]) => name)).toEqual([
      "refresh_token",
      expect.stringMatching(/^__Host-known_device_/),
    ]);
  });

  test("the arrival cookie lives as long as its token and is sent only to this site", async () => {
    harness.be(3_102);
    await harness.register();
    const browser = browserFor(zw);
    const { headers } = await browser.get(harness.vendor.agree(await authorize(browser, "github")));
    const [, arrival] = headers.getSetCookie();
    expect(arrival).toMatch(
      /^__Host-identity_arrival_[\w-]{12}=[\w-]{43}; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });
});

describe("tickets", () => {
  test("a ticket is valid once, for a minute", async () => {
    harness.be(3_000);
    await harness.register();
    const { ticket } = await harness.goThrough();
    expect(ticket).toMatch(/^[\w-]{43}$/);
    expect((await exchange(zw, ticket)).status).toBe(200);
    expect(await exchange(zw, ticket)).toBeProblem(401, "UNAUTHORIZED");
    const { ticket: late } = await harness.goThrough();
    expect(await clock.ahead(60 * second, () => exchange(zw, late))).toBeProblem(401, "UNAUTHORIZED");
    expect(await exchange(zw, "anything")).toBeProblem(401, "UNAUTHORIZED");
  });

  test("of twenty concurrent exchanges of a ticket, one opens a session", async () => {
    harness.be(3_001);
    await harness.register();
    const { ticket } = await harness.goThrough();
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(zw, ticket)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });
});
