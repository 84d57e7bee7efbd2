import { beforeAll, describe, expect, test } from "vitest";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, embeddedConfig, freshName, manualZone, writeZoneFile, type Body } from "../../support/zones.ts";

const zw = useZonewright();

let alice: RestClient;
let bob: RestClient;
let open: string;
let zone: Zone;

beforeAll(async () => {
  alice = await zw.member("alice");
  bob = await zw.member("bob");
  const config = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Open", membersMayUse: true });
  open = config.body.id;
  const { body } = await alice.post("/api/domains", {
    name: freshName(),
    providerConfigId: open,
    tags: ["hers"],
  });
  zone = new Zone(zw, body, alice);
});

const ids = async (client: RestClient) =>
  (await client.get("/api/domains?limit=100")).body.domains.map(({ id }: Body) => id);

const add = (client: RestClient, name: string, providerConfigId = open) =>
  client.post("/api/domains", { name, providerConfigId });
const total = async (name: string) => (await zw.admin.get(`/api/domains?search=${name}`)).body.total;

describe("a member", () => {
  test("a member may add a domain through a configuration open to members, and owns it", async () => {
    const me = await alice.get("/api/auth/me");
    expect(await zone.detail()).toMatchObject({ ownerId: me.body.id, providerConfigId: open });
  });

  test("a member may not add a domain through any other configuration, including the embedded one", async () => {
    for (const providerConfigId of [undefined, await embeddedConfig(zw)]) {
      const name = freshName();
      const { status, body } = await alice.post("/api/domains", { name, providerConfigId });
      expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
      expect((await zw.admin.get(`/api/domains?search=${name}`)).body.total).toBe(0);
    }
  });

  test("a member may add a domain through a configuration once it is opened to members", async () => {
    const { body: config } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Closed" });
    const domain = { name: freshName(), providerConfigId: config.id };
    expect((await alice.post("/api/domains", domain)).status).toBe(403);
    await zw.admin.put(`/api/provider-configs/${config.id}`, { membersMayUse: true });
    expect((await alice.post("/api/domains", domain)).status).toBe(201);
  });

  test("a member may not move a domain to a configuration that is closed to members", async () => {
    const { status } = await alice.put(zone.path, { providerConfigId: await embeddedConfig(zw) });
    expect(status).toBe(403);
    expect((await zone.detail()).providerConfigId).toBe(open);
  });

  test("a member sees only their own domains and tags, and an administrator sees all", async () => {
    await manualZone(zw);
    const newcomer = await zw.member("newcomer");
    expect(await ids(alice)).toContain(zone.id);
    expect(await ids(newcomer)).toEqual([]);
    expect((await ids(zw.admin)).length).toBeGreaterThan((await ids(alice)).length);
    expect((await newcomer.get("/api/domains")).body.total).toBe(0);
    expect((await newcomer.get("/api/domains/tags")).body.tags).toEqual([]);
    expect((await alice.get("/api/domains/tags")).body.tags).toEqual([{ name: "hers", count: 1 }]);
  });

  test("a member finds nothing at the ids of others' domains, records and snapshots, and changes nothing there", async () => {
    const record = await zone.add("A", "www", "192.0.2.1");
    const snapshot = (await zone.post("/snapshots")).body;
    const before = [await zone.detail(), await zone.records(), await zone.history()];
    const { path } = zone;
    const one = `${path}/records/${record.id}`;
    const answers = await Promise.all([
      bob.get(path),
      bob.put(path, { notes: "x" }),
      bob.delete(path),
      bob.put(`${path}/expiry`, { expiresAt: null }),
      bob.put(`${path}/expiry-remind`, { autoCheckExpiry: false }),
      bob.get(`${path}/records`),
      bob.post(`${path}/records`, { recordType: "A", name: "x", value: "192.0.2.2" }),
      bob.put(one, { ttl: 60 }),
      bob.delete(one),
      bob.post(`${path}/records/bulk`, { records: [{ recordType: "A", name: "x", value: "192.0.2.2" }] }),
      bob.post(`${path}/records/plan`, { changes: [{ action: "delete", recordId: record.id }] }),
      bob.post(`${path}/records/apply`, { changes: [{ action: "delete", recordId: record.id }], planHash: "x" }),
      bob.post(`${path}/sync`),
      bob.get(`${path}/zonefile`),
      bob.post(`${path}/zonefile`, { zonefile: "x A 192.0.2.1\n" }),
      bob.get(`${path}/history`),
      bob.get(`${path}/snapshots`),
      bob.post(`${path}/snapshots`),
      bob.get(`${path}/snapshots/${snapshot.id}`),
      bob.get(`${path}/snapshots/diff?from=${snapshot.id}&to=${snapshot.id}`),
      bob.get(`/api/v1/domains/${zone.id}`),
      bob.get(`/api/v1/domains/${zone.id}/records`),
      bob.post(`/api/v1/domains/${zone.id}/records`, { recordType: "A", name: "x", value: "192.0.2.2" }),
      bob.put(`/api/v1/domains/${zone.id}/records/${record.id}`, { ttl: 60 }),
      bob.delete(`/api/v1/domains/${zone.id}/records/${record.id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect([await zone.detail(), await zone.records(), await zone.history()]).toEqual(before);
  });

  test("a member may not roll back, not even their own domain", async () => {
    const snapshot = (await zone.post("/snapshots")).body;
    const { status, body } = await zone.post(`/snapshots/${snapshot.id}/rollback`);
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    expect((await zone.post(`/snapshots/${snapshot.id}/rollback`, { force: "perhaps" })).status).toBe(403);
  });

  test("a member may do everything else with their own domain", async () => {
    const record = await zone.add("A", "own", "192.0.2.9");
    expect((await zone.update(record.id, { ttl: 60 })).status).toBe(200);
    expect((await zone.delete(record.id)).status).toBe(200);
    expect((await alice.put(zone.path, { notes: "mine" })).status).toBe(200);
    expect((await zone.post("/snapshots")).status).toBe(201);
    expect((await zone.get("/zonefile")).status).toBe(200);
  });
});

describe("zones that members may not take over", () => {
  let files: string;
  beforeAll(async () => {
    const config = { kind: "zonefile", name: "Shared files", membersMayUse: true, config: { folder: "." } };
    files = (await zw.admin.post("/api/provider-configs", config)).body.id;
  });

  test.each([
    ["with records", "www A 192.0.2.1\n"],
    ["without records", ""],
    ["that cannot be read", "www A nonsense\n"],
  ])(
    "a member can neither add nor move to a zone %s at the provider, and an administrator can import it",
    async (_what, lines) => {
      const name = freshName();
      await writeZoneFile(zw, name, lines);
      const { body: hers } = await add(alice, name);
      const answers = [await alice.put(`/api/domains/${hers.id}`, { providerConfigId: files })];
      await alice.delete(`/api/domains/${hers.id}`);
      answers.push(await add(alice, name, files));
      const readable = !lines.includes("nonsense");
      for (const { status, body } of answers) {
        expect(status).toBe(readable ? 409 : 502);
        expect(body.detail).toMatch(
          readable ? /exists at the provider; an administrator can import it/ : /ask an admin/,
        );
        expect(body.detail).not.toContain("nonsense");
      }
      expect(await total(name)).toBe(0);
      const { body } = await zw.admin.post(`/api/provider-configs/${files}/import`, { zones: [name] });
      expect(body.results).toMatchObject([{ name, success: readable }]);
    },
  );

  test("a member owns a zone that is new at the provider", async () => {
    expect((await add(alice, freshName(), files)).status).toBe(201);
    const moving = (await add(alice, freshName())).body;
    expect((await alice.put(`/api/domains/${moving.id}`, { providerConfigId: files })).status).toBe(200);
  });

  test("only an administrator may add names below or above a domain of another user", async () => {
    const [name, admins] = [`mid.${freshName()}`, freshName()];
    expect((await add(alice, name)).status).toBe(201);
    await add(zw.admin, admins);
    const refused = [
      [bob, `www.${name}`],
      [bob, `deep.down.${name}`],
      [bob, name.replace("mid.", "")],
      [alice, `www.${admins}`],
    ] as const;
    for (const [client, other] of refused) {
      const { status, body } = await add(client, other);
      expect([other, status, body.code]).toEqual([other, 403, "FORBIDDEN"]);
      expect(body.detail).toContain("administrator");
    }
    for (const allowed of [`x${name}`, `mid2.${name.replace("mid.", "")}`]) {
      expect([allowed, (await add(bob, allowed)).status]).toEqual([allowed, 201]);
    }
    expect((await add(alice, `www.${name}`)).status).toBe(201);
    expect((await add(zw.admin, `admin.${name}`)).status).toBe(201);
  });
});

test("an administrator reaches members' domains", async () => {
  const asAdmin = new Zone(zw, zone);
  const record = await asAdmin.add("A", "by-admin", "192.0.2.7");
  expect((await zone.records("&search=by-admin")).map(({ id }: Body) => id)).toEqual([record.id]);
  expect((await asAdmin.detail()).ownerId).toBe((await zone.detail()).ownerId);
});

test("the list names who last changed a domain's records to those who see its whole history, and to nobody else", async () => {
  const hers = new Zone(zw, (await add(alice, freshName())).body, alice);
  const carol = await zw.member("carol");
  const userId = (await carol.get("/api/auth/me")).body.id;
  const listed = async (client: RestClient, headers = {}) => {
    const { body } = await client.get(`/api/domains?search=${hers.name}`, headers);
    return body.domains[0].lastChange;
  };
  expect(await listed(alice)).toBeNull();
  await hers.add("A", "www", "192.0.2.1");
  const record = await new Zone(zw, hers).add("A", "mail", "192.0.2.2");
  const [newest] = await hers.history();
  const { revision, finishedAt: at, actorId, actor, tsigKey } = newest ?? {};
  expect(actor).toBe("admin");
  expect(await listed(alice)).toEqual({ revision, at, actorId, actor, tsigKey });
  expect((await alice.get(`/api/domains?search=${hers.name}`)).body.domains[0].updatedAt).toBe(at);
  // A change that was refused is not the last one.
  await hers.update(record.id, { value: "nonsense" });
  expect(await listed(zw.admin)).toMatchObject({ revision });

  const assign = (subdomainPattern: string) =>
    zw.admin.post("/api/assignments", { userId, domainId: hers.id, subdomainPattern, access: "read" });
  await assign("www");
  expect(await listed(carol)).toBeNull();
  await assign("*");
  expect(await listed(carol)).toMatchObject({ actor: "admin" });
  for (const [permissions, isShown] of [
    [["domains:read"], false],
    [["domains:read", "records:read"], true],
  ] as const) {
    const { body } = await alice.post("/api/auth/me/tokens", { name: "list", permissions });
    const shown = await listed(zw.nobody, { authorization: `Bearer ${body.token}` });
    expect([permissions.join(), shown !== null]).toEqual([permissions.join(), isShown]);
  }
});

test("domains cannot be reached without signing in", async () => {
  const answers = await Promise.all([
    zw.nobody.get("/api/domains"),
    zw.nobody.get(zone.path),
    zw.nobody.post("/api/domains", { name: "x.example" }),
    zw.nobody.get(`${zone.path}/records`),
    zw.nobody.get(`${zone.path}/zonefile`),
    zw.nobody.get("/api/providers"),
  ]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [401, "UNAUTHORIZED"]));
});
