import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "kysely";
import { queries } from "../../../server/database/database.ts";
import { problemOf } from "../../support/problems.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";
import { entries } from "./trail.ts";

const zw = useZonewright();

const firstSecret = "dGhlIGZpcnN0IHNlY3JldCBvZiB0aGUga2V5IGhlcmU=";
const tsigConfig = { server: "192.0.2.53", tsigName: "zonewright.key", tsigSecret: firstSecret };

let admin: string;
let ada: RestClient;
let adaId: string;
let domain: string;

beforeAll(async () => {
  admin = (await zw.admin.get("/api/auth/me")).body.id;
  ada = await zw.member("ada");
  adaId = (await ada.get("/api/auth/me")).body.id;
  domain = (await zw.admin.post("/api/domains", { name: "audit.example" })).body.id;
});

function login(username: string, password: string, headers?: Record<string, string>): Promise<Answer> {
  return zw.nobody.post("/api/auth/login", { username, password }, headers);
}

/** Everything in the table, as text. */
async function wholeTable(): Promise<string> {
  const { rows } = await sql<{ row: string }>`select to_json(audit_entries)::text as row from audit_entries`.execute(
    queries(zw.services.database.fork()),
  );
  return rows.map(({ row }) => row).join("\n");
}

describe("audit entries of sign-ins", () => {
  test("a failed sign-in is audited with the targeted user and no actor, and an unknown name is not stored", async () => {
    const wrong = await login("Ada", "not the password of ada");
    const unknown = await login("my-secret-password-typed-as-a-name", "x");
    const [newest, before] = await entries(zw.admin, { action: "auth.sign_in_failed" });
    expect(newest).toMatchObject({
      actorId: null,
      targetType: "user",
      targetId: null,
      requestId: unknown.headers.get("x-request-id"),
      ip: "127.0.0.1",
    });
    expect(before).toMatchObject({ actorId: null, targetId: adaId, requestId: wrong.headers.get("x-request-id") });
    const table = await wholeTable();
    expect(table).not.toContain("not the password of ada");
    expect(table).not.toContain("my-secret-password");
  });

  test("sign-in and sign-out are audited with user and session", async () => {
    const { body } = await login("ada", memberPassword);
    await new RestClient(zw.url, body.accessToken).post("/api/auth/logout");
    const [signOut] = await entries(zw.admin, { action: "auth.sign_out" });
    const [signIn] = await entries(zw.admin, { action: "auth.sign_in" });
    expect(signIn).toMatchObject({ actorId: adaId, targetType: "session", after: { method: "password" } });
    expect(signOut).toMatchObject({ actorId: adaId, targetType: "session", targetId: signIn?.targetId });
  });

  test("reuse of a rotated refresh token is audited", async () => {
    const { body } = await login("ada", memberPassword);
    const refresh = (refreshToken: string) => zw.nobody.post("/api/auth/refresh", { refreshToken });
    const second = await refresh(body.refreshToken);
    await refresh(second.body.refreshToken);
    const reuse = await refresh(body.refreshToken);
    expect(reuse.status).toBe(401);
    const [entry] = await entries(zw.admin, { action: "auth.refresh_reused" });
    const requestId = reuse.headers.get("x-request-id");
    expect(entry).toMatchObject({ actorId: null, targetType: "session", after: { userId: adaId }, requestId });
  });

  test("audit entries have the trusted client address, not one from a forgeable header", async () => {
    const { headers } = await login("admin", adminPassword, {
      "x-forwarded-for": "203.0.113.66",
      forwarded: "for=203.0.113.66",
      "x-real-ip": "203.0.113.66",
    });
    const [entry] = await entries(zw.admin, { action: "auth.sign_in" });
    expect(entry).toMatchObject({ requestId: headers.get("x-request-id"), ip: "127.0.0.1" });
  });
});

