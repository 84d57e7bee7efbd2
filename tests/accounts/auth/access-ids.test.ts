import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { narrowablePermissions } from "../../../server/access/caller.ts";
import { accessRows, procedures, unknownId, type AccessRow } from "../../support/access-table.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { site } from "../../support/second-factors/security-key.ts";
import { startGandi, type RegistrarAccount } from "../../support/vendors/registrars/account.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { made, workingCalls, type Ids } from "./working-calls.ts";

const zw = useZonewright({ env: { SITE_URL: site, EGRESS_ALLOW: "127.0.0.1" } });
const rows = (await accessRows()).filter(({ whose }) => whose !== "nobody's");

const successes = [200, 201, 202];
const done = (code: number) => (successes.includes(code) ? "done" : code);

let alice: RestClient;
let bob: RestClient;
/** Can read every host of the zones assigned to them. */
let reader: RestClient;
/** Can propose changes at every host of those zones. */
let proposer: RestClient;
/** Can change every host of those zones. */
let writer: RestClient;
/** Can change only hosts that have no record here. */
let elsewhere: RestClient;
let forMembers: string;
let registrar: RegistrarAccount;
let signer: CloudflareServer;
const { calls, zone, userId } = workingCalls(
  zw,
  () => forMembers,
  () => alice,
  () => registrar,
  () => signer,
);

afterAll(async () => {
  await Promise.all([registrar.stop(), signer.stop()]);
});
beforeAll(async () => {
  [registrar, signer] = await Promise.all([startGandi(), startCloudflare()]);
  alice = await zw.member("alice");
  bob = await zw.member("bob");
  reader = await zw.member("reader");
  proposer = await zw.member("proposer");
  writer = await zw.member("writer");
  elsewhere = await zw.member("elsewhere");
  const manual = { kind: "manual", name: "Open", membersMayUse: true, config: {} };
  forMembers = await made(zw.admin, "/api/provider-configs", manual);
});

const assignees = {
  reader: ["*", "read"],
  proposer: ["*", "propose"],
  writer: ["*", "write"],
  elsewhere: ["*.elsewhere", "write"],
} as const;
type Assignee = keyof typeof assignees;

/** Assigns one of alice's zones to members. */
async function assign(ids: Ids, ...members: Assignee[]): Promise<void> {
  for (const member of members) {
    const [subdomainPattern, access] = assignees[member];
    const client = { reader, proposer, writer, elsewhere }[member];
    const body = { userId: await userId(client), domainId: ids["id"], subdomainPattern, access };
    await made(zw.admin, "/api/assignments", body);
  }
}

type Thing = (owner: RestClient) => Promise<Ids>;

function kept<Key, Value>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const values = new Map<Key, Promise<Value>>();
  return (key) => {
    const value = values.get(key) ?? make(key);
    values.set(key, value);
    return value;
  };
}

/** Things of alice for calls that read them, or are refused. */
const untouched = kept((thing: Thing) => thing(alice));
/** Others of the same kind. */
const alsoUntouched = kept((thing: Thing) => thing(alice));
/** One that is assigned to every member with an assignment. */
const untouchedAssigned = kept(async (thing: Thing) => {
  const ids = await thing(alice);
  await assign(ids, "reader", "proposer", "writer", "elsewhere");
  return ids;
});

const queries = new Set(procedures.filter(({ type }) => type === "query").map(({ name }) => name));

/** A thing that a call may change. */
async function changeable({ procedure }: AccessRow, thing: Thing): Promise<Ids> {
  return await (queries.has(procedure) ? untouched(thing) : thing(alice));
}

/** Calls it as a client, with these IDs in the path and a valid body. */
async function call(client: RestClient, { procedure, method, path }: AccessRow, ids: Ids): Promise<Answer> {
  const { body, query } = calls[procedure] ?? {};
  const target = path.replaceAll(/:(\w+)/g, (_all, name: string) => ids[name] ?? unknownId);
  return await client.send(method, target + (query?.(ids) ?? ""), await body?.(ids, client));
}

