import { beforeAll, describe, expect, test, vi } from "vitest";
import { signRequest } from "../../../server/dns/wire/tsig.ts";
import { prerequisite as pre, update, type UpdateClient } from "../../support/name-servers/update-client.ts";
import { patience } from "../../support/patience.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newKey, newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
let zone: Awaited<ReturnType<typeof newZone>>;
let member: RestClient;
let memberId: string;
const values: Record<string, string> = { A: "192.0.2.7", TXT: "text", MX: "10 mail.example.net", NS: "ns.example.net" };

beforeAll(async () => {
  zone = await newZone(zw, "rights.example");
  await zone.add({ recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 });
  member = await zw.member("ada");
  memberId = (await member.get("/api/auth/me")).body.id;
});

const keyState = async (id: string, owner = zw.admin) => {
  const { body } = await owner.get("/api/auth/me/tsig-keys");
  const keys: { id: string; lastError: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }[] =
    body.keys;
  return keys.find((key) => key.id === id);
};

describe("a key limited to TXT at app and below", () => {
  let client: UpdateClient;
  let keyId: string;
  beforeAll(async () => {
    const narrow = await newKey(zw.admin, zone.id, { hostPattern: "*app", recordTypes: ["TXT"] });
    keyId = narrow.id;
    client = Object.assign(Object.create(zone.client) as UpdateClient, { key: narrow.tsig });
  });
  const names = ["app", "x.app", "www", "@", "apple", "app.x"];
  const cases = names.flatMap((name) => Object.keys(values).map((type) => ({ name, type })));

  test.each(cases)("a narrow key writes and sees $type at $name only if it covers them", async ({ name, type }) => {
    const isCovered = type === "TXT" && ["app", "x.app"].includes(name);
    const isPublic = name === "@" && type === "NS";
    const value = values[type] ?? "";
    const before = await zone.lines();
    const expected = isCovered ? 0 : 5;
    expect(await client.update([update.add(name, type, value)])).toBe(expected);
    expect(await client.update([update.deleteRrset(name, type)])).toBe(expected);
    expect(await client.update([update.deleteRecord(name, type, value)])).toBe(expected);
    expect(await client.update([], [pre.rrsetAbsent(name, type)])).toBe(isCovered || isPublic ? 0 : 5);
    expect(await client.update([], [pre.rrsetHas(name, type, value)])).toBe(isCovered || isPublic ? 8 : 5);
    expect(await zone.lines()).toEqual(before);
  });

  test("a narrow key may ask whether a name of its own is in use, whatever its types, and not of other names", async () => {
    await zone.add({ recordType: "A", name: "used.app", value: "192.0.2.77" });
    expect(await client.update([], [pre.nameInUse("used.app")])).toBe(0);
    expect(await client.update([], [pre.nameUnused("used.app")])).toBe(6);
    expect(await client.update([], [pre.nameInUse("unused.app")])).toBe(3);
    expect(await client.update([], [pre.nameUnused("unused.app")])).toBe(0);
    for (const name of ["free", "www", "@"]) {
      expect(await client.update([], [pre.nameInUse(name)])).toBe(5);
      expect(await client.update([], [pre.nameUnused(name)])).toBe(5);
    }
  });

  test("a narrow key cannot delete everything at a name, whatever is there", async () => {
    for (const name of ["app", "free", "www"]) expect(await client.update([update.deleteName(name)])).toBe(5);
  });

  test("an update with one part beyond the key changes nothing", async () => {
    const before = await zone.lines();
    expect(await client.update([update.add("app", "TXT", "fine"), update.add("www", "TXT", "beyond")])).toBe(5);
    expect(await zone.lines()).toEqual(before);
  });

  test("a refusal is shown to the key's owner and in the audit trail, and the history names the key", async () => {
    expect(await client.update([update.add("www", "A", "192.0.2.9")])).toBe(5);
    const reason = "This key does not cover the records of www. Use one that does.";
    await vi.waitFor(async () => expect((await keyState(keyId))?.lastError).toBe(reason), patience);
    const audit = await zw.admin.get("/api/audit?action=domain.refuse_update&limit=1");
    expect(audit.body.entries[0]).toMatchObject({ targetId: zone.id, after: { reason }, ip: "127.0.0.1" });
    expect(await client.update([update.add("app", "TXT", "named")])).toBe(0);
    const history = await zw.admin.get(`/api/domains/${zone.id}/history?limit=1`);
    expect(JSON.stringify(history.body)).toContain(client.key.name);
  });
});

