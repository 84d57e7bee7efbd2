import { beforeEach, expect, expectTypeOf, test } from "vitest";
import {
  createClient,
  type Client,
  type ClientOptions,
  type ConfirmationProof,
  type ReauthenticationRequest,
  type ZonewrightErrorCode,
} from "../../client-sdk/src/index.ts";
import { Clock, minute } from "../support/clock.ts";
import { appUser } from "../support/second-factors/app-user.ts";
import { codeAt, middleOfStep } from "../support/second-factors/authenticator-app.ts";
import { addPasskey, securityKey, site } from "../support/second-factors/security-key.ts";
import { memberPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { recordingFetch } from "./recording-fetch.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { SITE_URL: site } });
const password = memberPassword;
const createPath = "/trpc/tokens.create";

let users = 0;
let username: string;
let recorder = recordingFetch();
beforeEach(async () => {
  middleOfStep(clock);
  recorder = recordingFetch();
  users += 1;
  username = `user-${users}`;
  await zw.member(username);
});

/** A client whose session was confirmed too long ago. */
async function staleClient(onReauthentication?: ClientOptions["onReauthentication"]): Promise<Client> {
  const client = createClient({
    url: zw.url,
    fetch: recorder.fetch,
    ...(onReauthentication ? { onReauthentication } : {}),
  });
  await client.signIn({ username, password });
  clock.advance(11 * minute);
  return client;
}

function makeToken(client: Client, signal?: AbortSignal) {
  const wish = { name: "Script", permissions: ["records:read" as const] };
  return client.tokens.create.mutate(wish, signal ? { signal } : {});
}

const sent = () => recorder.to(createPath).map(({ status }) => status);

test("without a prompt, an unconfirmed call fails with REAUTHENTICATION_REQUIRED, and succeeds after confirm", async () => {
  const client = await staleClient();
  expect((await client.auth.me.query()).confirmedUntil).toBeNull();
  expect(await failure(makeToken(client))).toMatchObject({ code: "REAUTHENTICATION_REQUIRED", status: 403 });
  const { confirmedUntil } = await client.confirm({ password });
  expect((await client.auth.me.query()).confirmedUntil).toEqual(confirmedUntil);
  expect((await makeToken(client)).name).toBe("Script");
  expect(sent()).toEqual([403, 200]);
  expect(await failure(client.confirm({ password: "not this one" }))).toMatchObject({ code: "FORBIDDEN" });
  expect(recorder.to("/api/auth/refresh")).toEqual([]);
});

test("confirm accepts an app code, a recovery code or a passkey for an account with a second factor", async () => {
  username = `app-${users}`;
  const user = await appUser(zw, clock, username);
  const key = securityKey();
  await addPasskey(user.client, key);
  const client = createClient({ url: zw.url });
  await client.signIn({ username, password });
  await client.completeSecondFactor({ method: "recovery", code: user.recoveryCodes[0] ?? "" });
  clock.advance(11 * minute);
  expect(await failure(client.confirm({ password }))).toMatchObject({ code: "BAD_REQUEST" });
  await client.confirm({ password, method: "totp", code: codeAt(user.secret, clock.now()) });
  await client.confirm({ password, method: "recovery", code: user.recoveryCodes[1] ?? "" });
  const options = await client.auth.confirmOptions.mutate();
  const { confirmedUntil } = await client.confirm({ method: "passkey", credential: key.getJSON(site, options) });
  expect(confirmedUntil.getTime()).toBeGreaterThan(clock.now().getTime());
});

test("a prompt's confirmation repeats the call once", async () => {
  const asked: ReauthenticationRequest[] = [];
  const client = await staleClient(async (request) => {
    asked.push(request);
    await request.confirm({ password });
  });
  expect((await makeToken(client)).token).toMatch(/^zw_pt_/);
  expect(asked.map(({ error }) => error.code)).toEqual(["REAUTHENTICATION_REQUIRED"]);
  expect(sent()).toEqual([403, 200]);
  expect(recorder.to("/trpc/auth.confirm")).toHaveLength(1);
});

test("twenty concurrent calls share one prompt, and each succeeds", async () => {
  let prompts = 0;
  const client = await staleClient(async ({ confirm }) => {
    prompts += 1;
    await confirm({ password });
  });
  const tokens = await Promise.all(Array.from({ length: 20 }, () => makeToken(client)));
  expect(new Set(tokens.map(({ id }) => id)).size).toBe(20);
  expect(prompts).toBe(1);
});

test("dismissing a prompt fails all calls that waited for it, each with its own error", async () => {
  let prompts = 0;
  const client = await staleClient(() => {
    prompts += 1;
  });
  const errors = await Promise.all(Array.from({ length: 5 }, () => failure(makeToken(client))));
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(["REAUTHENTICATION_REQUIRED"]));
  expect(new Set(errors.map(({ requestId }) => requestId)).size).toBe(5);
  expect([prompts, sent().length]).toEqual([1, 5]);
  await failure(makeToken(client));
  expect(prompts).toBe(2);
});

