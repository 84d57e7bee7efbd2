import { beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../notifications/audit/trail.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, freshName, manualZone, unknownId, type Body } from "../../support/zones.ts";
import { idOf } from "./assigned.ts";

const zw = useZonewright();
const requests = "/api/assignments/requests";

let alice: RestClient;
let bob: RestClient;
let zone: Zone;

beforeAll(async () => {
  alice = await zw.member("alice");
  bob = await zw.member("bob");
  zone = await manualZone(zw);
  await zone.add("A", "www.dev", "192.0.2.1");
});

async function ask(client: RestClient, wish: object): Promise<Body> {
  const { status, body } = await client.post(requests, wish);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

const decide = (client: RestClient, id: string, verb: "approve" | "reject", note?: string) =>
  client.post(`${requests}/${id}/${verb}`, note === undefined ? undefined : { note });

const list = async (client: RestClient, query = "") => {
  const { body } = await client.get(`${requests}${query}`);
  return body.requests.map(({ id }: Body) => id);
};

describe("assignment requests", () => {
  test("a request by domain name returns only what was submitted, in canonical form, and its status", async () => {
    const wish = {
      domainName: zone.name.toUpperCase(),
      subdomainPattern: "*.Dev",
      host: `WWW.dev.${zone.name}.`,
      reason: "Moving.",
    };
    expect(await ask(alice, wish)).toEqual({
      id: expect.any(String),
      userId: await idOf(alice),
      username: "alice",
      domainId: null,
      domainName: zone.name,
      subdomainPattern: "*.dev",
      host: "www.dev",
      access: "write",
      reason: "Moving.",
      status: "pending",
      note: null,
      decidedBy: null,
      decidedAt: null,
      assignmentId: null,
      createdAt: expect.any(String),
    });
  });

  test("a request by domain ID does not reveal the domain's name to the requester", async () => {
    const asked = await ask(alice, { domainId: zone.id, subdomainPattern: "by-id" });
    expect(asked).toMatchObject({ domainId: zone.id, domainName: null });
    const { body } = await zw.admin.get(requests);
    expect(body.requests[0]).toMatchObject({ id: asked.id, domainId: zone.id, domainName: zone.name });
    expect((await alice.post(requests, { domainId: unknownId })).status).toBe(404);
  });

  test("the response to a request does not reveal whether the domain is managed here", async () => {
    const names = [zone.name, freshName()];
    const [known, unknown] = await Promise.all(
      names.map((domainName) => ask(bob, { domainName, subdomainPattern: "alike" })),
    );
    const same = { id: "", createdAt: "", domainName: "" };
    expect({ ...known, ...same }).toEqual({ ...unknown, ...same });
  });

  test("a request without a pattern is for its host, or for every host", async () => {
    expect(await ask(bob, { domainName: zone.name, host: "shop" })).toMatchObject({ subdomainPattern: "shop" });
    expect(await ask(bob, { domainName: zone.name, access: "read" })).toMatchObject({
      subdomainPattern: "*",
      host: null,
    });
  });

  test.each([
    ["no domain", {}, "domainName"],
    ["the domain twice", { domainId: unknownId, domainName: "x.example" }, "domainName"],
    ["an invalid domain", { domainName: "x" }, "domainName"],
    ["an invalid pattern", { domainName: "x.example", subdomainPattern: "?" }, "subdomainPattern"],
    ["an invalid host", { domainName: "x.example", host: "a b" }, "host"],
    [
      "a host outside of its pattern",
      { domainName: "x.example", host: "www", subdomainPattern: "*.dev" },
      "subdomainPattern",
    ],
    ["a reason that is too long", { domainName: "x.example", reason: "x".repeat(1_001) }, "reason"],
    ["a status", { domainName: "x.example", status: "approved" }, "status"],
  ])("an assignment request with %s is refused, naming the field", async (_what, wish, field) => {
    const { status, body } = await alice.post(requests, wish);
    expect([status, body.issues[0].path]).toEqual([400, [field]]);
  });

  test("a request cannot be repeated while it is pending, but can be repeated after a decision", async () => {
    const wish = { domainName: zone.name, subdomainPattern: "once" };
    const { id } = await ask(alice, wish);
    expect((await alice.post(requests, wish)).status).toBe(409);
    expect((await decide(zw.admin, id, "reject")).status).toBe(200);
    await ask(alice, wish);
  });

  test("a user can have at most fifty pending requests, also with concurrent calls", async () => {
    const carol = await zw.member("carol");
    for (let count = 0; count < 48; count++) await ask(carol, { domainName: `many${count}.example` });
    const more = Array.from({ length: 24 }, (_, index) => carol.post(requests, { domainName: `more${index}.example` }));
    const answers = await Promise.all(more);
    const refused = answers.filter(({ status }) => status === 409);
    expect([answers.filter(({ status }) => status === 201).length, refused.length]).toEqual([2, 22]);
    expect(refused[0]?.body.detail).toContain("50 pending requests");
    expect((await carol.get(requests)).body.total).toBe(50);
  });

  test("a request is listed for its requester and for administrators, and can be filtered by status", async () => {
    const dave = await zw.member("dave");
    const [first, second] = [
      await ask(dave, { domainName: "a.example" }),
      await ask(dave, { domainName: "b.example" }),
    ];
    await decide(zw.admin, first.id, "reject");
    expect(await list(dave)).toEqual([second.id, first.id]);
    expect(await list(dave, "?status=rejected")).toEqual([first.id]);
    expect(await list(dave, "?limit=1&page=2")).toEqual([first.id]);
    expect((await list(zw.admin)).slice(0, 2)).toEqual([second.id, first.id]);
    expect(await list(zw.admin, "?status=rejected")).toContain(first.id);
    const eve = await zw.member("eve");
    expect(await list(eve)).toEqual([]);
  });
});

describe("deciding on assignment requests", () => {
  test("only administrators can decide on a request", async () => {
    const { id } = await ask(alice, { domainName: zone.name, subdomainPattern: "decide" });
    for (const verb of ["approve", "reject"] as const) expect((await decide(alice, id, verb)).status).toBe(403);
    expect((await decide(zw.admin, unknownId, "approve")).status).toBe(404);
    expect((await decide(zw.admin, unknownId, "reject")).status).toBe(404);
  });

  test("approving a request creates the requested assignment", async () => {
    const frank = await zw.member("frank");
    const seen = new Zone(zw, zone, frank);
    const { id } = await ask(frank, { domainName: zone.name, subdomainPattern: "*.dev" });
    expect((await seen.get("")).status).toBe(404);
    const { status, body } = await decide(zw.admin, id, "approve", "Until May.");
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: "approved", note: "Until May.", decidedBy: await idOf(zw.admin) });
    expect(body.decidedAt).not.toBeNull();
    expect((await seen.records()).map(({ name }) => name)).toEqual(["www.dev"]);
    expect((await seen.create({ recordType: "A", name: "x.dev", value: "192.0.2.1" })).status).toBe(201);
    expect((await frank.get("/api/assignments")).body.assignments).toMatchObject([
      {
        id: body.assignmentId,
        domainId: zone.id,
        subdomainPattern: "*.dev",
        access: "write",
        createdBy: body.decidedBy,
      },
    ]);
    expect((await frank.get(requests)).body.requests).toMatchObject([{ id, domainId: zone.id, domainName: zone.name }]);
  });

  test("rejecting a request creates no assignment", async () => {
    const grace = await zw.member("grace");
    const { id } = await ask(grace, { domainName: zone.name });
    const { body } = await decide(zw.admin, id, "reject", "Ask again in May.");
    expect(body).toMatchObject({ status: "rejected", note: "Ask again in May.", assignmentId: null });
    expect((await grace.get("/api/assignments")).body.total).toBe(0);
    expect((await grace.get(requests)).body.requests).toMatchObject([{ note: "Ask again in May.", domainId: null }]);
  });

  test("of concurrent decisions on a request, one succeeds", async () => {
    const { id } = await ask(await zw.member("heidi"), { domainName: zone.name });
    const verbs = ["approve", "reject", "approve", "reject"] as const;
    const answers = await Promise.all(verbs.map((verb) => decide(zw.admin, id, verb)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });

  test("an approval and the deletion of its domain at the same time do not deadlock", async () => {
    const oscar = await zw.member("oscar");
    for (let round = 0; round < 8; round++) {
      const other = await manualZone(zw);
      const { id } = await ask(oscar, { domainId: other.id, access: "read" });
      const [approved, deleted] = await Promise.all([decide(zw.admin, id, "approve"), zw.admin.delete(other.path)]);
      expect([200, 409]).toContain(approved.status);
      expect(deleted.status).toBe(200);
    }
  });

  test("a request can be approved only once its domain is managed here", async () => {
    const domainName = freshName();
    const { id } = await ask(bob, { domainName, access: "read" });
    const { status, body } = await decide(zw.admin, id, "approve");
    expect([status, body.detail]).toEqual([409, expect.stringContaining("not managed here")]);
    const { body: config } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Later" });
    const { body: added } = await zw.admin.post("/api/domains", { name: domainName, providerConfigId: config.id });
    expect((await decide(zw.admin, id, "approve")).body).toMatchObject({ status: "approved", domainId: added.id });
    expect((await bob.get(`/api/domains/${added.id}`)).status).toBe(200);
  });

  test("approving a request for an existing assignment keeps that one assignment", async () => {
    const ivan = await zw.member("ivan");
    const { id } = await ask(ivan, { domainName: zone.name });
    const given = { userId: await idOf(ivan), domainId: zone.id, access: "write" };
    const { body: assigned } = await zw.admin.post("/api/assignments", given);
    expect((await decide(zw.admin, id, "approve")).body.assignmentId).toBe(assigned.id);
    expect((await ivan.get("/api/assignments")).body.total).toBe(1);
  });

  test("a request survives its domain, and is deleted with its requester", async () => {
    const judy = await zw.member("judy");
    const other = await manualZone(zw);
    const { id, userId } = await ask(judy, { domainId: other.id });
    await zw.admin.delete(other.path);
    const ofJudy = async () =>
      (await zw.admin.get(requests)).body.requests.filter((one: Body) => one.userId === userId);
    expect(await ofJudy()).toMatchObject([{ id, domainId: null, domainName: other.name }]);
    await zw.admin.delete(`/api/users/${userId}`);
    expect(await ofJudy()).toEqual([]);
  });

  test("requests, decisions and the resulting assignments are audited", async () => {
    const wish = { domainName: zone.name, subdomainPattern: "trail" };
    const { id, userId } = await ask(alice, wish);
    const { assignmentId } = (await decide(zw.admin, id, "approve", "Yes.")).body;
    const left = (await entries(zw.admin, { targetId: id })) as Body[];
    expect(left.map(({ action, actorId }) => [action, actorId === userId])).toEqual([
      ["assignment.approve", false],
      ["assignment.request", true],
    ]);
    expect(left[0].after).toMatchObject({ status: "approved", note: "Yes.", assignmentId, userId });
    expect(await entries(zw.admin, { action: "assignment.create", targetId: assignmentId })).toHaveLength(1);
  });
});
