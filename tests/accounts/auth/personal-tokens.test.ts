import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { isWellFormed, newToken } from "../../../server/access/authenticator.ts";
import { queries } from "../../../server/database/database.ts";
import { Clock, day, minute } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now, env: { TOKEN_PREFIX: "acme" } });
const path = "/api/auth/me/tokens";

let ada: RestClient;
let bob: RestClient;
beforeAll(async () => {
  ada = await zw.member("ada");
  bob = await zw.member("bob");
});

async function make(owner: RestClient, wish: object = {}): Promise<{ id: string; token: string; client: RestClient }> {
  const { status, body } = await owner.post(path, { name: "Backup", permissions: ["domains:read"], ...wish });
  expect(status).toBe(201);
  return { id: body.id, token: body.token, client: new RestClient(zw.url, body.token) };
}

const domains = (client: RestClient): Promise<Answer> => client.get("/api/v1/domains");
const listed = async (owner: RestClient, id: string) =>
  (await owner.get(path)).body.tokens.find((token: { id: string }) => token.id === id);
const trail = async (targetId: string) =>
  await queries(zw.services.database.fork())
    .selectFrom("audit_entries")
    .select(["action", "target_type", "actor_id", "token_id", "before", "after", "request_id", "ip"])
    .where("target_id", "=", targetId)
    .orderBy("id")
    .execute();

describe("the format of personal tokens", () => {
  test("a personal token has the prefix, at least 160 random bits and a checksum, and is always unique", () => {
    const tokens = Array.from({ length: 1_000 }, () => newToken("zw"));
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) {
      expect(token).toMatch(/^zw_pt_[0-9A-Za-z]{30}[0-9A-Za-z]{6}$/);
      expect(isWellFormed(token, "zw")).toBe(true);
    }
    expect(30 * Math.log2(62)).toBeGreaterThan(160);
  });

  test("a personal token with a wrong, missing, extra or swapped character, or another prefix, is not well-formed", () => {
    const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    fc.assert(
      fc.property(fc.nat(35), fc.nat(61), (at, letter) => {
        const token = newToken("zw");
        const place = "zw_pt_".length + at;
        const mistyped = token.slice(0, place) + letters.charAt(letter) + token.slice(place + 1);
        const swapped = token.slice(0, place) + token.charAt(place + 1) + token.charAt(place) + token.slice(place + 2);
        const others = [mistyped, swapped, token.slice(0, place) + token.slice(place + 1), `${token}0`, ` ${token}`];
        expect(others.filter((other) => other !== token && isWellFormed(other, "zw"))).toEqual([]);
        expect(isWellFormed(token, "zx")).toBe(false);
        expect(isWellFormed(token.replace("zw", "zx"), "zx")).toBe(false);
      }),
    );
  });
});

