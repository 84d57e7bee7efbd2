import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { deleteExpired } from "../../../server/composition/job-list.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, day, minute, second } from "../../support/clock.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { statusesOf } from "../../support/second-factors/app-user.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import {
  adminPassword,
  memberPassword,
  onceStarted,
  startZonewright,
  type Zonewright,
} from "../../support/zonewright.ts";
import { authorized, pkce, startedDevice } from "./cli-sign-ins.ts";

const clock = new Clock();
let mail: MailServer;
let running: Zonewright & { stop(): Promise<void> };
const zw = onceStarted(() => running);
beforeAll(async () => {
  mail = await startMailServer();
  running = await startZonewright({ now: clock.now, env: { SMTP_URL: mail.url, TRUST_PROXY: "loopback" } });
});
afterAll(async () => {
  await running.stop();
  await mail.stop();
});

let users = 0;
let username: string;
let client: RestClient;
async function newUser(): Promise<void> {
  users += 1;
  username = `user-${users}`;
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
  const user = { username, email: `${username}@example.com`, password: memberPassword, role: "member" };
  await zw.admin.post("/api/users", user);
  client = await zw.signIn(username, memberPassword);
}

const redeem = (given: object) => zw.nobody.post("/api/auth/cli/token", given);

async function tokens(): Promise<{ name: string; permissions: string[]; expiresAt: string }[]> {
  return (await client.get("/api/auth/me/tokens")).body.tokens;
}

/** Expects 400 with the words of RFC 8628 §3.5. */
function expectWaiting(answer: Answer, detail: string): void {
  expect(answer).toBeProblem(400, "BAD_REQUEST");
  expect(answer.body.detail).toBe(detail);
  expect(answer.body.issues).toEqual([{ path: ["deviceCode"], message: expect.stringMatching(/\.$/) }]);
}

/** Returns the field of a bad request that is wrong. */
function wrongField(answer: Answer): string {
  expect(answer).toBeProblem(400, "BAD_REQUEST");
  return answer.body.issues[0].path[0];
}

/** Signs in to `username` from another network, so that its guesses and addresses are its own. */
async function signedInFrom(ip: string): Promise<(path: string, body: object) => Promise<Answer>> {
  const headers = { "x-forwarded-for": ip };
  const { body } = await zw.nobody.post("/api/auth/login", { username, password: memberPassword }, headers);
  const there = new RestClient(zw.url, body.accessToken);
  return (path, sent) => there.post(path, sent, headers);
}

