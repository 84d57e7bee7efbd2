import { stringify } from "superjson";
import { beforeAll, describe, expect, test } from "vitest";
import { problemOf } from "../support/problems.ts";
import type { Answer } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";

// trpc-to-openapi 3.3.0 turns coercion on in our schemas at each REST call, including bodies (`lockCoercion` of server/api/rest.ts).
const zw = useZonewright();

const record = { recordType: "A", name: "www", value: "192.0.2.1" };
let domainId: string;
let recordId: string;

beforeAll(async () => {
  const domain = await zw.admin.post("/api/domains", { name: "coercion.example" });
  domainId = domain.body.id;
  const created = await zw.admin.post(`/api/domains/${domainId}/records`, { ...record, ttl: 300 });
  recordId = created.body.id;
  // Call every procedure tested below over REST once, so that the library has changed its schema if it can.
  await zw.admin.put(`/api/domains/${domainId}/records/${recordId}`, { ttl: 300, proxied: false });
  await zw.admin.post(`/api/domains/${domainId}/sync`, { dryRun: true });
  await zw.admin.put(`/api/domains/${domainId}/expiry-remind`, { expiryRemindDays: [7], autoCheckExpiry: false });
  await zw.admin.post(`/api/domains/${domainId}/records/plan`, { changes: [{ action: "delete", recordId }] });
  await zw.admin.get(`/api/domains?page=1&limit=5`);
});

function mutate(procedure: string, input: object): Promise<Answer> {
  return zw.admin.post(`/trpc/${procedure}`, stringify(input));
}

describe("wrong types are still refused after REST calls, over REST and over tRPC", () => {
  const cases: [field: string, method: "post" | "put", path: string, procedure: string, input: () => object][] = [];
  const wrong: [field: string, value: unknown][] = [
    ["proxied", "false"],
    ["proxied", "true"],
    ["proxied", 1],
    ["proxied", null],
    ["ttl", null],
    ["ttl", "300"],
    ["ttl", true],
    ["ttl", ""],
    ["ttl", [300]],
    ["priority", "10"],
    ["priority", false],
  ];
  for (const [field, value] of wrong) {
    const input = { ...record, name: "other", [field]: value };
    cases.push([field, "post", "/records", "records.create", () => input]);
    cases.push([field, "put", "/records/{recordId}", "records.update", () => ({ [field]: value })]);
  }
  for (const value of ["true", 1, null, "on"]) {
    cases.push(["dryRun", "post", "/sync", "domains.sync", () => ({ dryRun: value })]);
    cases.push(["force", "post", "/sync", "domains.sync", () => ({ force: value })]);
    cases.push([
      "autoCheckExpiry",
      "put",
      "/expiry-remind",
      "domains.setExpiryRemind",
      () => ({ autoCheckExpiry: value }),
    ]);
  }

  test.each(cases)(
    "a wrong type is refused after REST calls: %s, %s %s (%s)",
    async (field, method, path, procedure, input) => {
      const rest = await zw.admin[method](`/api/domains/${domainId}${path.replace("{recordId}", recordId)}`, input());
      const { issues } = problemOf(rest, 400, "BAD_REQUEST");
      expect(issues).toMatchObject([{ path: [field] }]);
      const ids = { id: domainId, ...(path.includes("recordId") ? { recordId } : {}) };
      const trpc = await mutate(procedure, { ...ids, ...input() });
      expect(trpc).toMatchObject({ status: 400, body: { error: { json: { data: { issues } } } } });
    },
  );

  test("wrong types within lists are refused", async () => {
    const days = await zw.admin.put(`/api/domains/${domainId}/expiry-remind`, { expiryRemindDays: [7, "30", null] });
    expect(problemOf(days, 400, "BAD_REQUEST").issues).toMatchObject([
      { path: ["expiryRemindDays", 1] },
      { path: ["expiryRemindDays", 2] },
    ]);
    const changes = [{ action: "update", recordId, record: { ttl: "300", proxied: "false" } }];
    const plan = await zw.admin.post(`/api/domains/${domainId}/records/plan`, { changes });
    expect(problemOf(plan, 400, "BAD_REQUEST").issues).toMatchObject([
      { path: ["changes", 0, "record", "ttl"] },
      { path: ["changes", 0, "record", "proxied"] },
    ]);
  });

  test("a timestamp must not be a number, a boolean or, unless allowed, null", async () => {
    for (const expiresAt of [0, true, "", "tomorrow", "2027-02-30T00:00:00Z", "2027-03-01"]) {
      const answer = await zw.admin.put(`/api/domains/${domainId}/expiry`, { expiresAt });
      expect(problemOf(answer, 400, "BAD_REQUEST").issues).toMatchObject([{ path: ["expiresAt"] }]);
    }
  });
});

test("correct types are still accepted after REST calls", async () => {
  const { status, body } = await zw.admin.put(`/api/domains/${domainId}/records/${recordId}`, {
    ttl: 600,
    proxied: false,
  });
  expect({ status, ttl: body.ttl, proxied: body.proxied }).toEqual({ status: 200, ttl: 600, proxied: false });
});
