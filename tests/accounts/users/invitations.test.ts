import { describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { Clock, hour } from "../../support/clock.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ realHashes: true, now: clock.now });
const password = "a password that nobody else has";

async function invite(fields: Record<string, unknown> = {}) {
  const { status, body } = await zw.admin.post("/api/invitations", fields);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { id: string; code: string };
}

let count = 0;
function register(inviteCode: string, fields: Record<string, unknown> = {}) {
  return zw.nobody.post("/api/auth/register", { inviteCode, username: `guest-${++count}`, password, ...fields });
}

test("an invitation code creates an account with the invitation's role and signs it in", async () => {
  const { code } = await invite({ role: "admin" });
  const { status, headers, body } = await register(code, { username: "Grace", email: "grace@example.com" });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      user: { id: expect.any(String), username: "Grace", email: "grace@example.com", role: "admin" },
    },
  });
  expect(headers.getSetCookie()[0]).toMatch(/^refresh_token=.+; Path=\/api; HttpOnly; SameSite=Lax$/);
  expect((await zw.nobody.get("/api/auth/me", { authorization: `Bearer ${body.accessToken}` })).status).toBe(200);
  expect((await zw.signIn("grace", password)).token).toEqual(expect.any(String));
});

test("an invitation code is shown once and stored as a hash", async () => {
  const { id, code } = await invite({ maxUses: 3 });
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(?:-[0-9A-HJKMNP-TV-Z]{1,5}){5}$/);
  const { body } = await zw.admin.get("/api/invitations?limit=100");
  const listed = body.invitations.find((invitation: { id: string }) => invitation.id === id);
  expect(listed).toEqual({
    id,
    role: "member",
    maxUses: 3,
    uses: 0,
    state: "open",
    expiresAt: null,
    createdBy: expect.any(String),
    createdAt: expect.any(String),
  });
  const em = zw.services.database.fork();
  const stored = JSON.stringify([
    await queries(em).selectFrom("invitations").selectAll().execute(),
    await queries(em).selectFrom("audit_entries").selectAll().execute(),
  ]);
  expect(stored).not.toContain(code);
});

test("an invitation code works only as often as it allows, even for concurrent registrations", async () => {
  const { id, code } = await invite({ maxUses: 2 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(code)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toBeProblem(400, "BAD_REQUEST");
    expect(answer.body.issues).toMatchObject([{ path: ["inviteCode"] }]);
  }
  const { body } = await zw.admin.get("/api/invitations?limit=100");
  expect(body.invitations.find((invitation: { id: string }) => invitation.id === id).uses).toBe(2);
});

test("a registration refused for its username does not use up the invitation", async () => {
  const { code } = await invite();
  expect(await register(code, { username: "ADMIN" })).toBeProblem(409, "CONFLICT");
  expect((await register(code)).status).toBe(201);
});

test("an invitation code may be typed in lower case, without hyphens, and with letters for digits", async () => {
  const { code } = await invite({ maxUses: 2 });
  const typed = code.replaceAll("-", " ").toLowerCase().replaceAll("0", "o").replaceAll("1", "l");
  expect((await register(typed)).status).toBe(201);
});

test("unknown invitation codes cost no hashing: of sixty concurrent ones, each is refused as invalid", async () => {
  const account = { username: "stranger", password: "a password that nobody else has" };
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      zw.nobody.post("/api/auth/register", { inviteCode: `MADE-UP-${index}`, ...account }),
    ),
  );
  for (const answer of answers) expect(answer).toBeProblem(400, "BAD_REQUEST");
});

test("expired, withdrawn and unknown invitation codes are refused with the same message", async () => {
  const expired = await invite({ expiresAt: new Date(clock.now().getTime() + hour).toISOString() });
  const withdrawn = await invite();
  clock.advance(2 * hour);
  const admin = await zw.signIn("admin", "correct horse battery staple");
  expect((await admin.delete(`/api/invitations/${withdrawn.id}`)).status).toBe(200);
  expect(await admin.delete(`/api/invitations/${withdrawn.id}`)).toBeProblem(404, "NOT_FOUND");
  const answers = [await register(expired.code), await register(withdrawn.code), await register("ABCDE-FGHJK")];
  for (const answer of answers) expect(answer).toBeProblem(400, "BAD_REQUEST");
  expect(new Set(answers.map(({ body }) => body.detail)).size).toBe(1);
  zw.admin.token = admin.token;
});

