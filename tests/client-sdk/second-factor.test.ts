import { beforeEach, expect, expectTypeOf, test } from "vitest";
import { createClient, type SecondFactorMethod, type Session } from "../../client-sdk/src/index.ts";
import { codeAt, step } from "../support/second-factors/authenticator-app.ts";
import { Clock } from "../support/clock.ts";
import { appUser, type AppUser } from "../support/second-factors/app-user.ts";
import { addPasskey, securityKey, site } from "../support/second-factors/security-key.ts";
import { memberPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { cookieFetch, recordingFetch } from "./recording-fetch.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });

let users = 0;
let user: AppUser;
let reported: (Session | null)[] = [];
let recorder = recordingFetch();
beforeEach(async () => {
  reported = [];
  recorder = recordingFetch();
  user = await appUser(zw, clock, `user-${users++}`);
});

function newClient(session?: "cookie") {
  return createClient({
    url: zw.url,
    fetch: recorder.fetch,
    onSessionChange: (changed) => reported.push(changed),
    ...(session ? { session } : {}),
  });
}

function credentials() {
  return { username: user.username, password: memberPassword };
}

function code() {
  return codeAt(user.secret, clock.now());
}

test("sign-in returns the available second factors, and a code completes it", async () => {
  const client = newClient();
  const needed = await client.signIn(credentials());
  expect(needed).toEqual({ kind: "secondFactorNeeded", methods: ["totp"] });
  if (needed.kind === "secondFactorNeeded") expectTypeOf(needed.methods).toEqualTypeOf<SecondFactorMethod[]>();
  expect(reported).toEqual([]);
  expect(await failure(client.auth.me.query({}))).toMatchObject({ code: "UNAUTHORIZED" });

  const { kind, user: signedIn } = await client.completeSecondFactor({ method: "totp", code: code() });
  expect([kind, signedIn.username]).toEqual(["signedIn", user.username]);
  expect(reported).toMatchObject([{ accessToken: expect.any(String), refreshToken: expect.any(String) }]);
  expect((await client.twoFactor.get.query({})).totp).toBe(true);
  expect(await failure(client.completeSecondFactor({ method: "totp", code: code() }))).toMatchObject({
    code: "UNAUTHORIZED",
  });
});

test("a wrong code throws an error, and keeps the sign-in pending without a refresh", async () => {
  const client = newClient();
  await client.signIn(credentials());
  const wrong = client.completeSecondFactor({ method: "recovery", code: "0000-0000-0000-0000" });
  expect(await failure(wrong)).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
  expect(recorder.to("/trpc/twoFactor.verify")).toHaveLength(1);
  expect(recorder.to("/api/auth/refresh")).toHaveLength(0);
  await client.completeSecondFactor({ method: "recovery", code: user.recoveryCodes[0] ?? "" });
  expect((await client.auth.me.query({})).username).toBe(user.username);
});

test("a passkey completes a sign-in, and also signs in alone", async () => {
  const key = securityKey();
  await addPasskey(user.client, key);
  const client = newClient();
  expect(await client.signIn(credentials())).toMatchObject({ methods: ["totp", "passkey"] });
  const options = await client.twoFactor.passkeyOptions.mutate();
  const completed = await client.completeSecondFactor({ method: "passkey", credential: key.getJSON(site, options) });
  expect(completed.user.username).toBe(user.username);

  const alone = newClient();
  const any = await alone.auth.passkeyOptions.mutate();
  const { kind } = await alone.signInWithPasskey({ credential: key.getJSON(site, any) });
  expect(kind).toBe("signedIn");
  expect((await alone.auth.me.query({})).username).toBe(user.username);
});

test("a sign-in waiting for a second factor keeps another user's session until it is completed", async () => {
  const client = newClient();
  await client.signIn({ username: "admin", password: "correct horse battery staple" });
  await client.signIn(credentials());
  expect((await client.auth.me.query({})).username).toBe("admin");
  await client.completeSecondFactor({ method: "totp", code: code() });
  expect((await client.auth.me.query({})).username).toBe(user.username);
});

test("signing out discards a pending sign-in", async () => {
  const client = newClient();
  await client.signIn(credentials());
  await client.signOut();
  const late = client.completeSecondFactor({ method: "totp", code: code() });
  expect(await failure(late)).toMatchObject({ code: "UNAUTHORIZED" });
});

test("in cookie mode, a sign-in with a second factor survives a reload", async () => {
  recorder = recordingFetch(cookieFetch());
  const page = newClient("cookie");
  await page.signIn(credentials());
  await page.completeSecondFactor({ method: "totp", code: code() });
  expect((await newClient("cookie").auth.me.query({})).username).toBe(user.username);
  clock.advance(step);
});
