import { beforeAll, describe, expect, test, vi } from "vitest";
import { createClient, type WatchedChange } from "../../../client-sdk/src/index.ts";
import { narrowablePermissions } from "../../../server/access/caller.ts";
import { permissions } from "../../../server/access/permissions.ts";
import { assign, idOf } from "../assignments/assigned.ts";
import { approve, creating, request, requested, requireReview } from "../../zones/change-requests/requested.ts";
import { patience } from "../../support/patience.ts";
import { reverseNet, set } from "../../support/reverse-zones.ts";
import { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, freshName, lineOf, manualConfig, manualZone, unknownId, type Body } from "../../support/zones.ts";

const zw = useZonewright();
const path = "/api/auth/me/tokens";

interface Wish {
  permissions?: readonly string[];
  domainIds?: string[] | null;
  hostPattern?: string | null;
  recordTypes?: string[] | null;
}

let ada: RestClient;
let zone: Zone;
let another: Zone;

/** Tries to create a token with all that a narrowed one may have. */
const ask = (owner: RestClient, wish: Wish) =>
  owner.post(path, { name: "Narrowed", permissions: narrowablePermissions, ...wish });

async function narrowed(owner: RestClient, wish: Wish): Promise<RestClient> {
  const { status, body } = await ask(owner, wish);
  expect(status).toBe(201);
  return new RestClient(zw.url, body.token);
}

async function ownZone(owner: RestClient): Promise<Zone> {
  const { body } = await owner.post("/api/domains", { name: freshName(), providerConfigId: await manualConfig(zw) });
  return new Zone(zw, body, owner);
}

const filled = async (made: Zone): Promise<Zone> => {
  for (const [type, name, value] of [
    ["A", "www", "192.0.2.1"],
    ["TXT", "www", "text of www"],
    ["A", "mail", "192.0.2.2"],
    ["TXT", "_acme-challenge", "proof"],
    ["TXT", "_acme-challenge.www", "proof of www"],
  ] as const)
    await made.add(type, name, value);
  return made;
};

beforeAll(async () => {
  await zw.admin.put(`/api/provider-configs/${await manualConfig(zw)}`, { membersMayUse: true });
  ada = await zw.member("ada");
  zone = await filled(await ownZone(ada));
  another = await filled(await ownZone(ada));
});

describe("creating", () => {
  test("the answer and the list say what a token is narrowed to", async () => {
    const wish = { domainIds: [zone.id, zone.id], hostPattern: "_ACME-challenge*", recordTypes: ["txt", "TXT"] };
    const { status, body } = await ask(ada, wish);
    const shown = { domainIds: [zone.id], hostPattern: "_acme-challenge*", recordTypes: ["TXT"] };
    expect([status, body]).toEqual([201, expect.objectContaining(shown)]);
    expect((await ada.get(path)).body.tokens[0]).toMatchObject(shown);
    const { body: audit } = await zw.admin.get(`/api/audit?action=token.create&targetId=${body.id}`);
    expect(audit.entries[0].after).toMatchObject(shown);
  });

  test.each([
    [{ domainIds: [] }, "domainIds"],
    [{ recordTypes: [] }, "recordTypes"],
    [{ hostPattern: "" }, "hostPattern"],
    [{ hostPattern: "a..b" }, "hostPattern"],
    [{ hostPattern: "two words" }, "hostPattern"],
    [{ recordTypes: ["A A"] }, "recordTypes.0"],
    [{ domainIds: [unknownId] }, "domainIds.0"],
    [{ domainIds: ["x"] }, "domainIds.0"],
    [{ domainIds: Array.from({ length: 101 }, () => unknownId) }, "domainIds"],
  ])("a narrowing that means nothing is refused with the field: %j", async (wish, field) => {
    const answer = await ask(ada, wish);
    expect([answer.status, answer.body.issues.map(({ path: at }: Body) => at.join("."))]).toEqual([400, [field]]);
  });

  test("a pattern that ends in the name of one of the domains is refused", async () => {
    const answer = await ask(ada, { domainIds: [another.id, zone.id], hostPattern: `*.${zone.name}` });
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(`relative to ${zone.name}`)]);
  });

  test("a domain of others cannot be named", async () => {
    const { id } = await manualZone(zw);
    expect((await ask(ada, { domainIds: [zone.id, id] })).body.detail).toContain("No domain has this ID");
  });

  test.each(permissions.filter((each) => !narrowablePermissions.some((one) => one === each)))(
    "a narrowed token cannot have the permission %s",
    async (permission) => {
      const answer = await ask(ada, { recordTypes: ["TXT"], permissions: [permission] });
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(permission)]);
    },
  );
});

