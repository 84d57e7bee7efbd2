import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient } from "../../support/rest-client.ts";
import { memberPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";

let mail: MailServer;
let zw: Zonewright & { stop(): Promise<void> };
beforeAll(async () => {
  mail = await startMailServer();
  zw = await startZonewright({ env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await zw.stop();
  await mail.stop();
});

const profile = "/api/auth/me/profile";
const password = "/api/auth/me/password";
const email = "/api/auth/me/email";
const newPassword = "three owls over the harbour";

let count = 0;

/** Creates a separate member for each test. */
async function someone(address: string | null = null) {
  const username = `person${(count += 1)}`;
  const input = { username, password: memberPassword, email: address, role: "member" } as const;
  const { id } = await zw.services.users.create(zw.services.database.fork(), input);
  return { id, username, client: await zw.signIn(username, memberPassword) };
}

async function trail(targetId: string, action: string) {
  return await queries(zw.services.database.fork())
    .selectFrom("audit_entries")
    .select(["actor_id", "before", "after"])
    .where("target_id", "=", targetId)
    .where("action", "=", action)
    .orderBy("id")
    .execute();
}

const works = async (client: RestClient) => (await client.get("/api/auth/me")).status === 200;
const login = async (username: string, given: string) =>
  (await zw.nobody.post("/api/auth/login", { username, password: given })).status;

describe("preferences", () => {
  const preferences = "/api/auth/me/preferences";
  const search = { name: "Old server", page: "search", filters: { value: "192.0.2.1" }, pinned: true };
  const large = (name: string) => ({ ...search, name, filters: { value: "é".repeat(10_000) } });

  test("preferences are empty at first, belong to one user, and keep the fields that a change leaves out", async () => {
    const [one, other] = [await someone(), await someone()];
    const none = { pinnedZones: [], savedSearches: [], columns: {} };
    expect((await one.client.get(preferences)).body).toEqual(none);
    await one.client.put(preferences, { pinnedZones: ["b.example", "a.example!internal"] });
    const { body } = await one.client.put(preferences, { savedSearches: [search], columns: { domains: ["tags"] } });
    expect(body).toEqual({
      pinnedZones: ["b.example", "a.example!internal"],
      savedSearches: [search],
      columns: { domains: ["tags"] },
    });
    expect((await one.client.get(preferences)).body).toEqual(body);
    expect((await one.client.put(preferences, { pinnedZones: [] })).body).toEqual({ ...body, pinnedZones: [] });
    expect((await other.client.get(preferences)).body).toEqual(none);
  });

  test.each<[string, object, string]>([
    ["a field that is not known", { theme: "dark" }, "theme"],
    ["201 pins", { pinnedZones: Array.from({ length: 201 }, (_, at) => `z${at}.example`) }, "pinnedZones"],
    ["a search of a page that has none", { savedSearches: [{ ...search, page: "audit" }] }, "savedSearches.0.page"],
    ["a search without a name", { savedSearches: [{ ...search, name: "" }] }, "savedSearches.0.name"],
    [
      "21 filters",
      {
        savedSearches: [{ ...search, filters: Object.fromEntries([...Array(21).keys()].map((at) => [`f${at}`, ""])) }],
      },
      "savedSearches.0.filters",
    ],
    [
      "a filter that PostgreSQL cannot store",
      { savedSearches: [{ ...search, filters: { q: "\u0000" } }] },
      "savedSearches.0.filters.q",
    ],
  ])("preferences with %s are refused with the field's name, and nothing is stored", async (_, input, path) => {
    const { client } = await someone();
    const before = (await client.get(preferences)).body;
    const answer = await client.put(preferences, input);
    expect(problemOf(answer, 400, "BAD_REQUEST").issues?.[0]?.path.join(".")).toBe(path);
    expect((await client.get(preferences)).body).toEqual(before);
  });

  test("preferences that would exceed 64 KiB together are refused, and those before stay", async () => {
    const { client } = await someone();
    expect((await client.put(preferences, { savedSearches: [large("a"), large("b"), large("c")] })).status).toBe(200);
    const answer = await client.put(preferences, { savedSearches: ["a", "b", "c", "d"].map(large) });
    expect(problemOf(answer, 400, "BAD_REQUEST").message).toContain("64 KiB");
    expect((await client.get(preferences)).body.savedSearches).toHaveLength(3);
  });
});

describe("the profile", () => {
  test("a profile update changes the given fields, keeps the others, and returns the current user", async () => {
    const { id, client } = await someone();
    const all = {
      displayName: "Ada Lovelace",
      nickname: "Ada",
      avatarUrl: "https://example.com/ada.png",
      notificationsEnabled: false,
      emailNotificationsEnabled: true,
    };
    const first = await client.put(profile, all);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ ...(await client.get("/api/auth/me")).body, ...all });
    const second = await client.put(profile, { nickname: null, notificationsEnabled: true, avatarUrl: "" });
    expect(second.body).toEqual({ ...first.body, nickname: null, notificationsEnabled: true, avatarUrl: null });
    expect((await client.put(profile)).body).toEqual(second.body);
    expect(await trail(id, "user.update_profile")).toEqual([
      expect.objectContaining({ actor_id: id, after: all }),
      {
        actor_id: id,
        before: { nickname: "Ada", notificationsEnabled: false, avatarUrl: all.avatarUrl },
        after: { nickname: null, notificationsEnabled: true, avatarUrl: null },
      },
    ]);
  });

  test.each<[string, unknown]>([
    ["role", "admin"],
    ["username", "root"],
    ["email", "new@example.com"],
    ["id", "01a1fb0f-6204-7000-abd4-276e976be8b7"],
    ["passwordHash", "x"],
  ])("a profile update ignores %s, so sending back the whole user changes only the profile", async (field, value) => {
    const { client } = await someone();
    const before = (await client.get("/api/auth/me")).body;
    const answer = await client.put(profile, { ...before, nickname: "Ada", [field]: value });
    expect(answer).toMatchObject({ status: 200, body: { ...before, nickname: "Ada" } });
    expect((await client.get("/api/auth/me")).body).toEqual({ ...before, nickname: "Ada" });
  });

  test.each<[string, unknown]>([
    ["displayName", "x".repeat(101)],
    ["displayName", "two\nlines"],
    ["nickname", 7],
    ["notificationsEnabled", "true"],
    ["notificationsEnabled", null],
    ["avatarUrl", "http://example.com/ada.png"],
    ["avatarUrl", "javascript:alert(1)"],
    ["avatarUrl", "data:image/png;base64,AAAA"],
    ["avatarUrl", "//example.com/ada.png"],
    ["avatarUrl", "https://"],
    ["avatarUrl", "https://ada:secret@example.com/ada.png"],
    ["avatarUrl", `https://example.com/${"x".repeat(2_048)}`],
    ["avatarUrl", `https://example.com/${"é".repeat(1_000)}`],
    ["displayName", "Ada\u202e ecalevoL"],
    ["nickname", "\u2066Ada"],
  ])("a profile with %s set to %j is refused, and nothing changes", async (field, value) => {
    const { client } = await someone();
    const before = (await client.get("/api/auth/me")).body;
    const answer = await client.put(profile, { emailNotificationsEnabled: true, [field]: value });
    expect(problemOf(answer, 400, "BAD_REQUEST").issues).toMatchObject([{ path: [field] }]);
    expect((await client.get("/api/auth/me")).body).toEqual(before);
  });
});

test.each([
  ['https://example.com/a"onerror=alert(1)//.png', "https://example.com/a%22onerror=alert(1)//.png"],
  ["HTTPS://Example.COM:443/a b/../ada.png", "https://example.com/ada.png"],
  ["https://bücher.example/ä.png", "https://xn--bcher-kva.example/%C3%A4.png"],
  ["https://example.com\\@evil.example/ada.png", "https://example.com/@evil.example/ada.png"],
])("the avatar URL %s is stored in normalized form", async (typed, stored) => {
  const { client } = await someone();
  expect((await client.put(profile, { avatarUrl: typed })).body.avatarUrl).toBe(stored);
  expect((await client.get("/api/auth/me")).body.avatarUrl).toBe(stored);
});

describe("a new password", () => {
  test.each(["currentPassword", "oldPassword"])(
    "a new password requires a correct %s, and replaces the old password",
    async (field) => {
      const { id, username, client } = await someone(`${field}@example.com`);
      const answer = await client.put(password, { [field]: memberPassword, newPassword });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      expect(await login(username, memberPassword)).toBe(401);
      expect(await login(username, newPassword)).toBe(200);
      expect((await mail.next(`${field}@example.com`)).subject).toBe("Your password was changed");
      expect(await trail(id, "user.change_password")).toEqual([{ actor_id: id, before: null, after: null }]);
    },
  );

  test("a new password immediately ends all other sessions, but not the current one or personal tokens", async () => {
    const { username, client } = await someone();
    const other = await zw.signIn(username, memberPassword);
    const { body: tokens } = await zw.nobody.post("/api/auth/login", { username, password: memberPassword });
    const { body: personal } = await client.post("/api/auth/me/tokens", { name: "x", permissions: ["domains:read"] });
    expect(await works(other)).toBe(true);
    expect((await client.put(password, { currentPassword: memberPassword, newPassword })).status).toBe(200);
    expect(await works(other)).toBe(false);
    const { refreshToken } = tokens;
    expect(await zw.nobody.post("/api/auth/refresh", { refreshToken })).toBeProblem(401, "UNAUTHORIZED");
    expect(await works(client)).toBe(true);
    expect((await new RestClient(zw.url, personal.token).get("/api/v1/domains")).status).toBe(200);
    expect((await client.get("/api/auth/me/sessions")).body.sessions).toHaveLength(1);
  });

  test("of two concurrent password changes with the same old password, one succeeds", async () => {
    const { username, client } = await someone();
    const wishes = ["four geese at the harbour", "five cranes at the harbour"];
    const answers = await Promise.all(
      wishes.map((wish) => client.put(password, { currentPassword: memberPassword, newPassword: wish })),
    );
    const winners = wishes.filter((_, index) => answers[index]?.status === 200);
    expect(winners).toHaveLength(1);
    for (const { status } of answers.filter((answer) => answer.status !== 200)) expect([403, 409]).toContain(status);
    expect(await login(username, winners[0] ?? "")).toBe(200);
  });

  test.each<[string, object, string]>([
    ["eleven characters", { newPassword: "eleven char" }, "newPassword"],
    ["257 characters", { newPassword: `${"x y ".repeat(64)}z` }, "newPassword"],
    ["a common password", { newPassword: "Password1234" }, "newPassword"],
    ["no new password", {}, "newPassword"],
    ["no current password", { currentPassword: undefined, newPassword }, "currentPassword"],
    ["two current passwords", { oldPassword: "another", newPassword }, "oldPassword"],
    ["an unknown field", { newPassword, username: "root" }, "username"],
  ])("a new password is refused with %s", async (_what, change, field) => {
    const { username, client } = await someone();
    const answer = await client.put(password, { currentPassword: memberPassword, ...change });
    expect(problemOf(answer, 400, "BAD_REQUEST").issues).toMatchObject([{ path: [field] }]);
    expect(await login(username, memberPassword)).toBe(200);
  });

  test("a new password may have 256 non-BMP characters, but not one's own name or mailbox plus digits", async () => {
    const { username, client } = await someone("babbage@example.com");
    for (const own of [`${username.toUpperCase()}-2027`, "Babbage-2027-07", "babbage@example.com"]) {
      const answer = await client.put(password, { currentPassword: memberPassword, newPassword: own });
      expect(problemOf(answer, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["newPassword"] }]);
    }
    const birds = "🦉🦆🦅🐦🦢🪿🦜🦩".repeat(32);
    expect((await client.put(password, { currentPassword: memberPassword, newPassword: birds })).status).toBe(200);
    expect(await login(username, birds)).toBe(200);
  });
});

