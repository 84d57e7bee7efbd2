import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Caller } from "../../../server/access/caller.ts";
import { deleteExpired } from "../../../server/composition/job-list.ts";
import { queries } from "../../../server/database/database.ts";
import { tsigAlgorithms } from "../../../server/dns/wire/tsig.ts";
import { assign, idOf } from "../assignments/assigned.ts";
import { entries } from "../../notifications/audit/trail.ts";
import { Clock, day, hour, minute } from "../../support/clock.ts";
import { patience } from "../../support/patience.ts";
import { problemOf } from "../../support/problems.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { adminPassword, memberPassword, useZonewright } from "../../support/zonewright.ts";
import { manualZone, unknownId, type Body, type Zone } from "../../support/zones.ts";

const clock = new Clock();
const zw = useZonewright({ now: clock.now });
const path = "/api/auth/me/tsig-keys";

let ada: RestClient;
let bob: RestClient;
let zone: Zone;
beforeAll(async () => {
  ada = await zw.member("ada");
  bob = await zw.member("bob");
  zone = await manualZone(zw);
  await assign(zw, ada, zone.id, "*");
});
// The clock moves on: each test begins with confirmed sessions.
beforeEach(async () => {
  ada = await zw.signIn("ada", memberPassword);
  bob = await zw.signIn("bob", memberPassword);
  zw.admin.token = (await zw.signIn("admin", adminPassword)).token;
});

const ask = (owner: RestClient, wish: object = {}) => owner.post(path, { domainId: zone.id, ...wish });

