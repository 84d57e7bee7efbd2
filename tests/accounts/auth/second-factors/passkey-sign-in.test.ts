import { beforeAll, expect, test } from "vitest";
import { entries } from "../../../notifications/audit/trail.ts";
import { queries } from "../../../../server/database/database.ts";
import { Clock, minute } from "../../../support/clock.ts";
import { problemOf } from "../../../support/problems.ts";
import { awaitingSecondFactor, statusesOf } from "../../../support/second-factors/app-user.ts";
import { addPasskey, editable, securityKey, site, siteHost } from "../../../support/second-factors/security-key.ts";
import { useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });
const key = securityKey();

beforeAll(async () => {
  await addPasskey(await zw.member("Ada"), key);
});

async function options() {
  return (await zw.nobody.post("/api/auth/passkey/options")).body;
}

function signIn(credential: unknown, rememberMe?: boolean) {
  return zw.nobody.post("/api/auth/passkey", { credential, ...(rememberMe === undefined ? {} : { rememberMe }) });
}

test("passkey sign-in options name no user, and ask for any passkey of this site with user verification", async () => {
  expect(await options()).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    timeout: 300_000,
    rpId: siteHost,
    userVerification: "required",
  });
});

test("a passkey alone signs its owner in, without a password or another factor", async () => {
  for (const rememberMe of [undefined, false, true]) {
    const { status, headers, body } = await signIn(key.getJSON(site, await options()), rememberMe);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(["accessToken", "refreshToken", "user"]);
    expect(body.user.username).toBe("Ada");
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toContain(`refresh_token=${body.refreshToken}`);
    expect(cookie).toContain("Secure");
    expect(cookie.includes("Max-Age")).toBe(rememberMe === true);
    expect((await zw.nobody.get("/api/auth/me", { authorization: `Bearer ${body.accessToken}` })).status).toBe(200);
  }
});

test("a passkey assertion in ten concurrent requests starts one session, and cannot be reused", async () => {
  const credential = key.getJSON(site, await options());
  const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(credential)));
  expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
  expect(await signIn(credential)).toBeProblem(401, "UNAUTHORIZED");
});

test("a passkey assertion for another origin, without user verification or after five minutes is refused", async () => {
  const evil = "https://evil.example";
  expect(await signIn(key.getJSON(evil, await options(), [evil]))).toBeProblem(401, "UNAUTHORIZED");
  const { params } = key.authenticator;
  key.authenticator.params = { ...params, userGetAssertionInteraction: () => ({ options: { uv: false, up: true } }) };
  const unverified = key.getJSON(site, { ...(await options()), userVerification: "discouraged" });
  key.authenticator.params = params;
  expect(await signIn(unverified)).toBeProblem(401, "UNAUTHORIZED");
  const late = key.getJSON(site, await options());
  clock.advance(5 * minute);
  expect(await signIn(late)).toBeProblem(401, "UNAUTHORIZED");
});

test("a passkey assertion must contain its owner's user handle", async () => {
  const { body: other } = await (await zw.member("Other")).get("/api/auth/me");
  const named = editable(key.getJSON(site, await options()));
  named.response.userHandle = Buffer.from(other.id).toString("base64url");
  expect(await signIn(named)).toBeProblem(401, "UNAUTHORIZED");
  const nameless = editable(key.getJSON(site, await options()));
  delete nameless.response.userHandle;
  expect(await signIn(nameless)).toBeProblem(401, "UNAUTHORIZED");
});

test("an unregistered passkey, or an assertion for a second-factor challenge, does not sign in", async () => {
  const unknown = securityKey();
  unknown.createJSON(site, {
    ...(await (await zw.member("Making")).post("/api/2fa/passkeys/options")).body,
  });
  expect(await signIn(unknown.getJSON(site, await options()))).toBeProblem(401, "UNAUTHORIZED");
  const { body: asked } = await (await awaitingSecondFactor(zw, "Ada")).post("/api/2fa/passkey/options");
  expect(await signIn(key.getJSON(site, asked))).toBeProblem(401, "UNAUTHORIZED");
});

test("a failed passkey sign-in is audited, with the targeted user if known", async () => {
  const { body: users } = await zw.admin.get("/api/users?search=Ada");
  const [ada] = users.users;
  const spoilt = editable(key.getJSON(site, await options()));
  spoilt.response.signature = key.getJSON(site, await options()).response.signature;
  const stranger = { ...spoilt, id: "c3RyYW5nZXI", rawId: "c3RyYW5nZXI" };
  for (const [credential, targetId] of [
    [spoilt, ada.id],
    [stranger, null],
  ] as const) {
    const refused = await signIn(credential);
    expect(refused).toBeProblem(401, "UNAUTHORIZED");
    const [newest] = await entries(zw.admin, { action: "auth.sign_in_failed" });
    expect(newest).toMatchObject({
      actorId: null,
      targetType: "user",
      targetId,
      after: { method: "passkey" },
      requestId: refused.headers.get("x-request-id"),
    });
  }
});

test("a disabled user's passkey is refused, and the attempt is audited", async () => {
  const leaving = securityKey();
  await addPasskey(await zw.member("Leaving"), leaving);
  const em = zw.services.database.fork();
  await queries(em).updateTable("users").set({ disabled_at: new Date() }).where("username", "=", "Leaving").execute();
  const refused = await signIn(leaving.getJSON(site, await options()));
  problemOf(refused, 401, "UNAUTHORIZED");
  expect(refused.headers.getSetCookie()).toEqual([]);
  const [newest] = await entries(zw.admin, { action: "auth.sign_in_failed" });
  expect(newest).toMatchObject({
    targetId: expect.any(String),
    after: { method: "passkey" },
    requestId: refused.headers.get("x-request-id"),
  });
});

test("after twenty failed passkey sign-ins from an address, further ones get 429, and a correct passkey still signs in", async () => {
  const wrong = async () => await signIn({ ...key.getJSON(site, await options()), id: "b3RoZXI", rawId: "b3RoZXI" });
  for (let tried = 0; tried < 20; tried++) await wrong();
  const refused = await wrong();
  expect(refused).toBeProblem(429, "TOO_MANY_REQUESTS");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await signIn(key.getJSON(site, await options()))).status).toBe(200);
  expect((await awaitingSecondFactor(zw, "Ada")).token).toEqual(expect.any(String));
});
