import { expect, test } from "vitest";
import { deleteEndedSessions } from "../../../server/accounts/auth/housekeeping.ts";
import { queries } from "../../../server/database/database.ts";
import { Clock, day, hour } from "../../support/clock.ts";
import { adminPassword, useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

async function login(rememberMe: boolean): Promise<string> {
  const { body } = await zw.nobody.post("/api/auth/login", { username: "admin", password: adminPassword, rememberMe });
  return body.refreshToken;
}

async function refreshed(refreshToken: string): Promise<string> {
  const { status, body } = await zw.nobody.post("/api/auth/refresh", { refreshToken });
  expect(status).toBe(200);
  return body.refreshToken;
}

async function count(table: "sessions" | "refresh_tokens"): Promise<number> {
  const em = zw.services.database.fork();
  return (await queries(em).selectFrom(table).select("created_at").execute()).length;
}

test("sessions and refresh tokens are deleted 30 days after they end, however they ended, and no earlier", async () => {
  const clean = () => deleteEndedSessions(zw.services.database.fork(), clock.now());
  // The administrator's session, from the start of the test.
  await zw.nobody.post("/api/auth/logout", undefined, { authorization: `Bearer ${zw.admin.token}` });
  await refreshed(await login(false));
  let kept = await login(true);
  expect([await count("sessions"), await count("refresh_tokens")]).toEqual([3, 4]);

  clock.advance(20 * day);
  kept = await refreshed(kept);
  clock.advance(10 * day - hour);
  expect(await clean()).toEqual({ sessions: 0, refreshTokens: 0 });

  // The sign-out was 30 days ago; the brief session expired a day after it.
  clock.advance(2 * hour);
  expect(await clean()).toMatchObject({ sessions: 1 });
  clock.advance(day);
  expect(await clean()).toMatchObject({ sessions: 1 });
  expect([await count("sessions"), await count("refresh_tokens")]).toEqual([1, 2]);

  // The first token of the ongoing session expired 30 days after it was issued.
  clock.advance(15 * day);
  kept = await refreshed(kept);
  clock.advance(14 * day);
  kept = await refreshed(kept);
  expect(await clean()).toEqual({ sessions: 0, refreshTokens: 1 });
  await refreshed(kept);

  clock.advance(121 * day);
  expect(await clean()).toMatchObject({ sessions: 1 });
  expect([await count("sessions"), await count("refresh_tokens")]).toEqual([0, 0]);
});
