import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { queries } from "../../../server/database/database.ts";
import { assign, idOf } from "../../accounts/assignments/assigned.ts";
import { narrowedToken } from "../../dns-service/update-clients/narrowed.ts";
import { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, unknownId, type Body, type Zone } from "../../support/zones.ts";
import { approve, creating, readRequest, request, requested, verdict } from "./requested.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let ada: RestClient;
let zone: Zone;
beforeAll(async () => {
  ada = await zw.member("ada");
  zone = await manualZone(zw);
  await assign(zw, ada, zone.id, "*", "write");
});

describe("a request", () => {
  test.each([
    ["without changes", { title: "x", changes: [] }, "changes"],
    ["without a title", { changes: creating("www") }, "title"],
    ["with an empty title", { title: "", changes: creating("www") }, "title"],
    ["with a title of 201 characters", { title: "x".repeat(201), changes: creating("www") }, "title"],
    ["with a title in which text turns around", { title: "a\u202eb", changes: creating("www") }, "title"],
    ["with a note of 5,001 characters", { title: "x", note: "x".repeat(5_001), changes: creating("www") }, "note"],
    ["with an unknown action", { title: "x", changes: [{ action: "move" }] }, "changes"],
    ["with 10,001 changes", { title: "x", changes: Array(10_001).fill(creating("www")[0]) }, "changes"],
    [
      "that names a record twice",
      { title: "x", changes: ["a", "b"].map(() => ({ action: "delete", recordId: unknownId })) },
      "changes",
    ],
  ])("%s is refused, and names the field", async (_, body, field) => {
    const answer = await ada.post(`${zone.path}/change-requests`, body);
    expect({ status: answer.status, field: answer.body.issues?.[0]?.path[0] }).toEqual({ status: 400, field });
  });

  test("a request that would change nothing is refused", async () => {
    const { id: recordId } = await zone.add("A", "same", "192.0.2.1");
    const changes = [{ action: "update", recordId, record: { value: "192.0.2.1" } }];
    expect((await request(ada, zone, changes)).status).toBe(400);
  });

  test("a request that breaks a zone rule is refused like a plan", async () => {
    await zone.add("A", "taken", "192.0.2.1");
    const changes = [{ action: "create", record: { recordType: "CNAME", name: "taken", value: "a.example.net" } }];
    expect((await request(ada, zone, changes)).body).toMatchObject({ status: 409, code: "CONFLICT" });
  });

  test("a token that may only request changes gets the plan that others get, and makes none of it", async () => {
    const made = await zw.admin.post("/api/auth/me/tokens", { name: "Proposer", permissions: ["requests:write"] });
    const proposer = new RestClient(zw.url, made.body.token);
    const changes = creating("planned");
    expect(await proposer.post(`${zone.path}/records/plan`, { changes })).toBeProblem(403, "FORBIDDEN");
    const { status, body } = await proposer.post(`${zone.path}/change-requests/plan`, { changes });
    expect({ status, body }).toEqual({ status: 200, body: (await zone.post("/records/plan", { changes })).body });
    expect((await zone.records()).filter(({ name }) => name === "planned")).toEqual([]);
    const { planHash } = body;
    expect(await proposer.post(`${zone.path}/records/apply`, { changes, planHash })).toBeProblem(403, "FORBIDDEN");
  });

  describe("with 10,000 changes", () => {
    let large: Zone;
    let made: Body;
    let approved: Body;
    // Each step takes seconds, and has a time limit of its own.
    beforeAll(async () => {
      large = await manualZone(zw);
      await assign(zw, ada, large.id, "*", "write");
      const changes = Array.from({ length: 10_000 }, (_, index) =>
        creating(`h${index}`, `10.${index >> 8}.${index & 255}.1`),
      ).flat();
      made = await requested(ada, large, changes, { note: "x".repeat(5_000) });
    });
    beforeAll(async () => {
      approved = (await approve(zw.admin, made)).body;
    });

    test("can be made, read, approved and applied as one change", async () => {
      expect(made).toMatchObject({ creates: 10_000 });
      expect(approved.state).toBe("approved");
      const applied = await verdict(ada, made, "apply");
      expect(applied.body).toMatchObject({ state: "applied", creates: 10_000 });
      expect(applied.body.plan.creates).toHaveLength(10_000);
      expect(await large.detail()).toMatchObject({ recordCount: 10_000 });
      const { body } = await zw.admin.get(`/api/change-requests?domain=${large.id}`);
      expect(body.requests[0]).not.toHaveProperty("plan");
    });
  });

  test("a request body of more than 1 MiB is accepted after sign-in and refused before", async () => {
    const changes = Array.from({ length: 550 }, (_, index) => ({
      action: "create",
      record: { recordType: "TXT", name: `t${index}`, value: "v".repeat(2_000) },
    }));
    const body = { title: "x", changes };
    expect(JSON.stringify(body).length).toBeGreaterThan(1_048_576);
    expect((await ada.post(`${zone.path}/change-requests`, body)).status).toBe(201);
    expect((await zw.nobody.post(`${zone.path}/change-requests`, body)).status).toBeGreaterThanOrEqual(400);
  });
});

/** Returns the ids in somebody's whole list of requests, all of them open. */
const openFor = async (client: RestClient) => {
  const { body } = await client.get("/api/change-requests");
  expect(body.counts.open).toBe(body.total);
  return body.requests.map(({ id }: Body) => id);
};