async function make(owner: RestClient, wish: object = {}): Promise<Body> {
  const { status, body } = await ask(owner, wish);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

const named = (keyName: string) => zw.services.tsigKeyCredentials.named(keyName);

/** Returns the caller that a message signed with the key has. */
async function callerOf(keyName: string): Promise<Caller> {
  const known = await named(keyName);
  if (!known) throw new Error(`${keyName} signs nothing.`);
  return known.callerAt("192.0.2.53");
}

async function create(caller: Caller, recordType: string, name: string, value: string) {
  const record = { id: zone.id, recordType, name, value } as Parameters<typeof zw.services.records.create>[2];
  return await zw.services.records.create(zw.services.database.fork(), caller, record);
}

const listed = async (owner: RestClient, id: string): Promise<Body> =>
  (await owner.get(path)).body.keys.find((key: Body) => key.id === id);

const note = (known: { id: string }, from: string, error: string | null) =>
  zw.services.tsigKeyCredentials.noteUse(known, from, error);
/** Waits until something that is written in the background can be seen. */
const seen = (check: () => Promise<void>) => vi.waitFor(check, patience);

describe("creating a TSIG key", () => {
  test("a TSIG key shows its secret only when it is created, and is stored encrypted", async () => {
    const body = await make(ada, { name: "certbot", hostPattern: "_ACME-challenge*", recordTypes: ["txt", "TXT"] });
    expect(body).toEqual({
      id: expect.any(String),
      secret: expect.any(String),
      name: "certbot",
      keyName: expect.stringMatching(/^zw-[a-z2-7]{13}$/),
      algorithm: "hmac-sha256",
      domainId: zone.id,
      domainName: zone.name,
      hostPattern: "_acme-challenge*",
      recordTypes: ["TXT"],
      access: "update",
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: null,
      lastUsedAt: null,
      lastUsedFrom: null,
      lastError: null,
      lastErrorAt: null,
    });
    const { secret, ...shown } = body;
    expect((await ada.get(path)).body.keys[0]).toEqual(shown);
    expect((await named(body["keyName"]))?.tsig.secret.toString("base64")).toBe(secret);
    const db = queries(zw.services.database.fork());
    const everything = [
      await db.selectFrom("tsig_keys").selectAll().execute(),
      await db.selectFrom("audit_entries").selectAll().execute(),
    ];
    expect(JSON.stringify(everything)).not.toContain(secret);
  });

  test("a TSIG key has as many octets of secret as its hash", async () => {
    for (const [algorithm, octets] of [
      ["hmac-sha1", 20],
      ["hmac-sha256", 32],
      ["hmac-sha384", 48],
      ["hmac-sha512", 64],
    ] as const) {
      const { secret, keyName } = await make(ada, { algorithm });
      expect(Buffer.from(secret, "base64")).toHaveLength(octets);
      expect((await named(keyName))?.tsig).toMatchObject({ name: keyName, algorithm });
    }
    expect(tsigAlgorithms).toHaveLength(4);
  });

  test("key names carry 64 random bits, and nothing of what the key is for", async () => {
    expect(13 * Math.log2(32)).toBeGreaterThanOrEqual(64);
    // Too long to be part of a key's name by chance.
    const [one, other] = [await make(ada, { name: "deployment" }), await make(ada, { name: "deployment" })];
    expect(one["keyName"]).not.toBe(other["keyName"]);
    expect(one["keyName"]).not.toContain("deployment");
  });

  test.each<[string, object, string]>([
    ["an unknown algorithm", { algorithm: "hmac-md5" }, "algorithm"],
    ["an unknown access", { access: "write" }, "access"],
    ["a pattern that ends in the domain's name", { hostPattern: "*.$ZONE" }, "hostPattern"],
    ["an empty label in its pattern", { hostPattern: "a..b" }, "hostPattern"],
    ["a type that there is not", { recordTypes: ["NOPE!"] }, "recordTypes[0]"],
    ["an expiry in the past", { expiresAt: "1999-01-01T00:00:00Z" }, "expiresAt"],
    ["a line break in its name", { name: "a\nb" }, "name"],
    ["an unknown domain", { domainId: unknownId }, "domainId"],
    ["an unknown field", { zone: "x" }, "zone"],
  ])("a TSIG key with %s is refused at that field", async (_what, wish, field) => {
    const sent = JSON.parse(JSON.stringify(wish).replace("$ZONE", zone.name));
    const { issues } = problemOf(await ask(ada, sent), 400, "BAD_REQUEST");
    const at = issues?.[0]?.path.map((part) => (typeof part === "number" ? `[${part}]` : part)).join("");
    expect(at).toBe(field);
  });

  test("a TSIG key for a domain that the caller may not see is refused as if there were none", async () => {
    const unseen = problemOf(await ask(bob), 400, "BAD_REQUEST");
    expect(unseen.issues).toEqual(problemOf(await ask(bob, { domainId: unknownId }), 400, "BAD_REQUEST").issues);
  });

  test("a TSIG key beyond what its owner may do is refused in words at the field", async () => {
    const limited = await zw.member("limited");
    const grant = { domainId: zone.id, subdomainPattern: "*.dev", access: "write", recordTypes: ["A", "TXT"] };
    const granted = await zw.admin.post("/api/assignments", { userId: await idOf(limited), ...grant });
    expect(granted.status).toBe(201);
    const messageAt = async (wish: object) => {
      const { issues } = problemOf(await ask(limited, wish), 400, "BAD_REQUEST");
      return (issues ?? []).map(({ path: at, message }) => `${at.join(".")}: ${message}`);
    };
    expect(await messageAt({ hostPattern: "www" })).toEqual([
      `hostPattern: You may not change all records of www in ${zone.name}. Choose a pattern within your assignments, or "*" for all of them.`,
    ]);
    expect(await messageAt({ hostPattern: "*a*" })).toHaveLength(1);
    expect(await messageAt({ hostPattern: "x.dev", recordTypes: ["A", "MX"] })).toEqual([
      `recordTypes.1: You may not change MX records of x.dev in ${zone.name}. Leave out MX.`,
    ]);
    await make(limited, { hostPattern: "*.dev", recordTypes: ["TXT"] });
    await make(limited);
  });

  test("a user who may only read a domain gets keys that only read it", async () => {
    const reader = await zw.member("reader");
    await assign(zw, reader, zone.id, "*", "read");
    const auditor = await zw.member("auditor");
    expect((await zw.admin.put(`/api/users/${await idOf(auditor)}`, { role: "auditor" })).status).toBe(200);
    for (const client of [reader, auditor])
      for (const access of ["update", "both"]) {
        const { issues } = problemOf(await ask(client, { access }), 400, "BAD_REQUEST");
        expect(issues?.[0]).toMatchObject({ path: ["access"], message: expect.stringContaining("Choose `read`") });
      }
    await make(reader, { access: "read" });
    await make(auditor, { access: "read" });
  });

  test("a user has at most 50 TSIG keys, also when several are created at once", async () => {
    const many = await zw.member("many");
    await assign(zw, many, zone.id, "*");
    for (let left = 48; left > 0; left--) await make(many);
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(many)));
    const made = answers.filter(({ status }) => status === 201).length;
    expect([made, answers.filter(({ status }) => status === 409).length]).toEqual([2, 2]);
    expect((await many.get(path)).body.keys).toHaveLength(50);
  });

  test("creating TSIG keys and deleting their domain at the same time do not deadlock", async () => {
    const quinn = await zw.member("quinn");
    for (let round = 0; round < 6; round++) {
      const other = await manualZone(zw);
      await assign(zw, quinn, other.id, "*");
      const [deleted, ...made] = await Promise.all([
        zw.admin.delete(other.path),
        ...[1, 2, 3].map(() => ask(quinn, { domainId: other.id })),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of made) expect([201, 400]).toContain(status);
    }
  });

  test("creating a TSIG key needs a recently confirmed session, and deleting it does not", async () => {
    const carol = await zw.member("carol");
    await assign(zw, carol, zone.id, "*");
    const { id } = await make(carol);
    clock.advance(11 * minute);
    expect(await ask(carol)).toBeProblem(403, "REAUTHENTICATION_REQUIRED");
    expect((await carol.delete(`${path}/${id}`)).status).toBe(200);
  });
});

