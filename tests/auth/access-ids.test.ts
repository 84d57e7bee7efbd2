import { beforeAll, describe, expect, test } from "vitest";
import { accessRows, unknownId, type AccessRow } from "../support/access-table.ts";
import type { Answer, RestClient } from "../support/rest-client.ts";
import { addPasskey, securityKey, site } from "../support/second-factors/security-key.ts";
import { adminPassword, memberPassword, useZonewright } from "../support/zonewright.ts";
import { freshName } from "../records/zones.ts";

const zw = useZonewright({ env: { SITE_URL: site } });
const rows = (await accessRows()).filter(({ whose }) => whose !== "nobody's");

let alice: RestClient;
let bob: RestClient;
/** May see every host of the zones that are assigned to them. */
let reader: RestClient;
/** May change every host of those. */
let writer: RestClient;
/** May change hosts that no record here has. */
let elsewhere: RestClient;
let forMembers: string;
let aliceId: string;

beforeAll(async () => {
  alice = await zw.member("alice");
  bob = await zw.member("bob");
  reader = await zw.member("reader");
  writer = await zw.member("writer");
  elsewhere = await zw.member("elsewhere");
  aliceId = (await alice.get("/api/auth/me")).body.id;
  const files = { kind: "zonefile", name: "Open", membersMayUse: true, config: { folder: "." } };
  forMembers = await made(zw.admin, "/api/provider-configs", files);
});

/** Ids by the names that they have in paths. */
type Ids = Readonly<Record<string, string>>;

