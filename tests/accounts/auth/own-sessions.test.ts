import { beforeAll, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { Clock, hour, minute } from "../../support/clock.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const path = "/api/auth/me/sessions";

beforeAll(async () => {
  for (const username of ["ada", "bob"]) {
    await zw.services.users.create(zw.services.database.fork(), {
      username,
      password: memberPassword,
      email: null,
      role: "member",
    });
  }
});

interface SignedIn {
  client: RestClient;
  refreshToken: string;
}

async function signIn(username: string, userAgent: string, rememberMe = false): Promise<SignedIn> {
  const credentials = { username, password: memberPassword, rememberMe };
  const { body } = await zw.nobody.post("/api/auth/login", credentials, { "user-agent": userAgent });
  return { client: new RestClient(zw.url, body.accessToken), refreshToken: body.refreshToken };
}

const sessions = async (client: RestClient) => (await client.get(path)).body.sessions;
const programs = async (client: RestClient) =>
  (await sessions(client)).map(({ userAgent }: { userAgent: string }) => userAgent);
const currentId = async (client: RestClient) => (await sessions(client))[0].id as string;
const me = async ({ client }: SignedIn) => (await client.get("/api/auth/me")).status;
const refresh = (refreshToken: string): Promise<Answer> => zw.nobody.post("/api/auth/refresh", { refreshToken });

test("sessions are listed with address and user agent, the current one first, and without secrets", async () => {
  const laptop = await signIn("ada", "Laptop");
  clock.advance(minute);
  const phone = await signIn("ada", "Phone");
  await signIn("bob", "Elsewhere");
  const { status, body } = await laptop.client.get(path);
  expect(status).toBe(200);
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const common = { id: expect.any(String), ip: "127.0.0.1", createdAt: moment, lastUsedAt: moment };
  expect(body).toEqual({
    sessions: [
      { ...common, current: true, userAgent: "Laptop" },
      { ...common, current: false, userAgent: "Phone" },
    ],
  });
  const [asPhone] = await sessions(phone.client);
  expect(asPhone).toMatchObject({ current: true, userAgent: "Phone", id: body.sessions[1].id });
});

test("a token refresh counts as a use of the session, not as another session", async () => {
  const { client, refreshToken } = await signIn("bob", "Renewing");
  const [before] = await sessions(client);
  clock.advance(minute);
  await refresh(refreshToken);
  const [after, ...others] = await sessions(client);
  expect(after).toMatchObject({ id: before.id, createdAt: before.createdAt });
  expect(Date.parse(after.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(before.lastUsedAt) + minute);
  expect(others.map(({ id }: { id: string }) => id)).not.toContain(before.id);
});

test("sessions ended by sign-out or expiry are not listed", async () => {
  const brief = await signIn("ada", "Brief");
  const out = await signIn("ada", "Signed out");
  await zw.nobody.post("/api/auth/logout", { refreshToken: out.refreshToken });
  expect(await programs(brief.client)).not.toContain("Signed out");
  expect(await programs(brief.client)).toContain("Brief");
  clock.advance(24 * hour);
  const later = await signIn("ada", "Later", true);
  expect(await programs(later.client)).toEqual(["Later"]);
});

test("ending a session takes effect immediately, and the other sessions continue", async () => {
  const [laptop, phone] = [await signIn("ada", "Laptop"), await signIn("ada", "Phone")];
  const id = await currentId(phone.client);
  expect(await me(phone)).toBe(200);
  const answer = await laptop.client.delete(`${path}/${id}`);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(await me(phone)).toBe(401);
  expect(await refresh(phone.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
  expect(await me(laptop)).toBe(200);
  expect(await laptop.client.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
});

test("ending the current session is a sign-out: its tokens are refused and the cookie is cleared", async () => {
  const session = await signIn("ada", "Laptop");
  const answer = await session.client.delete(`${path}/${await currentId(session.client)}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^refresh_token=;.*Max-Age=0/)]);
  expect(await me(session)).toBe(401);
  expect(await refresh(session.refreshToken)).toBeProblem(401, "UNAUTHORIZED");
});

test("another user's session gets 404, even for an administrator", async () => {
  const ada = await signIn("ada", "Laptop");
  const id = await currentId(ada.client);
  const { client: bob } = await signIn("bob", "Phone");
  for (const other of [bob, await zw.signIn("admin", adminPassword)]) {
    expect(await other.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
  }
  expect(await bob.delete(`${path}/${crypto.randomUUID()}`)).toBeProblem(404, "NOT_FOUND");
  expect(await me(ada)).toBe(200);
});

test("the audit trail says who ended which session", async () => {
  const [laptop, phone] = [await signIn("bob", "Laptop"), await signIn("bob", "Phone")];
  const id = await currentId(phone.client);
  await laptop.client.delete(`${path}/${id}`);
  const entries = await queries(zw.services.database.fork())
    .selectFrom("audit_entries")
    .select(["action", "target_type", "actor_id", "before", "after"])
    .where("target_id", "=", id)
    .where("action", "like", "session.%")
    .execute();
  const { body: bob } = await laptop.client.get("/api/auth/me");
  const before = { userAgent: "Phone", ip: "127.0.0.1", createdAt: expect.any(String) };
  expect(entries).toEqual([
    { action: "session.revoke", target_type: "session", actor_id: bob.id, before, after: null },
  ]);
});
