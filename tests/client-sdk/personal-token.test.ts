import { beforeAll, expect, expectTypeOf, test } from "vitest";
import { createClient, type Client } from "../../client-sdk/src/index.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { failure } from "./failure.ts";
import { recordingFetch } from "./recording-fetch.ts";

const zw = useZonewright();
const credentials = { username: "admin", password: adminPassword };
let admin: Client;
beforeAll(async () => {
  admin = createClient({ url: zw.url });
  await admin.signIn(credentials);
});

test("a client with a personal token can make the calls the token permits, and never refreshes it", async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const made = await admin.tokens.create.mutate({ name: "Script", permissions: ["domains:read"], expiresAt });
  expectTypeOf(made.expiresAt).toEqualTypeOf<Date | null>();
  expect(made).toMatchObject({ name: "Script", permissions: ["domains:read"], expiresAt, lastUsedAt: null });
  const recorder = recordingFetch();
  const script = createClient({ url: zw.url, token: made.token, fetch: recorder.fetch });
  expect((await script.domains.list.query({})).domains).toEqual([]);
  expect(await failure(script.domains.create.mutate({ name: "a.example" }))).toMatchObject({ code: "FORBIDDEN" });
  expect(await failure(script.tokens.create.mutate({ name: "x", permissions: [] }))).toMatchObject({ status: 403 });
  await admin.tokens.delete.mutate({ id: made.id });
  expect(await failure(script.domains.list.query({}))).toMatchObject({ code: "UNAUTHORIZED", status: 401 });
  expect(recorder.to("/api/auth/refresh")).toEqual([]);
  expect((await admin.tokens.list.query({})).tokens).toEqual([]);
});

test("a signed-in user can change their password, which ends their other sessions but not this one", async () => {
  const password = "three owls over the harbour";
  const recorder = recordingFetch();
  const other = createClient({ url: zw.url });
  await other.signIn(credentials);
  const client = createClient({ url: zw.url, fetch: recorder.fetch });
  await client.signIn(credentials);
  const { sessions } = await client.sessions.list.query({});
  expect(sessions[0]).toMatchObject({ current: true, ip: "127.0.0.1" });
  expect(sessions[0]?.createdAt).toBeInstanceOf(Date);
  expect(sessions.length).toBeGreaterThanOrEqual(3);
  const wrong = client.profile.changePassword.mutate({ currentPassword: "wrong", newPassword: password });
  expect(await failure(wrong)).toMatchObject({ code: "FORBIDDEN", issues: [{ path: ["currentPassword"] }] });
  expect(recorder.to("/trpc/profile.changePassword")).toHaveLength(1);
  await client.profile.changePassword.mutate({ currentPassword: adminPassword, newPassword: password });
  expect((await client.profile.update.mutate({ nickname: "Root" })).nickname).toBe("Root");
  expect((await client.sessions.list.query({})).sessions).toHaveLength(1);
  expect(await failure(other.auth.me.query({}))).toMatchObject({ code: "UNAUTHORIZED" });
});