describe("reading", () => {
  test("a token narrowed to a domain lists, counts and finds nothing of other domains", async () => {
    await ada.put(another.path, { tags: ["hidden"] });
    const token = await narrowed(ada, { domainIds: [zone.id] });
    const { body } = await token.get("/api/domains");
    expect([body.total, body.domains.map(({ name }: Body) => name)]).toEqual([1, [zone.name]]);
    expect(body.domains[0].recordCount).toBe(5);
    expect(JSON.stringify((await token.get("/api/domains/tags")).body)).not.toContain("hidden");
    expect((await token.get(`/api/domains?search=${another.name}`)).body.total).toBe(0);
    const search = await token.get("/api/records?search=proof");
    expect(new Set(search.body.records.map(({ domainId }: Body) => domainId))).toEqual(new Set([zone.id]));
    expect((await token.get(`/api/domains/zone-of?name=www.${another.name}`)).status).toBe(404);
    expect((await token.get(another.path)).status).toBe(404);
  });

  test.each([
    [{ hostPattern: "_acme-challenge*" }, ["_acme-challenge TXT proof", "_acme-challenge.www TXT proof of www"]],
    [{ recordTypes: ["A"] }, ["mail A 192.0.2.2", "www A 192.0.2.1"]],
    [{ hostPattern: "www", recordTypes: ["TXT"] }, ["www TXT text of www"]],
    [{ hostPattern: "nothing" }, []],
  ])("a token narrowed by %j sees just those records, everywhere", async (wish, lines) => {
    const whole = (await zone.post("/snapshots")).body.id;
    const as = new Zone(zw, zone, await narrowed(ada, wish));
    expect(await as.lines()).toEqual(lines);
    const listed = (await as.client.get("/api/domains")).body.domains.find(({ id }: Body) => id === zone.id);
    expect([listed.recordCount, (await as.detail()).recordCount]).toEqual([lines.length, lines.length]);
    const snapshot = (await as.get(`/snapshots/${whole}`)).body;
    expect([snapshot.recordCount, snapshot.records.map(lineOf).toSorted()]).toEqual([lines.length, lines]);
    const found = (await as.client.get(`/api/records?search=${zone.name}`)).body.records;
    expect(found.map(lineOf).toSorted()).toEqual(lines);
    const file = (await as.get("/zonefile")).body;
    const history = (await as.history()).flatMap(({ changes }) => changes);
    for (const [text, line] of [
      ["192.0.2.2", "mail A 192.0.2.2"],
      ["text of www", "www TXT text of www"],
      ["proof of www", "_acme-challenge.www TXT proof of www"],
    ] as const) {
      const expected = lines.some((each) => each === line);
      expect([text, file.includes(text), JSON.stringify(history).includes(text)]).toEqual([text, expected, expected]);
    }
  });

  test("a stream hears only of changes of records that the token covers", async () => {
    const token = await narrowed(ada, { hostPattern: "_acme-challenge*" });
    const changes: WatchedChange[] = [];
    const client = createClient({ url: zw.url, token: token.token ?? "" });
    const watch = client.domains.watch.subscribe({ ids: [zone.id] }, { onData: (change) => changes.push(change) });
    await vi.waitFor(() => expect(changes).toHaveLength(1), patience);
    await zone.add("A", freshName(), "192.0.2.7");
    await zone.add("TXT", "_acme-challenge.seen", "seen");
    await vi.waitFor(() => expect(changes.length).toBeGreaterThan(1), patience);
    expect(changes).toHaveLength(2);
    watch.unsubscribe();
  });
});