describe("a new email address", () => {
  test.each(["currentPassword", "password"])(
    "a new address requires a correct %s, and the old address is notified",
    async (field) => {
      const old = `${field}.old@example.com`;
      const fresh = `${field}.new@example.com`;
      const { id, username, client } = await someone(old);
      const answer = await client.put(email, { [field]: memberPassword, email: fresh });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual((await client.get("/api/auth/me")).body);
      expect(answer.body).toMatchObject({ email: fresh, emailVerified: false });
      const reported = await mail.next(old);
      expect(reported.subject).toBe("Your email address was changed");
      for (const part of [reported.text, reported.html]) {
        expect(part).toContain(username);
        expect(part).not.toContain(fresh);
      }
      const entries = await trail(id, "user.change_email");
      expect(entries).toEqual([
        { actor_id: id, before: { email: old, emailVerified: true }, after: { email: fresh, emailVerified: false } },
      ]);
    },
  );

  test("setting the same address again changes nothing", async () => {
    const { id, client } = await someone("same@example.com");
    const answer = await client.put(email, { currentPassword: memberPassword, email: "same@example.com" });
    expect(answer).toMatchObject({ status: 200, body: { email: "same@example.com" } });
    expect(await trail(id, "user.change_email")).toEqual([]);
  });

  test("a new address used by another account is refused, regardless of case", async () => {
    await someone("taken@example.com");
    const { client } = await someone("mine@example.com");
    const answer = await client.put(email, { currentPassword: memberPassword, email: "Taken@Example.com" });
    expect(problemOf(answer, 409, "CONFLICT").issues).toMatchObject([{ path: ["email"] }]);
    expect((await client.get("/api/auth/me")).body.email).toBe("mine@example.com");
  });

  test("a new address invalidates password-reset links sent to the old one", async () => {
    const { username, client } = await someone("left@example.com");
    await zw.nobody.post("/api/auth/password/forgot", { email: "left@example.com" });
    const [, token = ""] = /token=([\w-]+)/.exec((await mail.next("left@example.com")).text) ?? [];
    expect(token).not.toBe("");
    await client.put(email, { currentPassword: memberPassword, email: "here@example.com" });
    const reset = await zw.nobody.post("/api/auth/password/reset", { token, newPassword });
    expect(reset).toBeProblem(400, "BAD_REQUEST");
    expect(await login(username, memberPassword)).toBe(200);
  });

  test.each<[string, object, string]>([
    ["no address", {}, "email"],
    ["an invalid address", { email: "ada" }, "email"],
    ["a line break", { email: "ada@example.com\r\nBcc: all@example.com" }, "email"],
    ["no current password", { currentPassword: undefined, email: "x@example.com" }, "currentPassword"],
  ])("a new address is refused with %s", async (_what, change, field) => {
    const { client } = await someone();
    const answer = await client.put(email, { currentPassword: memberPassword, ...change });
    const { issues } = problemOf(answer, 400, "BAD_REQUEST");
    expect(new Set(issues?.map(({ path }) => path[0]))).toEqual(new Set([field]));
  });
});

