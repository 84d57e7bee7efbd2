import { expect, test } from "vitest";
import { Clock } from "../../../support/clock.ts";
import { appUser, awaitingSecondFactor, statusesOf } from "../../../support/second-factors/app-user.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

test("of concurrent recovery codes for one sign-in, one starts a session and the others stay unused", async () => {
  const user = await appUser(zw, clock, "Twice right");
  const pending = await awaitingSecondFactor(zw, user.username);
  const answers = await Promise.all(
    user.recoveryCodes.slice(0, 3).map((code) => pending.post("/api/2fa/verify", { method: "recovery", code })),
  );
  expect(statusesOf(answers)).toEqual([200, 401, 401]);
  expect((await user.client.get("/api/2fa")).body.recoveryCodesLeft).toBe(9);
});

test("five concurrent requests for new recovery codes leave exactly ten codes", async () => {
  const { client } = await appUser(zw, clock, "Asking");
  const ask = () => client.post("/api/2fa/recovery-codes", { currentPassword: memberPassword });
  const answers = await Promise.all(Array.from({ length: 5 }, ask));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await client.get("/api/2fa")).body.recoveryCodesLeft).toBe(10);
});
