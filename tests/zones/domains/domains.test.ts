import { access } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { fileOf, fileZone, freshName, unknownId } from "../../support/zones.ts";

const zw = useZonewright();

const listFields = [
  "id",
  "name",
  "view",
  "ownerId",
  "providerId",
  "providerConfigId",
  "expiresAt",
  "status",
  "groupName",
  "tags",
  "recordCount",
  "signedBy",
  "driftedAt",
  "driftError",
  "createdAt",
  "updatedAt",
];
const detailFields = [
  ...listFields,
  "nameUnicode",
  "notes",
  "expiryRemindDays",
  "autoCheckExpiry",
  "expirySource",
  "expiryCheckedAt",
  "registrar",
  "registrarConfigId",
  "yearlyCost",
  "currency",
  "registration",
  "reverse",
  "reverseFollowGrant",
  "protectMail",
  "reviewAcme",
  "reviewIsDefault",
  "reviewRequired",
  "snapshotSchedule",
  "revision",
  "historyFrom",
  // Beyond the contract: how the provider's records differ.
  "drift",
];

describe("a new domain", () => {
  test("a new domain is shown with everything that it was given", async () => {
    const created = await zw.admin.post("/api/domains", {
      name: "Example.COM.",
      groupName: "Customers",
      tags: ["b", "a", "B"],
      expiresAt: "2099-03-01T02:00:00+02:00",
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "example.com",
      nameUnicode: "example.com",
      groupName: "Customers",
      tags: ["b", "a"],
      recordCount: 0,
      revision: 0,
      status: "active",
      expiresAt: "2099-03-01T00:00:00.000Z",
      expirySource: "manual",
      snapshotSchedule: "off",
      ownerId: null,
      notes: null,
    });
    const detail = await zw.admin.get(`/api/domains/${created.body.id}`);
    expect(detail.body).toEqual(created.body);
  });

  test("a new domain has exactly the fields of the contract and its drift, in the list and alone", async () => {
    const { body } = await zw.admin.post("/api/domains", { name: freshName() });
    expect(Object.keys(body).toSorted()).toEqual(detailFields.toSorted());
    const { body: page } = await zw.admin.get(`/api/domains?search=${body.name}`);
    expect(Object.keys(page.domains[0]).toSorted()).toEqual([...listFields, "lastChange"].toSorted());
    expect(body).toMatchObject({ expiresAt: null, expirySource: null, groupName: null, tags: [], registrar: null });
  });

  test("a new domain with a Unicode name gets A-labels and shows both forms", async () => {
    const { status, body } = await zw.admin.post("/api/domains", { name: "Bücher.例え.Test" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "xn--bcher-kva.xn--r8jz45g.test", nameUnicode: "bücher.例え.test" });
  });

  test.each([
    "",
    "com",
    "192.0.2.1",
    "2001:db8::1",
    "-a.example",
    "a..example",
    ".example",
    "exa mple.com",
    "*.example.com",
    "example.com/evil",
    "../../etc.passwd",
    "exam\u0000ple.com",
    "\ud800.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(130)}example`,
  ])("a new domain named %j is refused, and the answer names the field", async (name) => {
    const { status, body } = await zw.admin.post("/api/domains", { name });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["name"] }] });
  });

  test("blanks around the name of a new domain, its host names and its view do not count", async () => {
    const { status, body } = await zw.admin.post("/api/domains", { name: " trimmed.example ! internal " });
    expect([status, body.name, body.view]).toEqual([201, "trimmed.example", "internal"]);
    const made = await zw.admin.post(`/api/domains/${body.id}/records`, {
      recordType: "CNAME",
      name: " www ",
      value: " www.example.net ",
    });
    expect([made.status, made.body.name, made.body.value]).toEqual([201, "www", "www.example.net"]);
    const found = await zw.admin.get(`/api/domains/zone-of?name=${encodeURIComponent(" www.trimmed.example ")}`);
    expect(found.body).toMatchObject({ domain: { id: body.id }, host: "www" });
  });

  test.each([
    ["192.0.2.0/24", "Its reverse zone is 2.0.192.in-addr.arpa."],
    ["192.0.2.128/26", "Its reverse zone is 128/26.2.0.192.in-addr.arpa."],
    ["2001:db8::/32", "Its reverse zone is 8.b.d.0.1.0.0.2.ip6.arpa."],
    [
      "172.16.0.0/12",
      "Its reverse zones are the 16 from 16.172.in-addr.arpa to 31.172.in-addr.arpa; add those that you need.",
    ],
  ])(
    "a network as the name of a new domain is refused, and the answer names its reverse zone: %s",
    async (name, advice) => {
      const { status, body } = await zw.admin.post("/api/domains", { name });
      expect([status, body.issues[0].path]).toEqual([400, ["name"]]);
      expect(body.detail).toContain(`${name} is a network. ${advice}`);
    },
  );

  test("a new domain cannot use an unknown provider configuration", async () => {
    const { status, body } = await zw.admin.post("/api/domains", { name: freshName(), providerConfigId: unknownId });
    expect(status).toBe(400);
    expect(body.issues).toMatchObject([{ path: ["providerConfigId"] }]);
  });

  test("a new domain with the name of another, in any spelling, is a conflict", async () => {
    await zw.admin.post("/api/domains", { name: "grün.example" });
    for (const name of ["grün.example", "XN--GRN-IOA.Example.", "GRÜN.example"]) {
      const { status, body } = await zw.admin.post("/api/domains", { name });
      expect({ name, status }).toEqual({ name, status: 409 });
      expect(body).toMatchObject({ code: "CONFLICT", issues: [{ path: ["name"] }] });
    }
  });

  test("of twenty simultaneous additions of one domain, one succeeds and the others are conflicts", async () => {
    const name = freshName();
    const answers = await Promise.all(Array.from({ length: 20 }, () => zw.admin.post("/api/domains", { name })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await zw.admin.get(`/api/domains?search=${name}`)).body.total).toBe(1);
  });
});

