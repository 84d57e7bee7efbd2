import { beforeEach, expect, test } from "vitest";
import { middleOfStep } from "../../../support/second-factors/authenticator-app.ts";
import { Clock } from "../../../support/clock.ts";
import { problemOf } from "../../../support/problems.ts";
import { appUser, awaitingSecondFactor } from "../../../support/second-factors/app-user.ts";
import { memberPassword, useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

beforeEach(() => {
  middleOfStep(clock);
});

test("recovery codes are groups of four, and case, dashes and look-alike characters are ignored", async () => {
  const user = await appUser(zw, clock, "Typing");
  for (const code of user.recoveryCodes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(?:-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  const [first = "", second = "", third = ""] = user.recoveryCodes;
  for (const code of [
    first.toUpperCase(),
    second.replaceAll("-", " "),
    third.replaceAll("-", "").replaceAll("0", "O").replaceAll("1", "l"),
  ]) {
    const pending = await awaitingSecondFactor(zw, "Typing");
    expect((await pending.post("/api/2fa/verify", { method: "recovery", code })).status).toBe(200);
  }
  expect((await user.client.get("/api/2fa")).body.recoveryCodesLeft).toBe(7);
});

test("a recovery code works once", async () => {
  const { recoveryCodes } = await appUser(zw, clock, "Once");
  const proof = { method: "recovery", code: recoveryCodes[0] };
  expect((await (await awaitingSecondFactor(zw, "Once")).post("/api/2fa/verify", proof)).status).toBe(200);
  const again = await awaitingSecondFactor(zw, "Once");
  expect(await again.post("/api/2fa/verify", proof)).toBeProblem(401, "UNAUTHORIZED");
});

test("a recovery code does not work for another user", async () => {
  const { recoveryCodes } = await appUser(zw, clock, "Owner");
  await appUser(zw, clock, "Stranger");
  const stranger = await awaitingSecondFactor(zw, "Stranger");
  const proof = { method: "recovery", code: recoveryCodes[0] };
  expect(await stranger.post("/api/2fa/verify", proof)).toBeProblem(401, "UNAUTHORIZED");
  expect((await (await awaitingSecondFactor(zw, "Owner")).post("/api/2fa/verify", proof)).status).toBe(200);
});

test("generating new recovery codes requires the correct password and replaces the old codes", async () => {
  const { client, recoveryCodes } = await appUser(zw, clock, "Renewing");
  const refused = await client.post("/api/2fa/recovery-codes", { currentPassword: "a wrong password" });
  expect(problemOf(refused, 403, "FORBIDDEN").issues).toMatchObject([{ path: ["currentPassword"] }]);
  const { status, body } = await client.post("/api/2fa/recovery-codes", { currentPassword: memberPassword });
  expect(status).toBe(200);
  expect(body.recoveryCodes).toHaveLength(10);
  const pending = await awaitingSecondFactor(zw, "Renewing");
  const [old, fresh] = [recoveryCodes[0], body.recoveryCodes[0]];
  expect(await pending.post("/api/2fa/verify", { method: "recovery", code: old })).toBeProblem(401, "UNAUTHORIZED");
  expect((await pending.post("/api/2fa/verify", { method: "recovery", code: fresh })).status).toBe(200);
});

test("recovery codes exist only with a second factor, and are deleted with the last one", async () => {
  const plain = await zw.member("Plain");
  const ask = { currentPassword: memberPassword };
  expect(await plain.post("/api/2fa/recovery-codes", ask)).toBeProblem(409, "CONFLICT");
  const { client } = await appUser(zw, clock, "Giving up");
  expect((await client.send("DELETE", "/api/2fa/totp", ask)).status).toBe(200);
  expect((await client.get("/api/2fa")).body).toEqual({
    totp: false,
    email: false,
    passkeys: [],
    recoveryCodesLeft: 0,
  });
  expect(await client.send("DELETE", "/api/2fa/totp", ask)).toBeProblem(409, "CONFLICT");
});
