import { expect, test } from "vitest";
import { Clock } from "../../../support/clock.ts";
import { appUser, awaitingSecondFactor, statusesOf } from "../../../support/second-factors/app-user.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

test("of two proofs at once for one sign-in one starts a session, and the other is not lost", async () => {
  const user = await appUser(zw, clock, "Twice right");
  const pending = await awaitingSecondFactor(zw, user.username);
  const answers = await Promise.all(
    user.recoveryCodes.slice(0, 3).map((code) => pending.post("/api/2fa/verify", { method: "recovery", code })),
  );
  expect(statusesOf(answers)).toEqual([200, 401, 401]);
  expect((await user.client.get("/api/2fa")).body.recoveryCodesLeft).toBe(9);
});

test("new recovery codes asked for five times at once are ten in the end", async () => {
  const { client } = await appUser(zw, clock, "Asking");
  const ask = () => client.post("/api/2fa/recovery-codes", { currentPassword: memberPassword });
  const answers = await Promise.all(Array.from({ length: 5 }, ask));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await client.get("/api/2fa")).body.recoveryCodesLeft).toBe(10);
});