describe("a command line on the user's computer", () => {
  beforeEach(newUser);

  test("an approved command line gets a personal token of 90 days with the chosen permissions, and its owner a mail", async () => {
    const { status, body, headers } = await redeem(await authorized(client, ["domains:read", "records:read"]));
    expect(status).toBe(200);
    expect(body).toEqual({ token: expect.stringMatching(/^zw_pt_/), expiresAt: expect.any(String) });
    expect(headers.get("cache-control")).toBe("no-store");
    const left = Date.parse(body.expiresAt) - clock.now().getTime();
    expect([left > 90 * day - minute, left <= 90 * day]).toEqual([true, true]);
    const program = new RestClient(zw.url, body.token);
    expect((await program.get("/api/domains")).status).toBe(200);
    expect(await program.post("/api/domains", { name: "a.example" })).toBeProblem(403, "FORBIDDEN");
    expect(await tokens()).toMatchObject([
      { name: "zonewright login", permissions: ["domains:read", "records:read"], expiresAt: body.expiresAt },
    ]);
    const letter = await mail.next(`${username}@example.com`);
    expect(letter.subject).toBe(`The personal token zonewright login was created for the account ${username}`);
    const trail = await entries(zw.admin, { actorId: (await client.get("/api/auth/me")).body.id });
    expect(trail.slice(0, 2)).toMatchObject([
      { action: "token.create", after: { name: "zonewright login", permissions: ["domains:read", "records:read"] } },
      { action: "auth.authorize_cli", after: { permissions: ["domains:read", "records:read"] } },
    ]);
  });

  test("a code works once, also for several calls in parallel", async () => {
    const given = await authorized(client);
    const answers = await Promise.all([1, 2, 3, 4].map(() => redeem(given)));
    expect(statusesOf(answers)).toEqual([200, 400, 400, 400]);
    expect(wrongField(await redeem(given))).toBe("code");
    expect(await tokens()).toHaveLength(1);
  });

  test("a code expires after a minute", async () => {
    clock.standStill();
    const [late, early] = [await authorized(client), await authorized(client)];
    await clock.ahead(59 * second, async () => expect((await redeem(early)).status).toBe(200));
    await clock.ahead(60 * second, async () => expect(wrongField(await redeem(late))).toBe("code"));
  });

  test("a wrong verifier gets no token and uses the code up", async () => {
    const given = await authorized(client);
    expect(wrongField(await redeem({ ...given, codeVerifier: pkce().codeVerifier }))).toBe("codeVerifier");
    expect(wrongField(await redeem(given))).toBe("code");
    // The challenge is public: it is in the address that the browser opened.
    const { codeVerifier, codeChallenge } = pkce();
    const wish = { permissions: ["domains:read"], codeChallenge };
    const { body } = await client.post("/api/auth/cli/authorize", wish);
    expect(wrongField(await redeem({ code: body.code, codeVerifier: codeChallenge }))).toBe("codeVerifier");
    expect(wrongField(await redeem({ code: body.code, codeVerifier }))).toBe("code");
    expect(await tokens()).toEqual([]);
  });

  test("a code ends with the session that approved it, and with a change of the password", async () => {
    const ended = await authorized(client);
    await client.post("/api/auth/logout", {});
    expect(wrongField(await redeem(ended))).toBe("code");
    client = await zw.signIn(username, memberPassword);
    const outdated = await authorized(client);
    const change = { currentPassword: memberPassword, newPassword: `${memberPassword} again`, revoke: [] };
    expect((await client.put("/api/auth/me/password", change)).status).toBe(200);
    expect(wrongField(await redeem(outdated))).toBe("code");
    expect(await tokens()).toEqual([]);
  });

  test("an unconfirmed session and a personal token approve nothing", async () => {
    const { body } = await redeem(await authorized(client));
    const wish = { permissions: ["domains:read"], codeChallenge: pkce().codeChallenge };
    const program = new RestClient(zw.url, body.token);
    expect(await program.post("/api/auth/cli/authorize", wish)).toBeProblem(403, "FORBIDDEN");
    expect(await zw.nobody.post("/api/auth/cli/authorize", wish)).toBeProblem(401, "UNAUTHORIZED");
    const { userCode } = await startedDevice(zw.nobody);
    const approval = { userCode, permissions: ["domains:read"] };
    await clock.ahead(10 * minute, async () => {
      expect(await client.post("/api/auth/cli/authorize", wish)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
      expect(await client.post("/api/auth/device/approve", approval)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    });
  });

  test("a user with a hundred tokens is refused before anything is approved", async () => {
    const { codeChallenge } = pkce();
    const waiting = await authorized(client);
    const { userCode } = await startedDevice(zw.nobody);
    const { body: me } = await client.get("/api/auth/me");
    await sql`
      insert into personal_tokens (id, user_id, name, token_hash, permissions, created_at)
      select gen_random_uuid(), ${me.id}, 'Script', gen_random_uuid(), '{}', now() from generate_series(1, 100)
    `.execute(queries(zw.services.database.fork()));
    const wish = { permissions: ["domains:read"], codeChallenge };
    expect(await client.post("/api/auth/cli/authorize", wish)).toBeProblem(409, "CONFLICT");
    const approval = { userCode, permissions: ["domains:read"] };
    expect(await client.post("/api/auth/device/approve", approval)).toBeProblem(409, "CONFLICT");
    expect(await redeem(waiting)).toBeProblem(409, "CONFLICT");
  });
});

describe("a device without a browser", () => {
  beforeEach(newUser);

  test("a device gets a personal token of 90 days once its code is typed and approved, and its owner a mail", async () => {
    const { status, body: device } = await zw.nobody.post(
      "/api/auth/device",
      { permissions: ["domains:read", "records:write"] },
      { "x-forwarded-for": "192.0.2.77" },
    );
    expect(status).toBe(200);
    expect(device).toEqual({
      deviceCode: expect.stringMatching(/^[\w-]{43}$/),
      userCode: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      verificationUrl: "http://localhost:0/device",
      expiresIn: 600,
      interval: 5,
    });
    const poll = () => zw.nobody.post("/api/auth/device/token", { deviceCode: device.deviceCode });
    const pending = await poll();
    expectWaiting(pending, "authorization_pending");
    expect(pending.headers.get("retry-after")).toBe("5");

    const typed = device.userCode.toLowerCase().replace("-", " ");
    const { body: found } = await client.post("/api/auth/device/find", { userCode: typed });
    expect(found).toEqual({
      permissions: ["domains:read", "records:write"],
      ip: "192.0.2.77",
      expiresAt: expect.any(String),
    });
    const approval = { userCode: typed, permissions: ["domains:read"] };
    expect((await client.post("/api/auth/device/approve", approval)).body).toEqual({ success: true });
    const { body: given } = await poll();
    const left = Date.parse(given.expiresAt) - clock.now().getTime();
    expect([left > 90 * day - minute, left <= 90 * day]).toEqual([true, true]);
    expect((await new RestClient(zw.url, given.token).get("/api/domains")).status).toBe(200);
    expect(await tokens()).toMatchObject([{ name: "zonewright login --device", permissions: ["domains:read"] }]);
    const letter = await mail.next(`${username}@example.com`);
    expect(letter.subject).toBe(`The personal token zonewright login --device was created for the account ${username}`);
    const trail = await entries(zw.admin, { actorId: (await client.get("/api/auth/me")).body.id });
    expect(trail.slice(0, 2)).toMatchObject([
      { action: "token.create", after: { permissions: ["domains:read"] } },
      { action: "auth.approve_device", after: { deviceIp: "192.0.2.77", permissions: ["domains:read"] } },
    ]);
    expect(JSON.stringify(trail)).not.toContain(device.userCode);
    expectWaiting(await poll(), "expired_token");
  });

  test("a refused device hears that access is denied, and its code is used up", async () => {
    const device = await startedDevice(zw.nobody);
    const { userCode } = device;
    expect((await client.post("/api/auth/device/refuse", { userCode })).body).toEqual({ success: true });
    expectWaiting(await device.poll(), "access_denied");
    expectWaiting(await device.poll(), "access_denied");
    expect(wrongField(await client.post("/api/auth/device/find", { userCode }))).toBe("userCode");
    expect(wrongField(await client.post("/api/auth/device/approve", { userCode, permissions: ["domains:read"] }))).toBe(
      "userCode",
    );
    const [entry] = await entries(zw.admin, { action: "auth.refuse_device" });
    expect(entry).toMatchObject({ after: { deviceIp: expect.any(String) } });
    expect(await tokens()).toEqual([]);
  });

  test("a device that asks too often has to wait five seconds longer each time", async () => {
    clock.standStill();
    const device = await startedDevice(zw.nobody);
    expectWaiting(await device.poll(), "authorization_pending");
    clock.advance(2 * second);
    const slow = await device.poll();
    expectWaiting(slow, "slow_down");
    expect([slow.headers.get("retry-after"), slow.body.issues[0].message]).toEqual([
      "10",
      "The device asks too often. Ask again in 10 seconds.",
    ]);
    clock.advance(6 * second);
    expectWaiting(await device.poll(), "slow_down");
    clock.advance(15 * second);
    expectWaiting(await device.poll(), "authorization_pending");
    // Somebody else's haste is not this device's.
    expectWaiting(await (await startedDevice(zw.nobody)).poll(), "authorization_pending");
  });

  test("both codes of a device expire after ten minutes", async () => {
    clock.standStill();
    const device = await startedDevice(zw.nobody);
    const { userCode } = device;
    const patient = await signedInFrom("198.51.100.9");
    clock.advance(10 * minute - 10 * second);
    expect((await patient("/api/auth/device/find", { userCode })).status).toBe(200);
    clock.advance(10 * second);
    expectWaiting(await device.poll(), "expired_token");
    expect(wrongField(await patient("/api/auth/device/find", { userCode }))).toBe("userCode");
    expect(wrongField(await patient("/api/auth/device/refuse", { userCode }))).toBe("userCode");
    expectWaiting(await zw.nobody.post("/api/auth/device/token", { deviceCode: "unknown" }), "expired_token");
  });

  test("of several approvals of one device in parallel one holds, and of several exchanges one gets the token", async () => {
    const device = await startedDevice(zw.nobody);
    const approval = { userCode: device.userCode, permissions: ["domains:read"] };
    const other = await zw.member(`${username}-other`);
    const approvals = [client, other].map((one) => one.post("/api/auth/device/approve", approval));
    expect(statusesOf(await Promise.all(approvals))).toEqual([200, 400]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => device.poll()));
    expect(statusesOf(answers)).toEqual([200, 400, 400, 400]);
  });

  test("an approval gives no permission that the device did not ask for", async () => {
    const { userCode } = await startedDevice(zw.nobody, ["domains:read"]);
    const refused = await client.post("/api/auth/device/approve", {
      userCode,
      permissions: ["domains:read", "records:write"],
    });
    expect(wrongField(refused)).toBe("permissions");
    expect(refused.body.issues[0].path).toEqual(["permissions", 1]);
    expect(wrongField(await client.post("/api/auth/device/approve", { userCode, permissions: [] }))).toBe(
      "permissions",
    );
    expect(wrongField(await zw.nobody.post("/api/auth/device", { permissions: [] }))).toBe("permissions");
    expect(wrongField(await zw.nobody.post("/api/auth/device", {}))).toBe("permissions");
  });

  test("an approval ends with the session that gave it, and with a change of the password", async () => {
    const permissions = ["domains:read"];
    const denied = await startedDevice(zw.nobody);
    await client.post("/api/auth/device/approve", { userCode: denied.userCode, permissions });
    await client.post("/api/auth/logout", {});
    expectWaiting(await denied.poll(), "access_denied");
    client = await zw.signIn(username, memberPassword);
    const ended = await startedDevice(zw.nobody);
    await client.post("/api/auth/device/approve", { userCode: ended.userCode, permissions });
    const change = { currentPassword: memberPassword, newPassword: `${memberPassword} again`, revoke: [] };
    expect((await client.put("/api/auth/me/password", change)).status).toBe(200);
    expectWaiting(await ended.poll(), "expired_token");
    expect(await tokens()).toEqual([]);
  });

  test("a user guesses five codes in 15 minutes at most, and can still sign in", async () => {
    const call = await signedInFrom("203.0.113.5");
    const { userCode } = await startedDevice(zw.nobody);
    const guesses = ["find", "approve", "refuse", "find", "find", "find", "refuse"].map((verb) =>
      call(`/api/auth/device/${verb}`, {
        userCode: "0000-0000",
        ...(verb === "approve" ? { permissions: ["domains:read"] } : {}),
      }),
    );
    expect(statusesOf(await Promise.all(guesses))).toEqual([400, 400, 400, 400, 400, 429, 429]);
    const right = await call("/api/auth/device/find", { userCode });
    expect(right).toBeProblem(429, "TOO_MANY_REQUESTS");
    expect(right.body.detail).toMatch(/^Too many failed attempts\. Wait \d+ seconds, then try again\.$/);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await zw.signIn(username, memberPassword)).token).toEqual(expect.any(String));
  });
});

