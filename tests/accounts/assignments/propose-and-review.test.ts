import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { approve, creating, readRequest, request, requested, verdict } from "../../zones/change-requests/requested.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { Zone, manualZone, type Body } from "../../support/zones.ts";
import { idOf } from "./assigned.ts";

const zw = useZonewright();

let proposer: RestClient;
let reviewer: RestClient;
let zone: Zone;

beforeAll(async () => {
  proposer = await zw.member("proposer");
  reviewer = await zw.member("reviewer");
});
beforeEach(async () => {
  zone = await manualZone(zw);
});

async function give(client: RestClient, more: object): Promise<Body> {
  const wish = { userId: await idOf(client), domainId: zone.id, ...more };
  const { status, body } = await zw.admin.post("/api/assignments", wish);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

const a = (name: string) => creating(name);
const of = (recordType: string, name: string, value: string) => [
  { action: "create", record: { recordType, name, value } },
];
const names = async () => (await zone.records()).map(({ name }) => name);

const toReview = async (client: RestClient) => (await client.get("/api/change-requests?toReview=true")).body;

describe("an assignment to propose", () => {
  test("its member requests changes, makes none, and applies one only once it was approved", async () => {
    await give(proposer, { access: "propose" });
    const seen = new Zone(zw, zone, proposer);
    expect((await seen.create({ recordType: "A", name: "www", value: "192.0.2.1" })).status).toBe(403);
    expect(
      (await seen.post("/records/bulk", { records: [{ recordType: "A", name: "www", value: "192.0.2.1" }] })).status,
    ).toBe(403);
    const plan = await seen.post("/records/plan", { changes: a("www") });
    expect(plan.status).toBe(200);
    expect((await seen.post("/records/apply", { changes: a("www"), planHash: plan.body.planHash })).status).toBe(403);
    const made = await requested(proposer, zone, a("www"));
    expect(made).toMatchObject({ state: "open", mayReview: false, mayApply: true, outdated: false });
    expect(await verdict(proposer, made, "apply")).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
    expect((await approve(proposer, made)).status).toBe(403);
    expect(await names()).toEqual([]);
    expect((await approve(zw.admin, made)).status).toBe(200);
    expect((await verdict(proposer, made, "apply")).body.state).toBe("applied");
    expect(await names()).toEqual(["www"]);
  });

  test("it covers only its hosts and types", async () => {
    await give(proposer, { access: "propose", recordTypes: ["TXT"], subdomainPattern: "*.dev" });
    expect((await request(proposer, zone, of("TXT", "x.dev", "text"))).status).toBe(201);
    expect((await request(proposer, zone, of("A", "x.dev", "192.0.2.1"))).status).toBe(403);
    expect((await request(proposer, zone, of("TXT", "www", "text"))).status).toBe(403);
    expect((await request(proposer, zone, of("NS", "@", "ns1.example.net"))).status).toBe(403);
  });

  test("apex NS records are proposed only where an assignment names the type", async () => {
    await give(proposer, { access: "propose" });
    expect((await request(proposer, zone, of("NS", "@", "ns1.example.net"))).status).toBe(403);
    await give(proposer, { access: "propose", recordTypes: ["NS"] });
    expect((await request(proposer, zone, of("NS", "@", "ns1.example.net"))).status).toBe(201);
  });

  test("a member who loses the right to write still needs an approval to apply", async () => {
    const writing = await give(proposer, { access: "write" });
    await give(proposer, { access: "propose" });
    const made = await requested(proposer, zone, a("www"));
    await zw.admin.delete(`/api/assignments/${writing.id}`);
    expect(await verdict(proposer, made, "apply")).toMatchObject({ status: 409, body: { code: "REVIEW_REQUIRED" } });
    await approve(zw.admin, made);
    expect((await verdict(proposer, made, "apply")).body.state).toBe("applied");
  });

  test("a request of a member who may no longer propose is not applied", async () => {
    const given = await give(proposer, { access: "propose" });
    await give(proposer, { access: "read" });
    const made = await requested(proposer, zone, a("www"));
    await approve(zw.admin, made);
    await zw.admin.delete(`/api/assignments/${given.id}`);
    expect((await verdict(zw.admin, made, "apply")).status).toBe(403);
    expect(await names()).toEqual([]);
  });
});

describe("an assignment to review", () => {
  test("its member is notified, lists, approves and applies requests of others, and changes nothing alone", async () => {
    await give(reviewer, { access: "read", review: true });
    await reviewer.delete("/api/notifications");
    const made = await requested(zw.admin, zone, a("www"));
    const { notifications } = (await reviewer.get("/api/notifications")).body;
    expect(notifications.map(({ event }: Body) => event)).toEqual(["change.requested"]);
    expect(await toReview(reviewer)).toMatchObject({ requests: [{ id: made.id }], counts: { toReview: 1 } });
    expect(await readRequest(reviewer, made)).toMatchObject({ mayReview: true, mayApply: true });
    expect((await approve(reviewer, made)).status).toBe(200);
    expect((await verdict(reviewer, made, "apply")).body.state).toBe("applied");
    const seen = new Zone(zw, zone, reviewer);
    expect((await seen.create({ recordType: "A", name: "other", value: "192.0.2.1" })).status).toBe(403);
  });

  test("with some hosts and types, only requests that touch nothing else are for its member", async () => {
    await give(reviewer, { access: "read" });
    await give(reviewer, { access: "read", review: true, recordTypes: ["A"], subdomainPattern: "dev*" });
    await give(reviewer, { access: "read", review: true, recordTypes: ["TXT"], subdomainPattern: "dev*" });
    await reviewer.delete("/api/notifications");
    const inside = await requested(zw.admin, zone, [...a("dev1"), ...of("TXT", "dev2", "text")]);
    const otherHost = await requested(zw.admin, zone, [...a("dev3"), ...a("www")]);
    const otherType = await requested(zw.admin, zone, of("MX", "dev4", "10 mail.example.net"));
    expect((await toReview(reviewer)).requests.map(({ id }: Body) => id)).toEqual([inside.id]);
    const { notifications } = (await reviewer.get("/api/notifications")).body;
    expect(notifications.map(({ metadata }: Body) => metadata.changeRequestId)).toEqual([inside.id]);
    for (const other of [otherHost, otherType])
      for (const verb of ["reject", "apply"] as const) expect((await verdict(reviewer, other, verb)).status).toBe(403);
    expect((await approve(reviewer, inside)).status).toBe(200);
  });

  const splits: [what: string, assignments: object[], reviews: boolean][] = [
    ["all types at the name and below it", [{ subdomainPattern: "dev" }, { subdomainPattern: "*.dev" }], true],
    [
      "the type at the name and below it",
      [
        { subdomainPattern: "dev", recordTypes: ["NS", "A"] },
        { subdomainPattern: "*.dev", recordTypes: ["NS"] },
      ],
      true,
    ],
    [
      "the type at the name, all types below it",
      [{ subdomainPattern: "dev", recordTypes: ["NS", "A"] }, { subdomainPattern: "*.dev" }],
      false,
    ],
    ["all types at the name alone", [{ subdomainPattern: "dev" }], false],
    ["all types below the name alone", [{ subdomainPattern: "*.dev" }], false],
  ];
  test.each(splits)(
    "with %s, a delegation is for a member to review, in notifications, lists and verdicts alike: %#",
    async (_, assignments, reviews) => {
      for (const more of assignments) await give(reviewer, { access: "read", review: true, ...more });
      await reviewer.delete("/api/notifications");
      const made = await requested(zw.admin, zone, [
        ...of("NS", "dev", "ns1.example.net"),
        ...of("A", "dev", "192.0.2.1"),
      ]);
      const ns = await requested(zw.admin, zone, of("NS", "dev", "ns2.example.net"));
      const { notifications } = (await reviewer.get("/api/notifications")).body;
      expect(notifications.map(({ metadata }: Body) => metadata.changeRequestId)).toEqual(
        reviews ? [ns.id, made.id] : [],
      );
      const listed = (await toReview(reviewer)).requests.map(({ id }: Body) => id);
      expect(listed.filter((id: string) => [made.id, ns.id].includes(id))).toHaveLength(reviews ? 2 : 0);
      for (const one of [made, ns]) expect((await approve(reviewer, one)).status === 200).toBe(reviews);
    },
  );

  test("apex NS, and MX with protectMail, are reviewed only where an assignment names the type", async () => {
    await zw.admin.put(zone.path, { protectMail: true });
    await give(reviewer, { access: "read", review: true });
    const ns = await requested(zw.admin, zone, of("NS", "@", "ns1.example.net"));
    const mx = await requested(zw.admin, zone, of("MX", "www", "10 mail.example.net"));
    expect((await toReview(reviewer)).counts.toReview).toBe(0);
    for (const made of [ns, mx]) expect((await approve(reviewer, made)).status).toBe(403);
    await give(reviewer, { access: "read", review: true, recordTypes: ["NS", "MX"] });
    expect((await toReview(reviewer)).counts.toReview).toBe(2);
    for (const made of [ns, mx]) expect((await approve(reviewer, made)).status).toBe(200);
  });

  test("nobody reviews their own request, and an approval ends with the assignment", async () => {
    const given = await give(reviewer, { access: "write", review: true });
    const own = await requested(reviewer, zone, a("own"));
    expect((await approve(reviewer, own)).status).toBe(403);
    const made = await requested(zw.admin, zone, a("www"));
    await approve(reviewer, made);
    expect(await readRequest(zw.admin, made)).toMatchObject({ reviews: [{ counts: true }] });
    await zw.admin.delete(`/api/assignments/${given.id}`);
    expect(await readRequest(zw.admin, made)).toMatchObject({ reviews: [{ counts: false }] });
    expect((await verdict(zw.admin, made, "apply")).body.code).toBe("REVIEW_REQUIRED");
  });

  test("an assignment by type shows only requests that touch nothing else", async () => {
    await give(reviewer, { access: "read", recordTypes: ["TXT"] });
    const shown = await requested(zw.admin, zone, of("TXT", "www", "text"));
    const hidden = await requested(zw.admin, zone, [...of("TXT", "x", "text"), ...a("www")]);
    const { body } = await reviewer.get(`/api/change-requests?domain=${zone.id}`);
    expect(body.requests.map(({ id }: Body) => id)).toEqual([shown.id]);
    expect((await reviewer.get(`/api/change-requests/${hidden.id}`)).status).toBe(404);
  });
});