test.each([
  ["no uses", { maxUses: 0 }],
  ["an expiry in the past", { expiresAt: "2020-01-01T00:00:00Z" }],
  ["an unknown role", { role: "owner" }],
])("an invitation with %s is refused", async (_, fields) => {
  expect(await zw.admin.post("/api/invitations", fields)).toBeProblem(400, "BAD_REQUEST");
});

async function stateOf(id: string) {
  const { body } = await zw.admin.get("/api/invitations?limit=100");
  return body.invitations.find((invitation: { id: string }) => invitation.id === id).state as string;
}

describe("an invitation ends when its creator loses the right to invite", () => {
  let makers = 0;

  async function madeByAnother(fields: Record<string, unknown> = {}) {
    const username = `maker-${(makers += 1)}`;
    const { body: maker } = await zw.admin.post("/api/users", { username, password, role: "admin" });
    const { status, body } = await (await zw.signIn(username, password)).post("/api/invitations", fields);
    expect(status).toBe(201);
    return { maker: maker as { id: string }, code: body.code as string, id: body.id as string };
  }

  test.each<[string, (path: string) => Promise<{ status: number }>]>([
    ["deleted", (path) => zw.admin.delete(path)],
    ["demoted", (path) => zw.admin.put(path, { role: "member" })],
    ["disabled", (path) => zw.admin.put(path, { disabled: true })],
  ])("an invitation whose creator is %s cannot be used, and is listed as ended", async (_what, lose) => {
    const { maker, code, id } = await madeByAnother({ role: "admin", maxUses: 5 });
    expect((await register(code)).status).toBe(201);
    expect(await stateOf(id)).toBe("open");
    expect((await lose(`/api/users/${maker.id}`)).status).toBe(200);
    const answer = await register(code);
    expect(answer).toBeProblem(400, "BAD_REQUEST");
    expect(answer.body.issues).toMatchObject([{ path: ["inviteCode"] }]);
    expect(await stateOf(id)).toBe("ended");
    const { body: trail } = await zw.admin.get(`/api/audit?targetId=${maker.id}&limit=1`);
    expect(trail.entries[0].after).toMatchObject({ invitationsEnded: 1 });
  });

  test("an ended invitation stays ended when its creator regains the right to invite", async () => {
    const { maker, code, id } = await madeByAnother();
    await zw.admin.put(`/api/users/${maker.id}`, { role: "member" });
    await zw.admin.put(`/api/users/${maker.id}`, { role: "admin" });
    expect(await register(code)).toBeProblem(400, "BAD_REQUEST");
    expect(await stateOf(id)).toBe("ended");
  });

  test("other changes to an invitation's creator do not end it", async () => {
    const { maker, code } = await madeByAnother();
    await zw.admin.put(`/api/users/${maker.id}`, { displayName: "Maker", role: "admin", disabled: false });
    expect((await register(code)).status).toBe(201);
  });

  test("an invitation is never usable after its creator is disabled, even with concurrent registrations", async () => {
    const { maker, code, id } = await madeByAnother({ maxUses: 20 });
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => register(code)),
      zw.admin.put(`/api/users/${maker.id}`, { disabled: true }),
      ...Array.from({ length: 4 }, () => register(code)),
    ]);
    const inTime = answers.filter(({ status }) => status === 201).length;
    expect(await register(code)).toBeProblem(400, "BAD_REQUEST");
    const { body } = await zw.admin.get("/api/invitations?limit=100");
    expect(body.invitations.find((invitation: { id: string }) => invitation.id === id).uses).toBe(inTime);
  });
});

test("the list of invitations distinguishes open, used-up and expired ones", async () => {
  const used = await invite();
  await register(used.code);
  const soon = await invite({ expiresAt: new Date(clock.now().getTime() + hour).toISOString() });
  const open = await invite();
  clock.advance(2 * hour);
  const admin = await zw.signIn("admin", "correct horse battery staple");
  zw.admin.token = admin.token;
  const { body } = await zw.admin.get("/api/invitations?limit=100");
  const states = new Map(body.invitations.map(({ id, state }: { id: string; state: string }) => [id, state]));
  expect([used, soon, open].map(({ id }) => states.get(id))).toEqual(["used_up", "expired", "open"]);
});