describe("audit entries of changes", () => {
  test("a domain change is audited with only the changed fields before and after, and a change of nothing is not audited", async () => {
    await zw.admin.put(`/api/domains/${domain}`, { groupName: "shop", tags: ["a"] });
    await zw.admin.put(`/api/domains/${domain}`, { groupName: "shop", notes: "new" });
    await zw.admin.put(`/api/domains/${domain}`, { groupName: "shop", notes: "new" });
    const [second, first, ...others] = await entries(zw.admin, { action: "domain.update", targetId: domain });
    expect(first).toMatchObject({ before: { groupName: null, tags: [] }, after: { groupName: "shop", tags: ["a"] } });
    expect(second).toMatchObject({ actorId: admin, before: { notes: null }, after: { notes: "new" } });
    expect(others).toEqual([]);
  });

  test("a domain's move is audited with both providers", async () => {
    const { body } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Elsewhere" });
    const zone = (await zw.admin.post("/api/domains", { name: "moving.example" })).body;
    await zw.admin.put(`/api/domains/${zone.id}`, { providerConfigId: body.id });
    expect(await entries(zw.admin, { action: "domain.move" })).toMatchObject([
      { targetId: zone.id, before: { providerConfigId: zone.providerConfigId }, after: { providerConfigId: body.id } },
    ]);
  });

  test("a record change is audited as one entry per change set, with counts, history id and records", async () => {
    const records = [1, 2, 3].map((host) => ({ recordType: "A", name: `set-${host}`, value: `192.0.2.${host}` }));
    const { body } = await zw.admin.post(`/api/domains/${domain}/records/bulk`, { records });
    const [bulk] = await entries(zw.admin, { action: "records.bulk", targetId: domain });
    const { body: history } = await zw.admin.get(`/api/domains/${domain}/history?limit=1`);
    expect(bulk).toMatchObject({
      actorId: admin,
      before: { records: [] },
      after: { changeSetId: history.entries[0].id, creates: 3, updates: 0, deletes: 0, failures: 0, records },
    });
    const id: string = body.results[0].id;
    await zw.admin.put(`/api/domains/${domain}/records/${id}`, { value: "192.0.2.9" });
    const [edit] = await entries(zw.admin, { action: "records.edit", targetId: domain });
    expect(edit).toMatchObject({
      before: { records: [{ id, value: "192.0.2.1" }] },
      after: { updates: 1, records: [{ id, value: "192.0.2.9" }] },
    });
  });

  test("a large record change is audited with its first hundred records", async () => {
    const zonefile = Array.from({ length: 150 }, (_, host) => `many-${host} 60 A 192.0.2.1`).join("\n");
    await zw.admin.post(`/api/domains/${domain}/zonefile`, { zonefile: `${zonefile}\n`, mode: "merge" });
    const [entry] = await entries(zw.admin, { action: "records.import", targetId: domain });
    expect(entry?.after).toMatchObject({ creates: 150 });
    expect(entry?.after?.["records"]).toHaveLength(100);
  });

  test("audit entries of a provider configuration never contain secrets, only that one was set", async () => {
    const { body } = await zw.admin.post("/api/provider-configs", {
      kind: "rfc2136",
      name: "BIND",
      config: tsigConfig,
    });
    const path = `/api/provider-configs/${body.id}`;
    const other = "YW5vdGhlciBzZWNyZXQgb2YgdGhlIHNhbWUga2luZCE=";
    expect((await zw.admin.put(path, { config: { ...tsigConfig, tsigSecret: other } })).status).toBe(200);
    expect((await zw.admin.delete(path)).status).toBe(200);
    const [deleted, updated, created] = await entries(zw.admin, { targetType: "provider_config", targetId: body.id });
    expect(created).toMatchObject({ action: "provider_config.create", before: null, after: { name: "BIND" } });
    expect(updated).toMatchObject({ action: "provider_config.update", after: { secretsSet: ["tsigSecret"] } });
    expect(deleted).toMatchObject({ action: "provider_config.delete", before: { name: "BIND" }, after: null });
    const table = await wholeTable();
    for (const secret of [firstSecret, other]) expect(table).not.toContain(secret);
  });
});