async function status(client: RestClient, row: AccessRow, ids: Ids): Promise<number> {
  return (await call(client, row, ids)).status;
}

test("every call with an ID in its path is tested here", () => {
  expect(Object.keys(calls).toSorted()).toEqual(rows.map(({ procedure }) => procedure).toSorted());
});

/** Calls on a part of a zone. Templates belong to no zone. */
const onParts = rows.filter(({ path }) => path.match(/:/g)?.length === 2 && !path.includes(":templateId"));

/** What the page says about members with assignments, tried in turn on the same zone; a refused call changes nothing. */
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
    ["proposer", 403],
    ["writer", "done"],
  ],
  "proposable zones": [
    ["reader", 403],
    ["proposer", "done"],
    ["writer", "done"],
  ],
} as const;

/** The status for a member who may change only hosts other than the call's. */
const atOtherHosts: Record<string, number> = {
  "records.create": 403,
  "changeRequests.create": 403,
  "records.importZonefile": 403,
  "records.planZonefile": 403,
  "v1.createRecord": 403,
  // Each item has its own result.
  "records.bulkCreate": 200,
  "records.plan": 404,
  "changeRequests.plan": 404,
  // It compares no others.
  "changeRequests.planZonefile": 200,
  "records.applyPlan": 404,
  "records.revert": 404,
  // It changes no records, and shows findings only at their hosts.
  "delegation.check": 200,
  "dnssec.check": 200,
  "snapshots.create": 201,
  "templates.plan": 403,
  "templates.applyPlan": 403,
  "templates.unlink": 404,
};

/** A token of this owner that may do at one domain all that a narrowed token may. */
const narrowedOf = kept((owner: RestClient) =>
  Promise.resolve(
    kept(async (ids: Ids) => {
      const wish = { name: "Narrowed", permissions: narrowablePermissions, domainIds: [ids["id"]] };
      const { body } = await owner.post("/api/auth/me/tokens", wish);
      return new RestClient(zw.url, body.token);
    }),
  ),
);

async function narrowed(owner: RestClient, ids: Ids): Promise<RestClient> {
  return await (
    await narrowedOf(owner)
  )(ids);
}

type InZone = AccessRow & { whose: keyof typeof toAssigned };
const inZones = rows.filter((row): row is InZone => row.whose in toAssigned);
const narrowable = inZones.filter(({ permission }) => narrowablePermissions.some((each) => each === permission));

const forMember = ({ access }: AccessRow) => (access === "signedIn" ? 404 : 403);
const parametersOf = ({ path }: AccessRow) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/** Everybody who must be refused tries the same thing, and then its owner, for whom it still exists. */
const tried = kept(async (row: AccessRow) => {
  const { thing = zone } = calls[row.procedure] ?? {};
  const ids = await changeable(row, thing);
  const others: number[] = [];
  for (const other of [bob, ...(row.whose === "own" ? [zw.admin] : [])]) others.push(await status(other, row, ids));
  const unknown: { parameter: string; admin: number; member: number }[] = [];
  for (const parameter of parametersOf(row)) {
    const wrong = { ...ids, [parameter]: unknownId };
    const [admin, member] = [await status(zw.admin, row, wrong), await status(alice, row, wrong)];
    unknown.push({ parameter, admin, member });
  }
  const ofAnotherZone: number[] = [];
  if (onParts.includes(row)) {
    const mixed = { ...ids, id: (await alsoUntouched(thing))["id"] ?? "" };
    for (const client of [zw.admin, alice]) ofAnotherZone.push(await status(client, row, mixed));
  }
  const narrowedElsewhere: [status: number, body: string][] = [];
  if (narrowable.some(({ procedure }) => procedure === row.procedure))
    for (const client of [alice, zw.admin]) {
      const token = await narrowed(client, await alsoUntouched(zone));
      const { status: code, body } = await call(token, row, ids);
      narrowedElsewhere.push([code, JSON.stringify(body)]);
    }
  const owner = row.access === "signedIn" ? alice : zw.admin;
  return { others, unknown, ofAnotherZone, narrowedElsewhere, owner: await status(owner, row, ids) };
});