describe("writing", () => {
  test("a token writes what it covers, and nothing else by any call", async () => {
    const own = await filled(await ownZone(ada));
    const as = new Zone(zw, own, await narrowed(ada, { hostPattern: "_acme-challenge*", recordTypes: ["TXT"] }));
    const before = await own.lines();
    const covered = await as.add("TXT", "_acme-challenge.new", "mine");
    expect((await as.update(covered["id"], { value: "changed" })).status).toBe(200);
    expect((await as.update(covered["id"], { name: "elsewhere" })).status).toBe(403);
    expect((await as.update(covered["id"], { recordType: "CNAME", value: "a.example" })).status).toBe(403);
    expect((await as.delete(covered["id"])).status).toBe(200);
    const outside = { recordType: "A", name: "www", value: "192.0.2.66" };
    const refused = await as.create(outside);
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("This token does not cover")]);
    const changes = [{ action: "create", record: outside }];
    expect((await as.post("/records/plan", { changes })).status).toBe(403);
    expect((await as.post("/records/bulk", { records: [outside] })).body.results[0].success).toBe(false);
    const file = { zonefile: "www 60 A 192.0.2.66\n" };
    expect((await as.post("/zonefile", { ...file, mode: "merge" })).status).toBe(403);
    expect((await as.post("/zonefile", { ...file, mode: "replace" })).status).toBe(403);
    const www = (await own.records()).find(({ name }) => name === "www")?.["id"];
    expect([(await as.update(www, { ttl: 90 })).status, (await as.delete(www)).status]).toEqual([404, 404]);
    const set = (await own.history()).find((entry) => JSON.stringify(entry).includes("192.0.2.2"))?.["id"];
    expect((await as.post(`/history/${set}/revert`)).status).toBe(404);
    const replace = { recordType: "A", value: "192.0.2.1", newValue: "192.0.2.66" };
    expect((await as.client.post("/api/records/replace/plan", replace)).body.domains ?? []).toEqual([]);
    expect((await as.post("/sync")).status).toBe(403);
    expect(await own.lines()).toEqual(before);
  });

  test("an owner's token changes apex NS records only if it covers them, and a delegation only with all below", async () => {
    const own = await filled(await ownZone(ada));
    const status = async (wish: Wish, recordType: string, name: string) =>
      (await new Zone(zw, own, await narrowed(ada, wish)).create({ recordType, name, value: "ns1.example.net" }))
        .status;
    expect(await status({ domainIds: [own.id] }, "NS", "@")).toBe(201);
    expect(await status({ hostPattern: "@", recordTypes: ["MX"] }, "NS", "@")).toBe(403);
    expect(await status({ hostPattern: "lab" }, "NS", "lab")).toBe(403);
    expect(await status({ recordTypes: ["NS"] }, "NS", "lab")).toBe(201);
  });

  test("a token never exceeds the assignments of its owner", async () => {
    const member = await zw.member("contractor");
    const own = await filled(await ownZone(ada));
    await assign(zw, member, own.id, "*.dev", "write");
    const token = await narrowed(member, { domainIds: [own.id], hostPattern: "*www*" });
    const as = new Zone(zw, own, token);
    const create = async (name: string) => (await as.create({ recordType: "A", name, value: "192.0.2.8" })).status;
    expect([await create("www.dev"), await create("www"), await create("api.dev")]).toEqual([201, 403, 403]);
    expect(await as.lines()).toEqual(["www.dev A 192.0.2.8"]);
  });

  test("a token does not follow into reverse zones that it does not name, though they are open to everybody", async () => {
    const net = await reverseNet(zw);
    await set(net.zone, { reverseFollowGrant: true });
    const own = await ownZone(ada);
    await set(own, { reverse: "follow" });
    const add = async (client: RestClient, name: string, at: number) =>
      (await new Zone(zw, own, client).create({ recordType: "A", name, value: net.at(at) })).status;
    expect(await add(await narrowed(ada, { domainIds: [own.id] }), "narrowed", 1)).toBe(201);
    expect(await add(ada, "free", 2)).toBe(201);
    await vi.waitFor(async () => expect(await net.zone.lines()).toHaveLength(1), patience);
    expect(await net.zone.lines()).toEqual([expect.stringContaining("free")]);
  });
});

describe("change requests", () => {
  test("a token sees, makes and reviews only requests of records that it covers", async () => {
    const own = await filled(await ownZone(ada));
    const author = await zw.member("author");
    await assign(zw, author, own.id, "*", "write");
    const inside = await requested(author, own, creating("www.lab"));
    const outside = await requested(author, own, creating("api"));
    const mine = await requested(ada, own, creating("mine"));
    const token = await narrowed(ada, { domainIds: [own.id], hostPattern: "*lab" });
    const { body } = await token.get("/api/change-requests");
    expect(body.requests.map(({ id }: Body) => id)).toEqual([inside.id]);
    expect(body.counts).toMatchObject({ open: 1, toReview: 1 });
    for (const { id } of [outside, mine]) expect((await token.get(`/api/change-requests/${id}`)).status).toBe(404);
    expect((await approve(token, inside)).status).toBe(200);
    expect((await request(token, own, creating("db.lab"))).status).toBe(201);
    expect((await request(token, own, creating("db"))).status).toBe(403);
  });

  test("a request by a token is applied within what the token covers", async () => {
    const own = await ownZone(ada);
    await requireReview(zw, own, "everyone");
    const token = await narrowed(ada, { domainIds: [own.id], hostPattern: "*lab" });
    const made = await requested(token, own, creating("db.lab"));
    expect((await approve(zw.admin, made)).status).toBe(200);
    expect((await token.post(`/api/change-requests/${made.id}/apply`)).status).toBe(200);
    expect(await own.lines()).toEqual(["db.lab A 192.0.2.1"]);
  });
});

