import { beforeEach, expect, expectTypeOf, test } from "vitest";
import { createClient, type Session, type SignInResult } from "../../client-sdk/src/index.ts";
import { codeAt, middleOfStep } from "../support/second-factors/authenticator-app.ts";
import { Clock } from "../support/clock.ts";
import { invite, site } from "../support/identity/external-sign-in.ts";
import { useIdentityHarness } from "../support/identity/harness.ts";
import { appUser } from "../support/second-factors/app-user.ts";
import { useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { cookieFetch, recordingFetch } from "./recording-fetch.ts";

const clock = new Clock();
const zw = useZonewright({ env: { SITE_URL: site }, now: clock.now });
const harness = useIdentityHarness(zw);
let reported: (Session | null)[] = [];
let recorder = recordingFetch();
beforeEach(() => {
  reported = [];
  recorder = recordingFetch(cookieFetch());
});

function newClient() {
  return createClient({ url: zw.url, fetch: recorder.fetch, onSessionChange: (session) => reported.push(session) });
}

/** The URL of the front end's page after an external sign-in. */
async function cameBackTo(): Promise<URL> {
  return new URL(`/?${new URLSearchParams(await harness.goThrough()).toString()}`, site);
}

test("a page exchanges its ticket for a session, which the cookie preserves", async () => {
  harness.be(1, { login: "page" });
  await harness.register();
  const client = newClient();
  const result = await client.completeExternalSignIn({ url: await cameBackTo() });
  expectTypeOf(result).toEqualTypeOf<SignInResult>();
  expect(result).toMatchObject({ kind: "signedIn", user: { username: "page" } });
  expect(reported).toEqual([{ accessToken: expect.any(String), refreshToken: null }]);
  expect((await client.identity.bindings.query({})).bindings).toMatchObject([{ providerId: "github" }]);
  clock.advance(20 * 60_000);
  expect((await client.auth.me.query({})).username).toBe("page");
  expect(recorder.to("/api/auth/refresh")).toMatchObject([{ status: 200 }]);
  expect(reported[1]).toEqual({ accessToken: expect.any(String), refreshToken: null });
  clock.advance(-20 * 60_000);
  await client.signOut();
  expect(reported.at(-1)).toBeNull();
});

test("a ticket works once, and completing an external sign-in without one throws an error", async () => {
  harness.be(2);
  await harness.register();
  const { ticket = "" } = await harness.goThrough();
  await newClient().completeExternalSignIn({ ticket });
  expect(await failure(newClient().completeExternalSignIn({ ticket }))).toMatchObject({
    code: "UNAUTHORIZED",
    status: 401,
  });
  await expect(newClient().completeExternalSignIn({ url: `${site}/?error=access_denied` })).rejects.toThrow(
    /no ticket/,
  );
});

test("an external sign-in to an account with a second factor requires that factor", async () => {
  harness.be(3);
  middleOfStep(clock);
  const { client: member, secret } = await appUser(zw, clock, "careful");
  await harness.bind(member);
  const client = newClient();
  expect(await client.completeExternalSignIn({ url: await cameBackTo() })).toEqual({
    kind: "secondFactorNeeded",
    methods: ["totp"],
  });
  const completed = await client.completeSecondFactor({ method: "totp", code: codeAt(secret, clock.now()) });
  expect(completed.user.username).toBe("careful");
});

test("an unknown person registers with an invitation and is signed in", async () => {
  harness.be(4, { login: "newcomer" });
  const page = await cameBackTo();
  const client = newClient();
  const { user } = await client.completeExternalRegistration({
    providerId: "github",
    pendingToken: page.searchParams.get("pending_token") ?? "",
    inviteCode: await invite(zw),
  });
  expect(user.username).toBe("newcomer");
  expect((await client.auth.me.query({})).hasPassword).toBe(false);
});