describe("the audit list", () => {
  test("only administrators can list the audit trail", async () => {
    expect(problemOf(await ada.get("/api/audit"), 403, "FORBIDDEN").detail).toContain("administrator");
    expect(problemOf(await zw.nobody.get("/api/audit"), 401, "UNAUTHORIZED").issues).toBeNull();
  });

  test("the audit list is newest first, and its pages fit together", async () => {
    const { body } = await zw.admin.get("/api/audit?limit=100");
    const ids = body.entries.map(({ id }: { id: string }) => id);
    const moments = body.entries.map(({ at }: { at: string }) => at);
    expect(moments).toEqual(moments.toSorted().toReversed());
    expect(body).toMatchObject({ total: ids.length, page: 1, limit: 100 });
    const paged: string[] = [];
    for (let page = 1; paged.length < ids.length; page++) {
      const { body } = await zw.admin.get(`/api/audit?limit=7&page=${page}`);
      paged.push(...body.entries.map(({ id }: { id: string }) => id));
    }
    expect(paged).toEqual(ids);
  });

  test("each audit filter returns exactly the matching entries, and filters combine", async () => {
    const all = await entries(zw.admin);
    const newest = all[0]?.at ?? "";
    const middle = all[Math.floor(all.length / 2)]?.at ?? "";
    const filters: [filter: Record<string, string>, fits: (entry: (typeof all)[number]) => boolean][] = [
      [{ actorId: adaId }, ({ actorId }) => actorId === adaId],
      [{ actorName: "ADA" }, ({ actorId }) => actorId === adaId],
      [{ action: "domain.update" }, ({ action }) => action === "domain.update"],
      [{ targetType: "session" }, ({ targetType }) => targetType === "session"],
      [{ targetId: domain.toUpperCase() }, ({ targetId }) => targetId === domain],
      [{ from: middle }, ({ at }) => at >= middle],
      [{ to: middle }, ({ at }) => at < middle],
      [
        { actorId: admin, targetType: "domain", action: "domain.update", to: newest },
        ({ actorId, action, at }) => actorId === admin && action === "domain.update" && at < newest,
      ],
    ];
    for (const [filter, fits] of filters) {
      const found = await entries(zw.admin, filter);
      expect(found).toEqual(all.filter(fits));
      expect({ filter, found: found.length > 0 && found.length < all.length }).toEqual({ filter, found: true });
    }
  });

  test.each([
    ["actor", "actor_id = '01a1fb0f-6204-7000-abd4-276e976be8b7'"],
    ["action", "action = 'domain.update'"],
    ["target type", "target_type = 'domain'"],
    ["target", "target_id = '01a1fb0f-6204-7000-abd4-276e976be8b7'"],
    // A day without entries, whenever this runs.
    ["time", "at >= '2001-01-01' and at < '2001-01-02'"],
  ])("the audit list filtered by %s reads an index in list order", async (what, condition) => {
    const em = zw.services.database.fork();
    let plan: { rows: { "QUERY PLAN": string }[] } = { rows: [] };
    const looking = em.transactional(async (tx) => {
      const db = queries(tx);
      // On a small table a scan by time alone is as cheap; the rollback restores the dropped index.
      if (what !== "time") await sql`drop index audit_entries_at_idx`.execute(db);
      // On a small table the planner would scan everything; this checks whether it has an alternative.
      await sql`set local enable_seqscan = off`.execute(db);
      await sql`set local enable_bitmapscan = off`.execute(db);
      plan = await sql<{
        "QUERY PLAN": string;
      }>`explain select * from audit_entries where ${sql.raw(condition)} order by at desc, id desc limit 50`.execute(
        db,
      );
      throw new Error("seen");
    });
    await expect(looking).rejects.toThrow("seen");
    const text = plan.rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).toMatch(/Index Scan Backward using audit_entries_\w+_idx/);
    expect(text).toMatch(/Index Cond/);
    expect(text).not.toMatch(/Sort|Filter/);
  });
});