/** A zone of the administrator whose PTR records follow, and a request for an address in it. */
async function followed() {
  const net = await reverseNet(zw);
  const own = await ownZone(zw.admin);
  await set(own, { reverse: "follow" });
  const made = await requested(zw.admin, own, creating("www", net.at(1)));
  return { net, own, made, path: `/api/change-requests/${made.id}` };
}

describe("a request that its owner made", () => {
  test("a request shows a narrowed token no PTR records of zones that it does not name", async () => {
    const { net, own, made, path } = await followed();
    expect(made.reverse).toEqual([expect.objectContaining({ domainId: net.zone.id, included: true })]);
    const token = await narrowed(zw.admin, { domainIds: [own.id] });
    const { body } = await token.get(path);
    expect(body.reverse).toEqual([expect.objectContaining({ domainId: null, record: null })]);
    expect(JSON.stringify(body)).not.toContain(net.zone.name);
  });

  test("a token that could not make the change itself does not apply its owner's request without an approval", async () => {
    const { net, own, path } = await followed();
    const requestsOnly = await narrowed(zw.admin, { domainIds: [own.id], permissions: ["requests:write"] });
    const body = { name: "Requests", permissions: ["requests:read", "requests:write"] };
    const whole = new RestClient(zw.url, (await zw.admin.post("/api/auth/me/tokens", body)).body.token);
    const withoutReverse = await narrowed(zw.admin, { domainIds: [own.id] });
    for (const [token, reason] of [
      [requestsOnly, "lacks the permission records:write"],
      [whole, "lacks the permission records:write"],
      [withoutReverse, `The PTR record of ${net.at(1)} would follow`],
    ] as const) {
      const answer = await token.post(`${path}/apply`);
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining(reason)]);
    }
    expect(await own.lines()).toEqual([]);
    const both = await narrowed(zw.admin, { domainIds: [own.id, net.zone.id] });
    expect((await both.post(`${path}/apply`)).status).toBe(200);
    expect(await own.lines()).toEqual([`www A ${net.at(1)}`]);
  });

  test("a token for requests only applies its owner's request once somebody approved it", async () => {
    const { own, made, path } = await followed();
    const reviewer = await zw.member("reviewer");
    await assign(zw, reviewer, own.id, "*", "write", { review: true });
    expect((await approve(reviewer, made)).status).toBe(200);
    const token = await narrowed(zw.admin, { domainIds: [own.id], permissions: ["requests:write"] });
    expect((await token.post(`${path}/apply`)).status).toBe(200);
  });
});

test("a token sees the replacements that it started, and no others of its owner", async () => {
  const own = await filled(await ownZone(ada));
  const start = async (client: RestClient, value: string, newValue: string): Promise<string> => {
    const wish = { recordType: "A", value, newValue, domainIds: [own.id] };
    const { body: plan } = await client.post("/api/records/replace/plan", wish);
    const { body } = await client.post("/api/records/replace/apply", { ...wish, planHash: plan.planHash, force: true });
    return body.jobId;
  };
  const token = await narrowed(ada, { domainIds: [own.id], hostPattern: "www" });
  const other = await start(ada, "192.0.2.2", "192.0.2.22");
  const mine = await start(token, "192.0.2.1", "192.0.2.11");
  expect((await token.get(`/api/records/replace/${other}`)).status).toBe(404);
  expect((await token.post(`/api/records/replace/${other}/stop`)).status).toBe(404);
  await vi.waitFor(
    async () => expect((await token.get(`/api/records/replace/${mine}`)).body).toMatchObject({ state: "done" }),
    patience,
  );
  expect(await own.lines()).toContain("www A 192.0.2.11");
});

test("a token ends when the last domain that it names is deleted, and the audit trail says so", async () => {
  const [first, second] = [await ownZone(ada), await ownZone(ada)];
  const { body } = await ask(ada, { domainIds: [first.id, second.id] });
  const token = new RestClient(zw.url, body.token);
  expect((await ada.delete(first.path)).status).toBe(200);
  expect((await token.get(second.path)).status).toBe(200);
  expect((await ada.get(path)).body.tokens[0].domainIds).toEqual([second.id]);
  expect((await ada.delete(second.path)).status).toBe(200);
  await vi.waitFor(async () => expect((await token.get("/api/domains")).status).toBe(401), patience);
  expect((await ada.get(path)).body.tokens.map(({ id }: Body) => id)).not.toContain(body.id);
  const { body: audit } = await zw.admin.get(`/api/audit?action=token.delete&targetId=${body.id}`);
  expect(audit.entries[0]).toMatchObject({ actorId: await idOf(ada), before: { name: "Narrowed" } });
});