describe("a caller with a TSIG key", () => {
  test("a TSIG key changes only records that its pattern and types cover, and the history and audit trail name it", async () => {
    const { keyName } = await make(zw.admin, { hostPattern: "*.keyed", recordTypes: ["TXT"] });
    const caller = await callerOf(keyName);
    await create(caller, "TXT", "a.keyed", "covered");
    await expect(create(caller, "TXT", "a", "elsewhere")).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(create(caller, "A", "a.keyed", "192.0.2.1")).rejects.toMatchObject({ code: "FORBIDDEN" });
    const [set] = await zone.history();
    expect(set).toMatchObject({ actor: "admin", tsigKey: keyName, creates: 1 });
    const [entry] = await entries(zw.admin, { action: "records.edit", targetId: zone.id });
    expect(entry).toMatchObject({ tsigKey: keyName, tokenId: null, ip: "192.0.2.53" });
    await zone.add("A", "by-session", "192.0.2.1");
    expect((await zone.history())[0]).toMatchObject({ tsigKey: null });
  });

  test("a TSIG key sees and changes no other domain", async () => {
    const other = await manualZone(zw);
    const caller = await callerOf((await make(zw.admin, { access: "both" }))["keyName"]);
    const record = { id: other.id, recordType: "A", name: "www", value: "192.0.2.1" } as const;
    const elsewhere = zw.services.records.create(zw.services.database.fork(), caller, record);
    await expect(elsewhere).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a TSIG key has the permissions of its access and no others", async () => {
    for (const [access, permissions] of [
      ["update", ["records:write"]],
      ["read", ["records:read"]],
      ["both", ["records:read", "records:write"]],
    ] as const) {
      const { keyName } = await make(ada, { access });
      expect((await callerOf(keyName)).permissions).toEqual(new Set(permissions));
    }
  });

  test("a TSIG key loses with the next message what its owner loses", async () => {
    const dave = await zw.member("dave");
    const { id: assignment } = await assign(zw, dave, zone.id, "*");
    const { keyName } = await make(dave);
    await create(await callerOf(keyName), "A", "while-assigned", "192.0.2.1");
    expect((await zw.admin.delete(`/api/assignments/${assignment}`)).status).toBe(200);
    await expect(create(await callerOf(keyName), "A", "after", "192.0.2.1")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("the end of a TSIG key", () => {
  test("a deleted TSIG key signs nothing from the next message on", async () => {
    const { id, keyName } = await make(ada);
    expect(await named(keyName)).not.toBeNull();
    expect((await ada.delete(`${path}/${id}`)).status).toBe(200);
    expect(await named(keyName)).toBeNull();
    expect(await ada.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
    const actions = (await entries(zw.admin, { targetId: id })).map(({ action }) => action);
    expect(actions.toSorted()).toEqual(["tsig_key.create", "tsig_key.delete"]);
  });

  test("a TSIG key of a disabled owner signs nothing, and works again when the owner is enabled", async () => {
    const erin = await zw.member("erin");
    await assign(zw, erin, zone.id, "*");
    const { keyName } = await make(erin);
    const user = `/api/users/${await idOf(erin)}`;
    await zw.admin.put(user, { disabled: true });
    expect(await named(keyName)).toBeNull();
    await zw.admin.put(user, { disabled: false });
    expect(await named(keyName)).not.toBeNull();
  });

  test("an expired TSIG key signs nothing, stays listed for 30 days, and is then deleted", async () => {
    const expiresAt = new Date(clock.now().getTime() + hour).toISOString();
    const { id, keyName } = await make(ada, { expiresAt });
    const lasting = await make(ada);
    expect((await named(keyName))?.endsAt?.toISOString()).toBe(expiresAt);
    clock.advance(hour);
    expect(await named(keyName)).toBeNull();
    const clean = () => deleteExpired(zw.services.database, clock.now());
    clock.advance(29 * day);
    await clean();
    expect(await listed(await zw.signIn("ada", memberPassword), id)).toBeDefined();
    clock.advance(2 * day);
    await clean();
    const later = await zw.signIn("ada", memberPassword);
    expect(await listed(later, id)).toBeUndefined();
    expect(await listed(later, lasting["id"])).toBeDefined();
  });

  test("users can neither see nor delete each other's TSIG keys", async () => {
    const { id } = await make(ada);
    expect((await bob.get(path)).body.keys).toEqual([]);
    expect(await bob.delete(`${path}/${id}`)).toBeProblem(404, "NOT_FOUND");
    expect(await bob.get("/api/tsig-keys")).toBeProblem(403, "FORBIDDEN");
    expect(await listed(ada, id)).toBeDefined();
  });

  test("administrators list all TSIG keys by user and domain, and revoke any, which its owner hears of", async () => {
    const frank = await zw.member("frank");
    const other = await manualZone(zw);
    for (const { id } of [zone, other]) await assign(zw, frank, id, "*");
    const first = await make(frank, { name: "first" });
    const second = await make(frank, { domainId: other.id });
    const list = async (query: string) => (await zw.admin.get(`/api/tsig-keys?${query}`)).body;
    const userId = await idOf(frank);
    const mine = await list(`userId=${userId}`);
    expect(mine).toMatchObject({ total: 2, page: 1, limit: 20 });
    expect(mine.keys.map(({ id }: Body) => id)).toEqual([second["id"], first["id"]]);
    expect(mine.keys[0]).toMatchObject({ userId, username: "frank" });
    expect(JSON.stringify(mine)).not.toMatch(/"secret"/);
    expect(await list(`userId=${userId}&domainId=${other.id}`)).toMatchObject({ total: 1 });
    expect(await list(`userId=${userId}&limit=1&page=2`)).toMatchObject({ keys: [{ id: first["id"] }] });
    expect((await zw.admin.delete(`/api/tsig-keys/${first["id"]}`)).status).toBe(200);
    expect(await named(first["keyName"])).toBeNull();
    expect(await zw.admin.delete(`/api/tsig-keys/${first["id"]}`)).toBeProblem(404, "NOT_FOUND");
    const { body: inbox } = await frank.get("/api/notifications");
    expect(inbox.notifications[0]).toMatchObject({
      event: "security.access_revoked",
      title: "Access to the account frank was revoked: the TSIG key first",
    });
  });
});

test("a TSIG key stays valid when its domain moves to another provider configuration", async () => {
  const config = { kind: "zonefile", name: "Elsewhere", config: { folder: "elsewhere" } };
  const { body: made } = await zw.admin.post("/api/provider-configs", config);
  const moving = await manualZone(zw);
  const { keyName } = await make(zw.admin, { domainId: moving.id });
  expect((await zw.admin.put(moving.path, { providerConfigId: made.id })).status).toBe(200);
  const record = { id: moving.id, recordType: "A", name: "moved", value: "192.0.2.1" } as const;
  await zw.services.records.create(zw.services.database.fork(), await callerOf(keyName), record);
});

describe("the last use of a TSIG key", () => {
  test("a TSIG key shows when and from where it was last used, and why a message was refused", async () => {
    const key = await make(ada);
    const known = { id: key["id"] as string };
    note(known, "192.0.2.1", null);
    await seen(async () => expect((await listed(ada, known.id))["lastUsedFrom"]).toBe("192.0.2.1"));
    const first = await listed(ada, known.id);
    expect(Date.parse(first["lastUsedAt"])).toBeGreaterThanOrEqual(Date.parse(key["createdAt"]));
    expect(first).toMatchObject({ lastError: null, lastErrorAt: null });

    note(known, "2001:db8::1", "NS records of @ are not yours.");
    await seen(async () => expect((await listed(ada, known.id))["lastUsedFrom"]).toBe("2001:db8::1"));
    const refused = await listed(ada, known.id);
    expect(refused["lastError"]).toBe("NS records of @ are not yours.");
    expect(refused["lastErrorAt"]).toBe(refused["lastUsedAt"]);

    clock.advance(minute);
    note(known, "192.0.2.1", null);
    await seen(async () => expect((await listed(ada, known.id))["lastUsedFrom"]).toBe("192.0.2.1"));
    const last = await listed(ada, known.id);
    expect(Date.parse(last["lastUsedAt"]) - Date.parse(refused["lastUsedAt"])).toBeGreaterThanOrEqual(minute);
    expect(last).toMatchObject({ lastError: refused["lastError"], lastErrorAt: refused["lastErrorAt"] });
  });

  test("text of a refusal is one line of at most 500 characters, whatever a client sent", async () => {
    const { id } = await make(ada);
    note({ id }, "192.0.2.1", `a\u0000b\n\u202ec\ud800 ${"é".repeat(600)}`);
    await seen(async () => expect((await listed(ada, id))["lastError"]).not.toBeNull());
    const { lastError } = await listed(ada, id);
    expect(lastError).toMatch(/^a b c\ufffd é+$/);
    expect(lastError.length).toBeLessThanOrEqual(500);
  });

  test("several uses at once leave the last address and the refusal among them", async () => {
    const { id } = await make(ada);
    note({ id }, "192.0.2.1", null);
    note({ id }, "192.0.2.2", "Refused.");
    note({ id }, "192.0.2.3", null);
    const last = { lastUsedFrom: "192.0.2.3", lastError: "Refused." };
    await seen(async () => expect(await listed(ada, id)).toMatchObject(last));
  });
});