/** Makes something. @returns its id */
async function made(client: RestClient, path: string, body?: object): Promise<string> {
  const answer = await client.post(path, body);
  if (answer.status !== 201) throw new Error(`Nothing was made at ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

const host = () => ({ recordType: "A", name: freshName().replace(".example", ""), value: "192.0.2.1" });

/** A zone of this client with a record and a snapshot. */
async function zone(client: RestClient): Promise<Ids> {
  const id = await made(client, "/api/domains", { name: freshName(), providerConfigId: forMembers });
  const recordId = await made(client, `/api/domains/${id}/records`, host());
  return { id, recordId, snapshotId: await made(client, `/api/domains/${id}/snapshots`) };
}

/** Assigns a zone of alice's to each of those who have assignments. */
async function assigned(ids: Ids): Promise<void> {
  const wishes = [
    [reader, "*", "read"],
    [writer, "*", "write"],
    [elsewhere, "*.elsewhere", "write"],
  ] as const;
  for (const [member, subdomainPattern, access] of wishes) {
    const { body: me } = await member.get("/api/auth/me");
    await made(zw.admin, "/api/assignments", { userId: me.id, domainId: ids["id"], subdomainPattern, access });
  }
}

/** Something that this client was told. */
async function notification(owner: RestClient): Promise<Ids> {
  const { body: me } = await owner.get("/api/auth/me");
  await zw.services.notifications.notify(zw.services.database.fork(), {
    event: "zone.drift",
    title: "For a test",
    content: "Of who may read it.",
    level: "info",
    metadata: {},
    to: { userIds: [me.id] },
  });
  const { body } = await owner.get("/api/notifications");
  return { id: body.notifications[0].id };
}

const providers = ["google", "github", "gitlab", "dingtalk", "feishu"];
let count = 0;
function another(word: string): string {
  count += 1;
  return `${word}-${count}`;
}

const ofAdmin = (path: string, body: () => object) => async (): Promise<Ids> => ({
  id: await made(zw.admin, path, body()),
});
const user = ofAdmin("/api/users", () => ({ username: another("user"), password: memberPassword, role: "member" }));
const assignment = async () => {
  const { id: domainId } = await zone(zw.admin);
  return await ofAdmin("/api/assignments", () => ({ userId: aliceId, domainId }))();
};
const request = async () => {
  const { id: domainId } = await zone(zw.admin);
  return await ofAdmin("/api/assignments/requests", () => ({ domainId }))();
};
const invitation = ofAdmin("/api/invitations", () => ({ role: "member" }));
const identityConfig = ofAdmin("/api/oauth/providers", () => ({ providerId: providers.pop(), clientId: "client" }));
const channel = ofAdmin("/api/notifications", () => ({
  channel: "web",
  name: another("Channel"),
  config: { administrators: true },
  events: ["zone.drift"],
}));
const providerConfig = ofAdmin("/api/provider-configs", () => ({
  kind: "zonefile",
  name: another("Files"),
  config: { folder: "." },
}));

/** How to call something so that it works: on what, and with which body or query. */
interface Call {
  thing: (owner: RestClient) => Promise<Ids>;
  body?: (ids: Ids, caller: RestClient) => object | Promise<object>;
  query?: (ids: Ids) => string;
}

const deletion = ({ recordId }: Ids) => [{ action: "delete", recordId }];

const calls: Record<string, Call> = {
  "tokens.delete": {
    thing: async (owner) => ({ id: await made(owner, "/api/auth/me/tokens", { name: "Mine", permissions: [] }) }),
  },
  "sessions.delete": {
    thing: async (owner) => {
      const { body: me } = await owner.get("/api/auth/me");
      const elsewhere = await zw.signIn(me.username, memberPassword);
      const { body } = await elsewhere.get("/api/auth/me/sessions");
      return { id: body.sessions.find(({ current }: { current: boolean }) => current).id };
    },
  },
  "twoFactor.deletePasskey": {
    thing: async (owner) => {
      const { id } = await addPasskey(owner, securityKey());
      return { id };
    },
    body: (_ids, caller) => ({ currentPassword: caller === zw.admin ? adminPassword : memberPassword }),
  },
  "assignments.delete": { thing: assignment },
  "assignments.approve": { thing: request },
  "assignments.reject": { thing: request },
  "users.get": { thing: user },
  "users.update": { thing: user, body: () => ({ displayName: "Another" }) },
  "users.delete": { thing: user },
  "invitations.delete": { thing: invitation },
  "identityConfigs.update": { thing: identityConfig, body: () => ({ enabled: false }) },
  "identityConfigs.delete": { thing: identityConfig },
  "providerConfigs.update": { thing: providerConfig, body: () => ({ membersMayUse: true }) },
  "providerConfigs.delete": { thing: providerConfig },
  "providerConfigs.test": { thing: providerConfig },
  "providerConfigs.zones": { thing: providerConfig },
  "providerConfigs.import": { thing: providerConfig, body: () => ({ zones: ["nowhere.example"] }) },
  "providerConfigs.importProgress": { thing: providerConfig },
  "channels.update": { thing: channel, body: () => ({ enabled: false }) },
  "channels.delete": { thing: channel },
  "channels.test": { thing: channel },
  "channels.deliveries": { thing: channel },
  "notifications.read": { thing: notification },
  "notifications.delete": { thing: notification },
  "domains.get": { thing: zone },
  "domains.update": { thing: zone, body: () => ({ notes: "Seen" }) },
  "domains.delete": { thing: zone },
  "domains.sync": { thing: zone },
  "domains.setExpiryRemind": { thing: zone, body: () => ({ expiryRemindDays: [7], autoCheckExpiry: false }) },
  "domains.setExpiry": { thing: zone, body: () => ({ expiresAt: "2030-01-01T00:00:00Z" }) },
  "domains.checkExpiry": { thing: zone },
  "records.list": { thing: zone },
  "records.create": { thing: zone, body: host },
  "records.update": { thing: zone, body: () => ({ ttl: 77 }) },
  "records.delete": { thing: zone },
  "records.bulkCreate": { thing: zone, body: () => ({ records: [host()] }) },
  "records.plan": { thing: zone, body: (ids) => ({ changes: deletion(ids) }) },
  "records.applyPlan": {
    thing: zone,
    body: async (ids) => {
      const changes = deletion(ids);
      const { body } = await zw.admin.post(`/api/domains/${ids["id"]}/records/plan`, { changes });
      return { changes, planHash: body.planHash ?? "none" };
    },
  },
  "records.exportZonefile": { thing: zone },
  "records.importZonefile": { thing: zone, body: () => ({ zonefile: "file 60 A 192.0.2.3\n", mode: "merge" }) },
  "records.history": { thing: zone },
  "snapshots.list": { thing: zone },
  "snapshots.create": { thing: zone },
  "snapshots.get": { thing: zone },
  "snapshots.diff": { thing: zone, query: ({ snapshotId }) => `?from=${snapshotId}&to=${snapshotId}` },
  "snapshots.rollback": { thing: zone, body: () => ({ force: true }) },
  "v1.getDomain": { thing: zone },
  "v1.listRecords": { thing: zone },
  "v1.createRecord": { thing: zone, body: host },
  "v1.updateRecord": { thing: zone, body: () => ({ ttl: 78 }) },
  "v1.deleteRecord": { thing: zone },
};

/** Calls it as somebody, with these ids in the path and a body that would do. */
async function call(client: RestClient, { procedure, method, path }: AccessRow, ids: Ids): Promise<Answer> {
  const { body, query } = calls[procedure] ?? {};
  const target = path.replaceAll(/:(\w+)/g, (_all, name: string) => ids[name] ?? unknownId);
  return await client.send(method, target + (query?.(ids) ?? ""), await body?.(ids, client));
}

async function status(client: RestClient, row: AccessRow, ids: Ids): Promise<number> {
  return (await call(client, row, ids)).status;
}

test("every call with an id is tried here", () => {
  expect(Object.keys(calls).toSorted()).toEqual(rows.map(({ procedure }) => procedure).toSorted());
});

describe.each(rows)("$method $path", (row) => {
  const { access, whose, path, procedure } = row;
  const { thing } = calls[procedure] ?? { thing: () => Promise.resolve({}) };
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const forMember = access === "admin" ? 403 : 404;

  test("works for whom the table names", async () => {
    const users = [...(access === "admin" ? [] : [alice]), ...(whose === "own" ? [] : [zw.admin])];
    for (const client of users) expect([200, 201]).toContain(await status(client, row, await thing(alice)));
  });

  test("finds nothing for others, nor at an id of nothing, and leaves everything as it was", async () => {
    const ids = await thing(alice);
    const others = [bob, ...(whose === "own" ? [zw.admin] : [])];
    for (const other of others) expect(await status(other, row, ids)).toBe(forMember);
    for (const parameter of parameters) {
      const wrong = { ...ids, [parameter]: unknownId };
      expect({ parameter, status: await status(zw.admin, row, wrong) }).toEqual({ parameter, status: 404 });
      expect({ parameter, status: await status(alice, row, wrong) }).toEqual({ parameter, status: forMember });
    }
    // It is still there for whom it belongs to.
    expect([200, 201]).toContain(await status(access === "admin" ? zw.admin : alice, row, ids));
  });
});

describe.each(rows.filter(({ path }) => path.match(/:/g)?.length === 2))("$method $path", (row) => {
  test("finds no record or snapshot of another zone, be it the caller's as well", async () => {
    const [one, other] = [await zone(alice), await zone(alice)];
    const mixed = { ...other, id: one["id"] ?? "" };
    expect(await status(zw.admin, row, mixed)).toBe(404);
    expect(await status(alice, row, mixed)).toBe(row.access === "admin" ? 403 : 404);
    expect([200, 201]).toContain(await status(zw.admin, row, other));
  });
});

/** What the page says of those who have assignments, one after the other on the same zone: whoever is refused has changed nothing. */
const toAssigned = {
  "own zones": [
    ["reader", 403],
    ["writer", 403],
    ["owner", "done"],
  ],
  "readable zones": [
    ["reader", "done"],
    ["writer", "done"],
  ],
  "writable zones": [
    ["reader", 403],
    ["writer", "done"],
  ],
} as const;

/** What somebody gets who may change other hosts than a call is about. */
const atOtherHosts: Record<string, number> = {
  "records.create": 403,
  "records.importZonefile": 403,
  "v1.createRecord": 403,
  // Each item has a result of its own.
  "records.bulkCreate": 200,
  "records.plan": 404,
  "records.applyPlan": 404,
  "snapshots.create": 201,
};

const inZones = rows.flatMap((row) => {
  const { whose } = row;
  return whose === "own zones" || whose === "readable zones" || whose === "writable zones" ? [{ ...row, whose }] : [];
});

function elsewhereGets({ whose, path, procedure }: (typeof inZones)[number]): number | undefined {
  if (whose !== "writable zones") return whose === "own zones" ? 403 : 200;
  return path.includes(":recordId") ? 404 : atOtherHosts[procedure];
}

const done = (code: number) => (code === 200 || code === 201 ? "done" : code);

describe.each(inZones)("$method $path", (row) => {
  test("does for whom the zone is assigned to what the table says", async () => {
    const ids = await zone(alice);
    await assigned(ids);
    for (const [who, expected] of toAssigned[row.whose]) {
      const client = { reader, writer, owner: alice }[who];
      expect([who, done(await status(client, row, ids))]).toEqual([who, expected]);
    }
  });

  test("shows and changes nothing at hosts that are not assigned", async () => {
    const ids = await zone(alice);
    await assigned(ids);
    const before = await alice.get(`/api/domains/${ids["id"]}/zonefile`);
    const { status: code, body } = await call(elsewhere, row, ids);
    expect(code).toBe(elsewhereGets(row));
    expect(JSON.stringify(body)).not.toContain("192.0.2.1");
    expect((await alice.get(`/api/domains/${ids["id"]}/zonefile`)).body).toBe(before.body);
  });
});
