import { beforeEach, expect, test } from "vitest";
import { codeAt, middleOfStep } from "../../../support/second-factors/authenticator-app.ts";
import { Clock } from "../../../support/clock.ts";
import { appUser, awaitingSecondFactor } from "../../../support/second-factors/app-user.ts";
import { useZonewright } from "../../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });

// Each race uses up to five of the twenty wrong attempts that one address has, so no more races fit into this file.
beforeEach(() => {
  middleOfStep(clock);
});

function code({ secret }: { secret: string }): string {
  return codeAt(secret, clock.now());
}

test.each([
  ["one sign-in", false],
  ["twenty sign-ins", true],
])(
  "an app code sent twenty times concurrently, for %s, starts one session",
  async (what, apart) => {
    const user = await appUser(zw, clock, `Racing ${what}`);
    const shared = await awaitingSecondFactor(zw, user.username);
    const pending = await Promise.all(
      Array.from({ length: 20 }, () => (apart ? awaitingSecondFactor(zw, user.username) : Promise.resolve(shared))),
    );
    const proof = { method: "totp", code: code(user) };
    const answers = await Promise.all(pending.map((client) => client.post("/api/2fa/verify", proof)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status !== 200 && status !== 401 && status !== 429)).toEqual([]);
  },
  60_000,
);

test("of twenty concurrent requests with an app's first code, one enables the app", async () => {
  const client = await zw.member("Enabling");
  const { body } = await client.post("/api/2fa/totp/setup");
  const first = { code: code(body) };
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post("/api/2fa/totp/enable", first)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => ![200, 400, 409, 429].includes(status))).toEqual([]);
  expect((await client.get("/api/2fa")).body.recoveryCodesLeft).toBe(10);
});

test("a recovery code sent concurrently for twenty sign-ins starts one session and is used up", async () => {
  const user = await appUser(zw, clock, "Recovering");
  const pending = await Promise.all(Array.from({ length: 20 }, () => awaitingSecondFactor(zw, user.username)));
  const proof = { method: "recovery", code: user.recoveryCodes[0] };
  const answers = await Promise.all(pending.map((client) => client.post("/api/2fa/verify", proof)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => ![200, 401, 429].includes(status))).toEqual([]);
  expect((await user.client.get("/api/2fa")).body.recoveryCodesLeft).toBe(9);
});