describe("the list", () => {
  test("filters by state, domain, author and what waits for the caller's review, and counts", async () => {
    const own = await manualZone(zw);
    await assign(zw, ada, own.id, "*", "write");
    const [one, two, three] = [
      await requested(ada, own, creating("one")),
      await requested(ada, own, creating("two")),
      await requested(zw.admin, own, creating("three")),
    ];
    await approve(zw.admin, two);
    const listed = async (client: RestClient, query: string) =>
      (await client.get(`/api/change-requests?domain=${own.id}&${query}`)).body.requests.map(({ id }: Body) => id);
    expect(await listed(zw.admin, "")).toEqual([three.id, two.id, one.id]);
    expect(await listed(zw.admin, "state=approved")).toEqual([two.id]);
    expect(await listed(zw.admin, "mine=true")).toEqual([three.id]);
    expect(await listed(zw.admin, "toReview=true")).toEqual([one.id]);
    expect(await listed(ada, "toReview=true")).toEqual([]);
    expect(await listed(ada, "mine=true&state=open")).toEqual([one.id]);
    const { body } = await zw.admin.get("/api/change-requests?limit=1");
    expect(body.requests).toHaveLength(1);
    expect(body.counts).toMatchObject({ approved: 1 });
    expect(body.counts.open).toBe(body.counts.toReview + 1);
  });

  test.each(["state=done", "domain=x", "mine=perhaps", "limit=101", "page=0"])("%s is refused", async (query) => {
    expect((await ada.get(`/api/change-requests?${query}`)).status).toBe(400);
  });

  test("a member who sees more than a thousand domains sees the requests of these, and no other", async () => {
    const many = await zw.member("many");
    const groupName = "Thousands";
    await sql`
      insert into domains (id, name, provider_zone, provider_config_id, group_name, expiry_remind_days, auto_check_expiry)
      select gen_random_uuid(), 'many' || n || '.example', 'many' || n || '.example', (select id from provider_configs limit 1), ${groupName}, '{}', false
      from generate_series(1, 1001) n
    `.execute(queries(zw.services.database.fork()));
    const [whole, partly, foreign, mine] = await Promise.all([1, 2, 3, 4].map(() => manualZone(zw)));
    if (!whole || !partly || !foreign || !mine) throw new Error("There are four.");
    await zw.admin.put(whole.path, { groupName });
    const userId = await idOf(many);
    await zw.admin.post("/api/assignments", { userId, groupName, access: "read" });
    await assign(zw, many, partly.id, "dev*", "read");
    await assign(zw, many, mine.id, "*", "write");
    const shown = [
      await requested(zw.admin, whole, creating("www")),
      await requested(zw.admin, partly, creating("dev1")),
      await requested(many, mine, creating("www")),
    ];
    await requested(zw.admin, partly, creating("www"));
    await requested(zw.admin, foreign, creating("www"));
    expect(await openFor(many)).toEqual(shown.map(({ id }) => id).toReversed());
    const token = await narrowedToken(many, { hostPattern: "dev*", permissions: ["requests:read"] });
    expect(await openFor(new RestClient(zw.url, token))).toEqual([shown[1]?.id]);
  });

  test("its owner reviews the requests for a zone", async () => {
    const config = { kind: "manual", name: "Of members", membersMayUse: true };
    const { body: open } = await zw.admin.post("/api/provider-configs", config);
    const owner = await zw.member("owner");
    const { body } = await owner.post("/api/domains", { name: "owned.example", providerConfigId: open.id });
    await assign(zw, ada, body.id, "*", "write");
    const made = (await ada.post(`/api/domains/${body.id}/change-requests`, { title: "x", changes: creating("www") }))
      .body;
    expect((await owner.get("/api/change-requests?toReview=true")).body).toMatchObject({
      requests: [{ id: made.id }],
      counts: { open: 1, toReview: 1 },
    });
    expect((await approve(owner, made)).body.state).toBe("approved");
  });
});

describe("comments", () => {
  test("everyone who sees a request comments on it, also once it is closed", async () => {
    const made = await requested(ada, zone, creating("commented"));
    const path = `/api/change-requests/${made.id}/comments`;
    expect((await zw.admin.post(path, { text: "Still in use?" })).status).toBe(201);
    await verdict(ada, made, "withdraw");
    expect((await ada.post(path, { text: "No." })).status).toBe(201);
    const { body } = await ada.get(path);
    expect(body).toMatchObject({
      comments: [
        { user: "admin", text: "Still in use?" },
        { user: "ada", text: "No." },
      ],
      total: 2,
    });
    expect((await readRequest(ada, made)).commentCount).toBe(2);
    const stranger = await zw.member("stranger");
    expect((await stranger.post(path, { text: "Hello" })).status).toBe(404);
    expect((await stranger.get(path)).status).toBe(404);
  });

  test.each(["", "  ", "x".repeat(5_001), "a\u202eb", 7, null])("%j is refused", async (text) => {
    const made = await requested(ada, zone, creating("bad"));
    expect((await ada.post(`/api/change-requests/${made.id}/comments`, { text })).status).toBe(400);
    await verdict(ada, made, "withdraw");
  });

  test("a request takes a thousand comments, in pages, and no more, however many come at the same time", async () => {
    const made = await requested(ada, zone, creating("busy"));
    const path = `/api/change-requests/${made.id}/comments`;
    const db = queries(zw.services.database.fork());
    await sql`
      insert into change_request_comments (id, change_request_id, text, created_at)
      select gen_random_uuid(), ${made.id}::uuid, 'And another one.', now() from generate_series(1, 990)
    `.execute(db);
    await db.updateTable("change_requests").set({ comment_count: 990 }).where("id", "=", made.id).execute();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.post(path, { text: "And the last." })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(answers.map(({ body }) => body.code ?? null))).toEqual(new Set([null, "CONFLICT"]));
    const { body } = await ada.get(`${path}?page=10&limit=100`);
    expect({ total: body.total, shown: body.comments.length }).toEqual({ total: 1_000, shown: 100 });
  });
});