describe("a message from another time", () => {
  test.each([
    [
      "behind",
      -600,
      "The client's clock is behind (BADTIME). Correct it. If it is right, an old message was replayed.",
    ],
    ["ahead", 600, "The client's clock is ahead of this service's (BADTIME). Correct one of them."],
  ])(
    "a client whose clock is %s sets the key's last error and does not count as a use",
    async (_how, seconds, reason) => {
      const { id, tsig } = await newKey(zw.admin, zone.id);
      const message = zone.client.message([update.add("late", "A", "192.0.2.1")]);
      const signed = signRequest(message, tsig, Math.floor(Date.now() / 1_000) + seconds);
      await zone.client.exchange(signed.message, "tcp");
      await vi.waitFor(async () => expect((await keyState(id))?.lastError).toBe(reason), patience);
      expect(await keyState(id)).toMatchObject({ lastUsedAt: null, lastUsedFrom: null });
    },
  );

  test("a message signed with another secret changes nothing about the key", async () => {
    const [{ id, tsig }, other] = [await newKey(zw.admin, zone.id), await newKey(zw.admin, zone.id)];
    const message = zone.client.message([update.add("late", "A", "192.0.2.1")]);
    const forged = signRequest(message, { ...tsig, secret: Buffer.alloc(32) }, 0);
    await zone.client.exchange(forged.message, "tcp");
    // Errors are written in the background, one after another.
    await zone.client.exchange(signRequest(message, other.tsig, 0).message, "tcp");
    await vi.waitFor(async () => expect((await keyState(other.id))?.lastError).not.toBeNull(), patience);
    expect(await keyState(id)).toMatchObject({ lastError: null, lastUsedAt: null, lastUsedFrom: null });
  });
});

describe("a key of a member", () => {
  test("a member's key may do what its owner may at the moment of each update", async () => {
    const assignment = await zw.admin.post("/api/assignments", {
      userId: memberId,
      domainId: zone.id,
      subdomainPattern: "*.team",
      access: "write",
    });
    expect(assignment.status).toBe(201);
    const client = await zone.clientWith(member, {});
    expect(await client.update([update.add("a.team", "A", "192.0.2.1")])).toBe(0);
    expect(await client.update([update.add("www", "A", "192.0.2.2")])).toBe(5);
    await zw.admin.delete(`/api/assignments/${assignment.body.id}`);
    expect(await client.update([update.add("b.team", "A", "192.0.2.1")])).not.toBe(0);
  });

  test("no key changes a locked record, not even the domain owner's", async () => {
    const created = await zw.admin.post(zone.path, { recordType: "A", name: "kept", value: "192.0.2.1", locked: true });
    expect(created.status).toBe(201);
    const before = await zone.lines();
    expect(await zone.client.update([update.deleteName("kept")])).toBe(5);
    expect(await zone.client.update([update.add("kept", "A", "192.0.2.1", 900)])).toBe(5);
    expect(await zone.lines()).toEqual(before);
  });
});

test("a refused update's reason has no list index", async () => {
  expect(await zone.client.update([update.add("bad\\001", "A", "192.0.2.1")])).toBe(5);
  await vi.waitFor(
    async () =>
      expect((await keyState(zone.key.id))?.lastError).toMatch(
        /^Nothing was changed: The name of A records is that of a host/,
      ),
    patience,
  );
});

const signedWith = (key: Awaited<ReturnType<typeof newKey>>) =>
  Object.assign(Object.create(zone.client) as UpdateClient, { key: key.tsig });

test("a revoked key stops at once, and so do the keys of a disabled user", async () => {
  await zw.admin.post("/api/assignments", {
    userId: memberId,
    domainId: zone.id,
    subdomainPattern: "*",
    access: "write",
  });
  const [first, second] = [await newKey(member, zone.id), await newKey(member, zone.id)];
  expect(await signedWith(first).update([])).toBe(0);
  await member.delete(`/api/auth/me/tsig-keys/${first.id}`);
  await expect(signedWith(first).update([])).rejects.toThrow("BADKEY");
  expect(await signedWith(second).update([])).toBe(0);
  await zw.admin.put(`/api/users/${memberId}`, { disabled: true });
  await expect(signedWith(second).update([])).rejects.toThrow("BADKEY");
  await expect(signedWith(second).query("@", "SOA")).rejects.toThrow("BADKEY");
});

describe("in a domain whose changes need a review", () => {
  test("an update is refused with the reason, and ACME challenges are let through unless they are reviewed as well", async () => {
    const { status } = await zw.admin.put(`/api/domains/${zone.id}`, { reviewRequired: "everyone" });
    expect(status).toBe(200);
    expect(await zone.client.update([update.add("new", "A", "192.0.2.1")])).toBe(5);
    await vi.waitFor(
      async () => expect((await keyState(zone.key.id))?.lastError).toMatch("This domain requires a review"),
      patience,
    );
    expect(await zone.client.update([update.add("_acme-challenge.www", "TXT", "proof")])).toBe(0);
    await zw.admin.put(`/api/domains/${zone.id}`, { reviewAcme: true });
    expect(await zone.client.update([update.deleteRrset("_acme-challenge.www", "TXT")])).toBe(5);
  });
});