describe("the owner of a domain", () => {
  test("an administrator gives a domain to a user, who manages it then, and to another, after which the first no longer sees it", async () => {
    const [first, second] = [await zw.member("owner-one"), await zw.member("owner-two")];
    const ids = await Promise.all([first, second].map(async (client) => (await client.get("/api/auth/me")).body.id));
    const { body: domain } = await zw.admin.post("/api/domains", { name: freshName() });
    const path = `/api/domains/${domain.id}`;
    expect(domain.ownerId).toBeNull();
    expect((await first.get(path)).status).toBe(404);

    expect((await zw.admin.put(path, { ownerId: ids[0] })).body.ownerId).toBe(ids[0]);
    expect((await first.put(path, { notes: "mine" })).body).toMatchObject({ ownerId: ids[0], notes: "mine" });
    const refused = await first.put(path, { ownerId: ids[1] });
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining("ownerId") } });

    await zw.admin.put(path, { ownerId: ids[1] });
    expect((await first.get(path)).status).toBe(404);
    expect((await second.get(path)).body.ownerId).toBe(ids[1]);
    const { body: audit } = await zw.admin.get(`/api/audit?action=domain.update&targetId=${domain.id}&limit=1`);
    expect(audit.entries).toMatchObject([{ before: { ownerId: ids[0] }, after: { ownerId: ids[1] } }]);

    expect((await zw.admin.put(path, { ownerId: null })).body.ownerId).toBeNull();
    expect((await second.get(path)).status).toBe(404);
  });

  test("an owner who is nobody, or who is disabled, is refused, and the domain stays as it was", async () => {
    const member = await zw.member("owner-three");
    const { id: userId } = (await member.get("/api/auth/me")).body;
    const { body: domain } = await zw.admin.post("/api/domains", { name: freshName() });
    const path = `/api/domains/${domain.id}`;
    await zw.admin.put(`/api/users/${userId}`, { disabled: true });
    for (const ownerId of [unknownId, domain.id, userId]) {
      const { status, body } = await zw.admin.put(path, { ownerId, notes: "lost?" });
      expect({ status, path: body.issues?.[0]?.path }).toEqual({ status: 400, path: ["ownerId"] });
    }
    expect((await zw.admin.get(path)).body).toMatchObject({ ownerId: null, notes: null });
  });
});

const calls = (id: string) => [
  zw.admin.get(`/api/domains/${id}`),
  zw.admin.put(`/api/domains/${id}`, { notes: "x" }),
  zw.admin.delete(`/api/domains/${id}`),
  zw.admin.put(`/api/domains/${id}/expiry`, { expiresAt: null }),
  zw.admin.put(`/api/domains/${id}/expiry-remind`, { autoCheckExpiry: true }),
  zw.admin.get(`/api/domains/${id}/records`),
  zw.admin.post(`/api/domains/${id}/sync`),
  zw.admin.get(`/api/domains/${id}/zonefile`),
  zw.admin.get(`/api/domains/${id}/history`),
  zw.admin.get(`/api/domains/${id}/snapshots`),
];

describe("an id", () => {
  test("in every call, a malformed id is 400, and an unknown one 404", async () => {
    const bad = await Promise.all(calls("7"));
    expect(bad.map(({ status, body }) => [status, body.issues[0].path])).toEqual(bad.map(() => [400, ["id"]]));
    const unknown = await Promise.all(calls(unknownId));
    expect(unknown.map(({ status, body }) => [status, body.code])).toEqual(unknown.map(() => [404, "NOT_FOUND"]));
  });
});

describe("a deleted domain", () => {
  test("deleting a domain leaves its zone file, and adding it again imports the records", async () => {
    const zone = await fileZone(zw);
    await zone.add("A", "www", "192.0.2.1");
    const deleted = await zw.admin.delete(zone.path);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    expect((await zw.admin.get(zone.path)).status).toBe(404);
    expect((await zw.admin.delete(zone.path)).status).toBe(404);
    await access(fileOf(zw, zone.name));

    const again = await zw.admin.post("/api/domains", { name: zone.name });
    expect(again.body).toMatchObject({ recordCount: 1, revision: 1 });
    const { body } = await zw.admin.get(`/api/domains/${again.body.id}/records`);
    expect(body.records).toMatchObject([{ recordType: "A", name: "www", value: "192.0.2.1" }]);
  });
});
