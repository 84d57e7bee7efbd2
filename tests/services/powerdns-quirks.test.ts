import { afterAll, beforeAll, expect, test } from "vitest";
import { startPowerdns, type PowerdnsServer } from "../support/name-servers/powerdns-api.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import { manualZone } from "../support/zones.ts";
import { PowerdnsClient, powerdnsForms, powerdnsKey } from "../dns-service/update-clients/powerdns-api/client.ts";
import { oddRequests } from "./powerdns/odd-requests.ts";

/** What clients may get wrong, sent to PowerDNS and to Zonewright. */

let zw: Zonewright & { stop(): Promise<void> };
let server: PowerdnsServer;
let here: PowerdnsClient;
let there: PowerdnsClient;
let count = 0;

beforeAll(async () => {
  [zw, server] = await Promise.all([startZonewright(), startPowerdns()]);
  here = new PowerdnsClient(zw.url, await powerdnsKey(zw.admin));
  there = new PowerdnsClient(server.url, server.apiKey, "/api/v1/servers/localhost");
});
afterAll(async () => {
  await zw.stop();
  await server.stop();
});

test.each(oddRequests)("$what has PowerDNS's status, unless it is refused on purpose", async (request) => {
  const { body, refusedBecause } = request;
  const ours = (await manualZone(zw)).name;
  const theirs = `odd${++count}.test`;
  const made = await there.send("POST", "/zones", { name: `${theirs}.`, kind: "Native", nameservers: [] });
  expect(made.status).toBe(201);
  const [answer, reference] = await Promise.all([
    here.send("PATCH", `/zones/${ours}.`, body(ours)),
    there.send("PATCH", `/zones/${theirs}.`, body(theirs)),
  ]);
  const statuses = [reference.status, answer.status];
  expect(statuses).toEqual(refusedBecause ? [204, 422] : [reference.status, reference.status]);
  const error = { error: expect.any(String) as unknown };
  expect(answer.body).toEqual(answer.status === 204 ? "" : error);
});

test.each(powerdnsForms)("PowerDNS shows this as it was sent: %s %s", async (type, content) => {
  const zone = `form${++count}.test`;
  await there.send("POST", "/zones", { name: `${zone}.`, kind: "Native", nameservers: [] });
  expect((await there.replace(zone, "x", type, [content])).status).toBe(204);
  expect(await there.contents(zone)).toEqual([`x.${zone}. ${type} ${content}`]);
});

test.each([
  ["a zone that does not exist", "GET", "/zones/none.test."],
  ["a zone that does not exist, without its last dot", "GET", "/zones/none.test"],
  ["a change of a zone that does not exist", "PATCH", "/zones/none.test."],
  ["the deletion of a zone that does not exist", "DELETE", "/zones/none.test."],
  ["a path that does not exist", "GET", "/nothing"],
  ["a wrong key", "GET", "/zones", "wrong"],
] as const)("%s has PowerDNS's status", async (_what, method, path, key?: string) => {
  const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
  const body = method === "PATCH" ? { rrsets: [] } : undefined;
  const [answer, reference] = await Promise.all([
    here.send(method, path, body, headers),
    there.send(method, path, body, headers),
  ]);
  expect(answer.status).toBe(reference.status);
});