describe("a wrong current password", () => {
  test("a wrong current password changes nothing, and after five of them even the right one must wait", async () => {
    const { username, client } = await someone("guessed@example.com");
    const attempts = Array.from({ length: 12 }, async (_, index) => {
      const currentPassword = `a wrong password ${index}`;
      return index % 2 === 0
        ? await client.put(password, { currentPassword, newPassword })
        : await client.put(email, { currentPassword, email: "thief@example.com" });
    });
    const tries = await Promise.all(attempts);
    const wrong = tries.filter(({ status }) => status === 403);
    expect(wrong).toHaveLength(5);
    for (const answer of wrong) {
      expect(problemOf(answer, 403, "FORBIDDEN").issues).toMatchObject([{ path: ["currentPassword"] }]);
    }
    for (const answer of tries.filter(({ status }) => status !== 403)) {
      expect(answer).toBeProblem(429, "TOO_MANY_REQUESTS");
    }
    const right = await client.put(password, { currentPassword: memberPassword, newPassword });
    expect(right).toBeProblem(429, "TOO_MANY_REQUESTS");
    expect((await client.get("/api/auth/me")).body).toMatchObject({ username, email: "guessed@example.com" });
  });

  test("a wrong current password is audited with its user", async () => {
    const { client } = await someone();
    const { body: me } = await client.get("/api/auth/me");
    const refused = await client.put(password, { currentPassword: "a wrong password", newPassword });
    expect(refused).toBeProblem(403, "FORBIDDEN");
    const [newest] = await entries(zw.admin, { action: "auth.confirmation_failed" });
    expect(newest).toMatchObject({
      actorId: me.id,
      targetType: "user",
      targetId: me.id,
      requestId: refused.headers.get("x-request-id"),
      before: null,
      after: null,
    });
  });
});
