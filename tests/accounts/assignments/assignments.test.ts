import { beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../notifications/audit/trail.ts";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, manualZone, unknownId, type Body } from "../../support/zones.ts";
import { assign, idOf } from "./assigned.ts";

const zw = useZonewright();

let alice: RestClient;
let bob: RestClient;
let aliceId: string;
let zone: Zone;

beforeAll(async () => {
  alice = await zw.member("alice");
  bob = await zw.member("bob");
  aliceId = await idOf(alice);
  zone = await manualZone(zw);
});

const create = (body: object): Promise<Answer> => zw.admin.post("/api/assignments", body);
const given = (subdomainPattern: string, more: object = {}) => ({
  userId: aliceId,
  domainId: zone.id,
  subdomainPattern,
  ...more,
});

describe("assignments", () => {
  test("an assignment is returned as stored, with its canonical pattern and its creator", async () => {
    const { status, body } = await create(given("*.Dev", { access: "write" }));
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        userId: aliceId,
        domainId: zone.id,
        domainName: zone.name,
        groupName: null,
        tag: null,
        subdomainPattern: "*.dev",
        access: "write",
        recordTypes: [],
        review: false,
        expiresAt: null,
        fromGroup: false,
        createdBy: await idOf(zw.admin),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  test("an assignment covers every host for reading by default", async () => {
    const { id: domainId } = await manualZone(zw);
    const { body } = await create({ userId: aliceId, domainId });
    expect(body).toMatchObject({ subdomainPattern: "*", access: "read" });
  });

  test("an assignment exists once, and can coexist with one for the other access", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create(given("once", { access: "read" }))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await create(given("once", { access: "write" }))).status).toBe(201);
  });

  test.each([
    ["an invalid pattern", () => given("a b"), "subdomainPattern"],
    ["a pattern that repeats the domain", () => given(`*.${zone.name}`), "subdomainPattern"],
    ["an invalid access", () => given("x", { access: "all" }), "access"],
    ["an unknown user", () => given("x", { userId: unknownId }), "userId"],
    ["an unknown domain", () => given("x", { domainId: unknownId }), "domainId"],
    ["an unknown field", () => given("x", { createdBy: aliceId }), "createdBy"],
  ])("an assignment with %s is refused, naming the field", async (_what, body, field) => {
    const { status, body: problem } = await create(body());
    expect([status, problem.issues[0].path]).toEqual([400, [field]]);
  });

  test("an assignment takes effect with the next call, and ends with the next call after its deletion", async () => {
    const other = await manualZone(zw);
    const dan = await zw.member("dan");
    const seen = new Zone(zw, other, dan);
    expect((await seen.get("/records")).status).toBe(404);
    const { id } = await assign(zw, dan, other.id, "*", "write");
    expect((await seen.create({ recordType: "A", name: "www", value: "192.0.2.1" })).status).toBe(201);
    const { status, body } = await zw.admin.delete(`/api/assignments/${id}`);
    expect([status, body]).toEqual([200, { success: true }]);
    const record = { recordType: "A", name: "again", value: "192.0.2.1" };
    for (const answer of [await seen.get("/records"), await seen.create(record), await seen.get("")])
      expect(answer).toBeProblem(404, "NOT_FOUND");
    expect((await dan.get("/api/domains")).body.total).toBe(0);
    expect((await zw.admin.delete(`/api/assignments/${id}`)).status).toBe(404);
  });

  test("an assignment is deleted with its domain and with its user", async () => {
    const other = await manualZone(zw);
    const carol = await zw.member("carol");
    const mine = await assign(zw, carol, other.id, "*");
    await assign(zw, alice, other.id, "*");
    const left = async () => (await zw.admin.get(`/api/assignments?domainId=${other.id}`)).body.total;
    expect(await left()).toBe(2);
    await zw.admin.delete(`/api/users/${mine.userId}`);
    expect(await left()).toBe(1);
    await zw.admin.delete(other.path);
    expect(await left()).toBe(0);
  });

  test("only administrators can create and delete assignments", async () => {
    const { id } = await assign(zw, bob, zone.id, "theirs", "read");
    for (const member of [alice, bob]) {
      expect((await member.post("/api/assignments", given("*", { access: "write" }))).status).toBe(403);
      expect((await member.delete(`/api/assignments/${id}`)).status).toBe(403);
    }
  });

  test("creating and deleting an assignment is audited", async () => {
    const { id } = await assign(zw, bob, zone.id, "trail", "write");
    await zw.admin.delete(`/api/assignments/${id}`);
    const rest = { access: "write", recordTypes: [], review: false, expiresAt: null };
    const what = { userId: await idOf(bob), domainId: zone.id, subdomainPattern: "trail", ...rest };
    const left = (await entries(zw.admin, { targetType: "assignment", targetId: id })) as Body[];
    expect(left.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: "assignment.delete", before: what, after: null },
      { action: "assignment.create", before: null, after: what },
    ]);
  });
});

const list = async (client: RestClient, query = "") => (await client.get(`/api/assignments${query}`)).body;

describe("the list of assignments", () => {
  test("members list their own assignments and administrators all, newest first, filtered by user and domain", async () => {
    const [dave, erin, other] = [await zw.member("dave"), await zw.member("erin"), await manualZone(zw)];
    const first = await assign(zw, dave, zone.id, "a");
    const second = await assign(zw, erin, other.id, "b");
    const third = await assign(zw, dave, other.id, "c", "read");
    expect(await list(dave)).toEqual({ assignments: [third, first], total: 2, page: 1, limit: 20 });
    expect(await list(dave, "?limit=1&page=2")).toEqual({ assignments: [first], total: 2, page: 2, limit: 1 });
    expect((await list(dave, `?userId=${second.userId}`)).total).toBe(0);
    expect((await list(erin)).assignments).toEqual([second]);
    expect((await list(zw.admin)).assignments.slice(0, 3)).toEqual([third, second, first]);
    expect((await list(zw.admin, `?userId=${first.userId}`)).assignments).toEqual([third, first]);
    expect((await list(zw.admin, `?domainId=${other.id}&userId=${first.userId}`)).assignments).toEqual([third]);
  });
});