describe("bad input", () => {
  beforeAll(newUser);

  test.each([
    ["no permission", { permissions: [] }, "permissions"],
    ["an unknown permission", { permissions: ["tokens:write"] }, "permissions"],
    ["no code challenge", { codeChallenge: undefined }, "codeChallenge"],
    ["a short code challenge", { codeChallenge: "x" }, "codeChallenge"],
    ["a code challenge that is not base64url", { codeChallenge: "+".repeat(43) }, "codeChallenge"],
  ])("an approval with %s is refused, and says which field is wrong", async (_what, change, field) => {
    const wish = { permissions: ["domains:read"], codeChallenge: pkce().codeChallenge, ...change };
    expect(wrongField(await client.post("/api/auth/cli/authorize", wish))).toBe(field);
  });

  test.each([
    ["an unknown code", { code: "unknown" }, "code"],
    ["no code", { code: undefined }, "code"],
    ["a short verifier", { codeVerifier: "short" }, "codeVerifier"],
    ["a verifier with other characters", { codeVerifier: "ä".repeat(43) }, "codeVerifier"],
  ])("an exchange with %s is refused, and says which field is wrong", async (_what, change, field) => {
    expect(wrongField(await redeem({ ...(await authorized(client)), ...change }))).toBe(field);
  });
});

describe("what is stored", () => {
  beforeAll(newUser);

  test("codes are stored as hashes only, and deleted once they expire", async () => {
    const { code } = await authorized(client);
    const { deviceCode, userCode } = await startedDevice(zw.nobody);
    const database = () => queries(zw.services.database.fork());
    const rows = async () => [
      ...(await database().selectFrom("cli_codes").selectAll().execute()),
      ...(await database().selectFrom("device_sign_ins").selectAll().execute()),
    ];
    const stored = JSON.stringify(await rows());
    for (const secret of [code, deviceCode, userCode, userCode.replace("-", "")]) expect(stored).not.toContain(secret);
    await deleteExpired(zw.services.database, clock.now());
    expect(JSON.stringify(await rows())).toContain("code_hash");
    await deleteExpired(zw.services.database, new Date(clock.now().getTime() + 10 * minute));
    expect(await rows()).toEqual([]);
  });
});