test("a prompt that throws, even because of a wrong proof, repeats no call", async () => {
  const wrong = await staleClient(({ confirm }) => confirm({ password: "not this one" }));
  expect(await failure(makeToken(wrong))).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
  const broken = await staleClient(() => {
    throw new Error("There is no window to ask in.");
  });
  expect(await failure(makeToken(broken))).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
  expect(sent()).toEqual([403, 403]);
});

test("a prompt may retry after a wrong proof", async () => {
  const client = await staleClient(async ({ confirm }) => {
    for (const guess of ["not this one", password]) await confirm({ password: guess }).catch(() => undefined);
  });
  expect((await makeToken(client)).name).toBe("Script");
});

test("a call refused again after a confirmation is not repeated indefinitely", async () => {
  let prompts = 0;
  const client = await staleClient(async ({ confirm }) => {
    prompts += 1;
    await confirm({ password });
    clock.advance(11 * minute);
  });
  expect(await failure(makeToken(client))).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
  // Its access token had expired as well.
  expect([prompts, sent()]).toEqual([1, [403, 401, 403]]);
});

test("a prompt may sign the same user in again, but a sign-in of another user repeats no call", async () => {
  const same: Client = await staleClient(() => same.signIn({ username, password }));
  expect((await makeToken(same)).name).toBe("Script");
  const somebodyElse = `${username}-other`;
  await zw.member(somebodyElse);
  const other: Client = await staleClient(() => other.signIn({ username: somebodyElse, password }));
  expect(await failure(makeToken(other))).toMatchObject({ code: "REAUTHENTICATION_REQUIRED" });
  expect((await other.auth.me.query()).username).toBe(somebodyElse);
  expect((await other.tokens.list.query()).tokens).toEqual([]);
});

test("a call aborted while waiting for the prompt ends immediately and is not repeated", async () => {
  const leaving = new AbortController();
  let confirmed: Promise<unknown> = Promise.resolve();
  const client = await staleClient(({ confirm }) => {
    leaving.abort();
    confirmed = confirm({ password });
    return confirmed;
  });
  expect(await failure(makeToken(client, leaving.signal))).toMatchObject({ code: "ABORTED" });
  await confirmed;
  expect(sent()).toEqual([403]);
});

test("other refusals open no prompt", async () => {
  const client = await staleClient(() => {
    throw new Error("Nobody is to be asked.");
  });
  expect(await failure(client.users.list.query({}))).toMatchObject({ code: "FORBIDDEN" });
  expect(await failure(client.auth.confirm.mutate({ password: "not this one" }))).toMatchObject({ code: "FORBIDDEN" });
});

test("the types accept only valid proofs for a confirmation", () => {
  expectTypeOf<"REAUTHENTICATION_REQUIRED">().toExtend<ZonewrightErrorCode>();
  expectTypeOf<Parameters<Client["confirm"]>[0]>().toEqualTypeOf<ConfirmationProof>();
  expectTypeOf<Awaited<ReturnType<Client["confirm"]>>>().toEqualTypeOf<{ confirmedUntil: Date }>();
  expectTypeOf<Awaited<ReturnType<Client["auth"]["me"]["query"]>>["confirmedUntil"]>().toEqualTypeOf<Date | null>();
  expectTypeOf<{ password: string }>().toExtend<ConfirmationProof>();
  expectTypeOf<{ password: string; method: "recovery"; code: string }>().toExtend<ConfirmationProof>();
  expectTypeOf<{ method: "totp"; code: string }>().not.toExtend<ConfirmationProof>();
  expectTypeOf<{ password: string; code: string }>().not.toExtend<ConfirmationProof>();
  expectTypeOf<{ password: string; method: "email"; code: string }>().not.toExtend<ConfirmationProof>();
  expectTypeOf<{ method: "passkey" }>().not.toExtend<ConfirmationProof>();
});