describe("a personal token", () => {
  test("a personal token is shown only when it is created, and stored only as a hash", async () => {
    const { status, body } = await ada.post(path, { name: "Backup", permissions: ["records:read", "records:read"] });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^acme_pt_[0-9A-Za-z]{36}$/),
      name: "Backup",
      permissions: ["records:read"],
      domainIds: null,
      hostPattern: null,
      recordTypes: null,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: null,
      lastUsedAt: null,
    });
    const { token, ...shown } = body;
    const { body: list, headers } = await ada.get(path);
    expect(list.tokens[0]).toEqual(shown);
    expect(headers.get("cache-control")).toBe("no-store");
    const db = queries(zw.services.database.fork());
    const rows = await db.selectFrom("personal_tokens").selectAll().where("id", "=", body.id).execute();
    expect(rows[0]?.token_hash).toBe(createHash("sha256").update(token).digest("base64url"));
    const everything = [rows, await db.selectFrom("audit_entries").selectAll().execute()];
    expect(JSON.stringify(everything)).not.toContain(token.slice("acme_pt_".length));
  });

  test("a personal token works on /api, /api/v1 and tRPC, as its owner", async () => {
    const { client } = await make(ada, { permissions: ["domains:read", "domains:write"] });
    const { body: config } = await zw.admin.post("/api/provider-configs", {
      kind: "manual",
      name: "For tokens",
      membersMayUse: true,
    });
    const created = await client.post("/api/domains", { name: "token.example", providerConfigId: config.id });
    expect(created.status).toBe(201);
    const me = (await ada.get("/api/auth/me")).body;
    expect(created.body.ownerId).toBe(me.id);
    expect((await client.get(`/api/v1/domains/${created.body.id}`)).status).toBe(200);
    expect((await client.get("/trpc/domains.list")).status).toBe(200);
    const { body: admins } = await zw.admin.post("/api/domains", { name: "admin.example" });
    expect(await client.get(`/api/domains/${admins.id}`)).toBeProblem(404, "NOT_FOUND");
  });

  test("a personal token reads its owner, name, permissions and expiry, and nothing else of the account", async () => {
    const wish = { name: "Renewals", permissions: ["audit:read"], expiresAt: "2031-12-31T00:00:00.000Z" };
    const { id, client } = await make(ada, wish);
    const { id: userId } = (await ada.get("/api/auth/me")).body;
    const { status, body, headers } = await client.get("/api/auth/me/token");
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        user: { id: userId, username: "ada", role: "member" },
        // Only administrators and auditors read the audit trail.
        permissions: [],
        token: { ...(await listed(ada, id)), lastUsedAt: body.token.lastUsedAt },
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("a personal token gets an error that names the missing permission, or says that no token is accepted", async () => {
    const { client } = await make(ada);
    expect(problemOf(await client.post("/api/domains", {}), 403, "FORBIDDEN").detail).toContain("domains:write");
    const answers = [
      await client.get("/api/auth/me"),
      await client.get(path),
      await client.post(path, { name: "More", permissions: [] }),
      await client.delete(`${path}/${crypto.randomUUID()}`),
      await client.put("/api/auth/me/password", { currentPassword: "x", newPassword: "correct horse battery" }),
      await client.get("/api/users"),
    ];
    for (const answer of answers)
      expect(problemOf(answer, 403, "FORBIDDEN").detail).toContain("does not accept personal tokens");
  });

  test("a personal token that is mistyped, from another installation or made up is refused", async () => {
    const { token } = await make(ada);
    const mistyped = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
    for (const bearer of [
      mistyped,
      token.slice(0, -1),
      token.toUpperCase(),
      newToken("zw"),
      newToken("acme"),
      "_pt_",
    ]) {
      expect(await domains(new RestClient(zw.url, bearer))).toBeProblem(401, "UNAUTHORIZED");
    }
  });

  test("a personal token stops working immediately when it is deleted", async () => {
    const { id, client } = await make(ada);
    expect((await domains(client)).status).toBe(200);
    expect(await ada.delete(`${path}/${id}`)).toMatchObject({ status: 200, body: { success: true } });
    expect(await domains(client)).toBeProblem(401, "UNAUTHORIZED");
    expect(await ada.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
    expect(await listed(ada, id)).toBeUndefined();
  });

  test("another user's personal token is neither listed nor deleted, even for an administrator", async () => {
    const { id, client } = await make(ada);
    for (const other of [bob, zw.admin]) {
      expect(await listed(other, id)).toBeUndefined();
      expect(await other.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
    }
    expect((await domains(client)).status).toBe(200);
  });

  test("a personal token works until the moment it expires, even if it was just used", async () => {
    const expiresAt = new Date(clock.now().getTime() + 5 * minute).toISOString();
    const { id, client } = await make(ada, { expiresAt });
    expect((await listed(ada, id)).expiresAt).toBe(expiresAt);
    expect((await domains(client)).status).toBe(200);
    await clock.ahead(5 * minute, async () => {
      expect(await domains(client)).toBeProblem(401, "UNAUTHORIZED");
      expect((await listed(ada, id)).expiresAt).toBe(expiresAt);
    });
  });

  test("a personal token is refused while its owner is disabled, and permanently after the owner is deleted", async () => {
    const leaving = await zw.member("leaving");
    const { id } = (await leaving.get("/api/auth/me")).body;
    const { client } = await make(leaving);
    expect((await domains(client)).status).toBe(200);
    expect((await zw.admin.put(`/api/users/${id}`, { disabled: true })).status).toBe(200);
    expect(await domains(client)).toBeProblem(401, "UNAUTHORIZED");
    expect((await zw.admin.put(`/api/users/${id}`, { disabled: false })).status).toBe(200);
    expect((await domains(client)).status).toBe(200);
    expect((await zw.admin.delete(`/api/users/${id}`)).status).toBe(200);
    expect(await domains(client)).toBeProblem(401, "UNAUTHORIZED");
  });

  test("a personal token loses administrator rights immediately when its owner is demoted", async () => {
    const second = await zw.member("second");
    const { id } = (await second.get("/api/auth/me")).body;
    await zw.admin.put(`/api/users/${id}`, { role: "admin" });
    const { client } = await make(second);
    const { body: domain } = await zw.admin.post("/api/domains", { name: "demoted.example" });
    expect((await client.get(`/api/domains/${domain.id}`)).status).toBe(200);
    await zw.admin.put(`/api/users/${id}`, { role: "member" });
    expect(await client.get(`/api/domains/${domain.id}`)).toBeProblem(404, "NOT_FOUND");
  });

  test("a personal token lists when it was last used, to within five minutes", async () => {
    const { id, client } = await make(bob);
    const before = clock.now().getTime();
    await domains(client);
    const first = await vi.waitFor(async () => {
      const { lastUsedAt } = await listed(bob, id);
      expect(lastUsedAt).not.toBeNull();
      return lastUsedAt as string;
    }, patience);
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before);
    // A cached token is trusted for a second of real time.
    const usedAgain = async () => {
      zw.services.authenticator.forget((await bob.get("/api/auth/me")).body.id);
      expect((await domains(client)).status).toBe(200);
      await zw.services.background.settled();
      return (await listed(bob, id)).lastUsedAt as string;
    };
    clock.advance(4 * minute);
    expect(await usedAgain()).toBe(first);
    clock.advance(minute);
    expect(Date.parse(await usedAgain())).toBeGreaterThanOrEqual(before + 5 * minute);
  });

  test("creating and deleting a personal token is audited with its owner", async () => {
    const { id } = await make(ada, { expiresAt: new Date(clock.now().getTime() + day).toISOString() });
    await ada.delete(`${path}/${id}`);
    const me = (await ada.get("/api/auth/me")).body;
    const what = { name: "Backup", permissions: ["domains:read"], expiresAt: expect.stringMatching(/Z$/) };
    const who = { actor_id: me.id, token_id: null, target_type: "token", ip: expect.any(String) };
    expect(await trail(id)).toMatchObject([
      { action: "token.create", before: null, after: what, ...who },
      { action: "token.delete", before: what, after: null, ...who },
    ]);
  });
});

describe("creating a personal token", () => {
  test.each<[string, object, (string | number)[]]>([
    ["without a name", { permissions: [] }, ["name"]],
    ["with an empty name", { name: "", permissions: [] }, ["name"]],
    ["without permissions", { name: "x" }, ["permissions"]],
    ["with an unknown permission", { name: "x", permissions: ["domains:read", "users:write"] }, ["permissions", 1]],
    ["with a string of permissions", { name: "x", permissions: "all" }, ["permissions"]],
    ["with an expiry in the past", { name: "x", permissions: [], expiresAt: "2020-01-01T00:00:00Z" }, ["expiresAt"]],
    ["with an invalid expiry", { name: "x", permissions: [], expiresAt: "tomorrow" }, ["expiresAt"]],
    ["with a chosen token", { name: "x", permissions: [], token: "acme_pt_x" }, ["token"]],
  ])("creating a personal token %s is refused", async (_what, body, place) => {
    const { issues } = problemOf(await ada.post(path, body), 400, "BAD_REQUEST");
    expect(issues?.map((issue) => issue.path)).toContainEqual(place);
  });

  test("a user can have a hundred personal tokens, even with concurrent requests", async () => {
    const many = await zw.member("collector");
    const wish = { name: "One of many", permissions: [] };
    const answers = await Promise.all(Array.from({ length: 110 }, () => many.post(path, wish)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(problemOf(answer, 409, "CONFLICT").detail).toMatch(/100 personal tokens.+Delete/);
    }
    const { tokens } = (await many.get(path)).body;
    expect(tokens).toHaveLength(100);
    await many.delete(`${path}/${tokens[0].id}`);
    expect((await many.post(path, wish)).status).toBe(201);
    expect((await ada.post(path, wish)).status).toBe(201);
  });
});