describe.each(rows)("$method $path", (row) => {
  const { access, whose, procedure } = row;

  test("a call with an ID works for every caller the access table names", async () => {
    expect(successes).toContain((await tried(row)).owner);
    const { thing = zone } = calls[procedure] ?? {};
    const others = access === "signedIn" && whose !== "own" && whose !== "own requests" ? [zw.admin] : [];
    for (const client of others) expect(successes).toContain(await status(client, row, await changeable(row, thing)));
  });

  test("a call with an ID finds nothing for other callers or unknown IDs, and changes nothing", async () => {
    const { others, unknown, owner } = await tried(row);
    const expected = forMember(row);
    expect(others).toEqual(others.map(() => expected));
    expect(unknown).toEqual(parametersOf(row).map((parameter) => ({ parameter, admin: 404, member: expected })));
    expect(successes).toContain(owner);
  });
});

describe.each(onParts)("$method $path", (row) => {
  test("a call finds no part of another zone, even one of the same owner", async () => {
    const { ofAnotherZone, owner } = await tried(row);
    expect(ofAnotherZone).toEqual([404, forMember(row)]);
    expect(successes).toContain(owner);
  });
});

function elsewhereGets({ whose, path, procedure }: InZone): number | undefined {
  if (whose === "own zones") return 403;
  if (whose === "readable zones") return 200;
  return path.includes(":recordId") ? 404 : atOtherHosts[procedure];
}

describe.each(inZones)("$method $path", (row) => {
  const { thing = zone } = calls[row.procedure] ?? {};

  test("a call on an assigned zone does what the access table says for its members", async () => {
    const members = toAssigned[row.whose];
    const ids = await (queries.has(row.procedure) ? untouchedAssigned(thing) : thing(alice));
    if (!queries.has(row.procedure)) {
      await assign(ids, ...members.flatMap(([who]) => (who === "owner" ? [] : [who])));
    }
    for (const [who, expected] of members) {
      const client = { reader, proposer, writer, owner: alice }[who];
      expect([who, done(await status(client, row, ids))]).toEqual([who, expected]);
    }
  });

  test("a call on an assigned zone shows and changes nothing at unassigned hosts", async () => {
    const ids = await untouchedAssigned(thing);
    const before = await alice.get(`/api/domains/${ids["id"]}/zonefile`);
    const { status: code, body } = await call(elsewhere, row, ids);
    expect(code).toBe(elsewhereGets(row));
    expect(JSON.stringify(body)).not.toContain("192.0.2.1");
    expect((await alice.get(`/api/domains/${ids["id"]}/zonefile`)).body).toBe(before.body);
  });
});

describe.each(narrowable)("$method $path", (row) => {
  test("a token narrowed to other domains of its owner finds nothing, whoever that is", async () => {
    const { narrowedElsewhere, owner } = await tried(row);
    const nothing = [404, expect.not.stringContaining("192.0.2.1")];
    expect(narrowedElsewhere).toEqual([nothing, nothing]);
    expect(successes).toContain(owner);
  });

  test("a token narrowed to a domain does there what its owner may, but nothing about the domain as a whole", async () => {
    const { thing = zone } = calls[row.procedure] ?? {};
    const expected = row.whose === "own zones" ? 403 : "done";
    for (const owner of [alice, zw.admin]) {
      const ids = await (expected === 403 ? untouched(thing) : changeable(row, thing));
      expect(done(await status(await narrowed(owner, ids), row, ids))).toBe(expected);
    }
  });
});
