import { beforeEach, expect, test } from "vitest";
import { assign } from "../../accounts/assignments/assigned.ts";
import { narrowedToken } from "../../dns-service/update-clients/narrowed.ts";
import { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright({ env: { JOBS: "off" } });

let zone: Zone;
let ada: RestClient;
let count = 0;
beforeEach(async () => {
  zone = await manualZone(zw);
  await zone.add("NS", "@", "ns1.example.net");
  await zone.add("MX", "@", "10 mail.example.net");
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("A", "a.dev", "192.0.2.2");
  ada = await zw.member(`ada-${++count}`);
});

const plan = (client: RestClient, zonefile: string, more: object = {}, of = zone.id) =>
  client.post(`/api/domains/${encodeURIComponent(of)}/change-requests/zonefile/plan`, {
    zonefile,
    mode: "replace",
    ...more,
  });

/** The names and types that a plan touches. */
function touched({ plan: { creates, updates, deletes } }: Body): string[] {
  const records = [...creates, ...updates.map(({ after }: Body) => after), ...deletes] as Body[];
  return records.map(({ name, recordType }) => `${name} ${recordType}`).toSorted();
}

test("a proposer's file is compared only by records that they may propose changes of, also where they see more", async () => {
  await assign(zw, ada, zone.id, "*", "read");
  await assign(zw, ada, zone.id, "*.dev", "propose");
  const { status, body } = await plan(ada, "www 60 IN A 192.0.2.9\nmail 60 IN A 192.0.2.25\nb.dev 60 IN A 192.0.2.3\n");
  expect({ status, touched: touched(body) }).toEqual({ status: 200, touched: ["a.dev A", "b.dev A"] });
  expect(body).toMatchObject({ domainId: zone.id, domainName: zone.name, left: 0, unchanged: 0 });
  expect(body.warnings).toContain("Skipped 2 records of the file: you may not request changes of them.");
  expect(body.warnings.join(" ")).not.toMatch(/www|mail|192\.0\.2/);
});

test("records that an assignment must name are not compared for a proposer of all hosts", async () => {
  await zw.admin.put(zone.path, { protectMail: true });
  await assign(zw, ada, zone.id, "*", "propose");
  expect(touched((await plan(ada, "new 60 IN A 192.0.2.3\n")).body)).toEqual(["a.dev A", "new A", "www A"]);
});

test("what the records of others hold is neither counted nor revealed by patterns and owners to leave", async () => {
  await assign(zw, ada, zone.id, "*.dev", "propose");
  const { body } = await plan(ada, "b.dev 60 IN A 192.0.2.3\n", { ignore: ["*/A"], leave: ["keys"] });
  expect(body).toMatchObject({ left: 1, plan: { creates: [], updates: [], deletes: [] } });
});

test("a change of a locked record is refused to a proposer, as the request of it would be", async () => {
  const locked = (await zone.records()).find(({ name }) => name === "a.dev");
  await zone.update(locked?.id ?? "", { locked: true });
  await assign(zw, ada, zone.id, "*.dev", "propose");
  const refused = await plan(ada, "b.dev 60 IN A 192.0.2.3\n");
  expect(refused).toBeProblem(403, "FORBIDDEN");
  expect(refused.body.detail).toContain("a.dev A 192.0.2.2 is locked");
});

test("a narrowed token compares only what it covers, and nobody plans a file for a domain that they only read", async () => {
  const token = await narrowedToken(zw.admin, { hostPattern: "www", permissions: ["requests:write"] });
  expect(touched((await plan(new RestClient(zw.url, token), "new 60 IN A 192.0.2.3\n")).body)).toEqual(["www A"]);
  await assign(zw, ada, zone.id, "*", "read");
  expect(await plan(ada, "new 60 IN A 192.0.2.3\n")).toBeProblem(403, "FORBIDDEN");
});

test("a domain is named by its id, or by a name as a user writes it, and one that the caller does not see is not found", async () => {
  await assign(zw, ada, zone.id, "*.dev", "propose");
  const view = `${zone.name}!internal`;
  await zw.admin.post("/api/domains", { name: view });
  const file = "a.dev 60 IN A 192.0.2.3\n";
  for (const name of [zone.id.toUpperCase(), zone.name.toUpperCase(), `${zone.name}!default`])
    expect((await plan(ada, file, {}, name)).body).toMatchObject({ domainId: zone.id, domainName: zone.name });
  expect((await plan(zw.admin, file, {}, view)).body.domainName).toBe(view);
  for (const name of [view, "nobody.example", "00000000-0000-4000-8000-000000000000"])
    expect(await plan(ada, file, {}, name)).toBeProblem(404, "NOT_FOUND");
  expect(await plan(ada, file, {}, "a b")).toBeProblem(400, "BAD_REQUEST");
});
