import { beforeAll, describe, expect, test } from "vitest";
import { requireReview } from "../../../zones/change-requests/requested.ts";
import type { RestClient } from "../../../support/rest-client.ts";
import { useZonewright } from "../../../support/zonewright.ts";
import { embeddedConfig, manualConfig, manualZone, freshName, type Zone } from "../../../support/zones.ts";
import { powerdnsClient, type PowerdnsClient } from "./client.ts";

const zw = useZonewright();
const narrowable = ["records:read", "records:write"];

let zone: Zone;
let other: Zone;
let member: RestClient;
let memberId: string;

beforeAll(async () => {
  [zone, other] = [await manualZone(zw), await manualZone(zw)];
  for (const [type, host, value] of [
    ["A", "www", "192.0.2.1"],
    ["TXT", "www", "kept"],
    ["A", "db", "192.0.2.2"],
    ["NS", "@", "ns1.example.net"],
  ])
    await zone.add(type ?? "", host ?? "", value ?? "");
  member = await zw.member("powerdns-member");
  memberId = (await member.get("/api/auth/me")).body.id;
});

const narrowed = (wish: object) => powerdnsClient(zw.admin, { permissions: narrowable, ...wish });
const zonesOf = async (client: PowerdnsClient) =>
  (await client.get("/zones")).body.map(({ name }: { name: string }) => name);
const statusOf = async (client: PowerdnsClient, host: string, type: string, content: string) =>
  (await client.replace(zone.name, host, type, [content])).status;

describe("narrowed tokens", () => {
  test("comments of the SOA are for tokens that cover it", async () => {
    const soa = { name: `${zone.name}.`, type: "SOA", changetype: "REPLACE", comments: [{ content: "ours" }] };
    const [some, all] = [await narrowed({ recordTypes: ["A"] }), await narrowed({ domainIds: [zone.id] })];
    const shown = async (by: PowerdnsClient) => (await by.get(`/zones/${zone.name}.`)).body.rrsets[0].comments.length;
    expect((await some.patch(zone.name, [soa])).status).toBe(422);
    expect((await all.patch(zone.name, [soa])).status).toBe(204);
    expect([await shown(some), await shown(all)]).toEqual([0, 1]);
  });

  test("one narrowed to a domain lists, shows and changes only that", async () => {
    const client = await narrowed({ domainIds: [zone.id] });
    expect(await zonesOf(client)).toEqual([`${zone.name}.`]);
    expect((await client.get(`/zones/${other.name}.`)).status).toBe(404);
    expect((await client.replace(other.name, "www", "A", ["192.0.2.9"])).status).toBe(404);
    expect(await other.lines()).toEqual([]);
  });

  test.each([
    ["a host", { hostPattern: "www" }, ["A 192.0.2.1", 'TXT "kept"'], [204, 422, 204]],
    ["a type", { recordTypes: ["A"] }, ["A 192.0.2.2", "A 192.0.2.1"], [204, 204, 422]],
    ["both", { hostPattern: "www", recordTypes: ["A"] }, ["A 192.0.2.1"], [204, 422, 422]],
  ])("one narrowed to %s shows and writes only that", async (_what, wish, seen, statuses) => {
    const client = await narrowed({ domainIds: [zone.id], ...wish });
    const contents = await client.contents(zone.name);
    expect(contents.map((line) => line.split(" ").slice(1).join(" ")).toSorted()).toEqual(seen.toSorted());
    expect([
      await statusOf(client, "www", "A", "192.0.2.1"),
      await statusOf(client, "db", "A", "192.0.2.2"),
      await statusOf(client, "www", "TXT", '"kept"'),
    ]).toEqual(statuses);
  });

  test("a refusal does not tell whether a record beyond the token exists", async () => {
    const client = await narrowed({ domainIds: [zone.id], hostPattern: "mine" });
    const refusal = async (host: string) => {
      const name = `${host}.${zone.name}.`;
      const { status, body } = await client.patch(zone.name, [{ name, type: "A", changetype: "DELETE" }]);
      return [status, body.error.replaceAll(host, "host")];
    };
    expect(await refusal("www")).toEqual(await refusal("nothing"));
    expect((await refusal("www"))[0]).toBe(422);
  });

  test("one allowed RRset beside one that is not changes nothing", async () => {
    const client = await narrowed({ domainIds: [zone.id], hostPattern: "mine" });
    const rrset = (host: string) => ({
      name: `${host}.${zone.name}.`,
      type: "A",
      ttl: 60,
      changetype: "REPLACE",
      records: [{ content: "192.0.2.7" }],
    });
    expect((await client.patch(zone.name, [rrset("mine"), rrset("www")])).status).toBe(422);
    expect((await zone.lines()).filter((line) => line.includes("192.0.2.7"))).toEqual([]);
  });

  test("a narrowed token creates, changes and deletes no zone as a whole", async () => {
    const client = await narrowed({ domainIds: [zone.id] });
    expect((await client.send("POST", "/zones", { name: `${freshName()}.`, kind: "Native" })).status).toBe(403);
    expect((await client.send("PUT", `/zones/${zone.name}.`, {})).status).toBe(403);
    expect((await client.send("DELETE", `/zones/${zone.name}.`)).status).toBe(403);
    expect((await zone.get("")).status).toBe(200);
  });
});

describe("roles", () => {
  test("a member sees no zone of others, and with an assignment only its hosts", async () => {
    const client = await powerdnsClient(member);
    expect(await zonesOf(client)).toEqual([]);
    expect((await client.get(`/zones/${zone.name}.`)).status).toBe(404);
    const assign = { userId: memberId, domainId: zone.id, subdomainPattern: "db", access: "write" };
    const { body } = await zw.admin.post("/api/assignments", assign);
    expect(await client.contents(zone.name)).toEqual([`db.${zone.name}. A 192.0.2.2`]);
    expect(await statusOf(client, "db", "A", "192.0.2.2")).toBe(204);
    expect(await statusOf(client, "www", "A", "192.0.2.1")).toBe(422);
    expect((await client.replace(zone.name, "", "NS", ["ns.evil.example."])).status).toBe(422);
    expect((await client.send("DELETE", `/zones/${zone.name}.`)).status).toBe(403);
    await zw.admin.delete(`/api/assignments/${body.id}`);
    expect((await client.get(`/zones/${zone.name}.`)).status).toBe(404);
  });

  test("a member with read access gets 403 for every change", async () => {
    const assign = { userId: memberId, domainId: other.id, subdomainPattern: "*", access: "read" };
    await zw.admin.post("/api/assignments", assign);
    const client = await powerdnsClient(member);
    expect((await client.get(`/zones/${other.name}.`)).status).toBe(200);
    expect((await client.replace(other.name, "www", "A", ["192.0.2.1"])).status).toBe(403);
    expect((await client.send("PUT", `/zones/${other.name}./notify`)).status).toBe(403);
  });

  test("a member creates zones only where members may, and owns them", async () => {
    const client = await powerdnsClient(member);
    const name = freshName();
    expect((await client.send("POST", "/zones", { name: `${name}.`, kind: "Native" })).status).toBe(403);
    const own = freshName();
    await zw.admin.put(`/api/provider-configs/${await manualConfig(zw)}`, { membersMayUse: true });
    await member.post("/api/domains", { name: own, providerConfigId: await manualConfig(zw) });
    expect((await client.replace(own, "www", "A", ["192.0.2.1"])).status).toBe(204);
    expect((await client.send("DELETE", `/zones/${own}.`)).status).toBe(204);
  });

  test("a zone whose records are refused leaves nothing at its provider, so a member can send it again", async () => {
    const client = await powerdnsClient(member);
    const id = await embeddedConfig(zw);
    const membersMayUse = (allowed: boolean) => zw.admin.put(`/api/provider-configs/${id}`, { membersMayUse: allowed });
    await membersMayUse(true);
    const name = freshName();
    const rrset = (type: string, content: string) => ({ name: `x.${name}.`, type, ttl: 60, records: [{ content }] });
    const create = (...rrsets: object[]) =>
      client.send("POST", "/zones", { name: `${name}.`, kind: "Native", nameservers: ["ns1.example.net."], rrsets });
    const address = rrset("A", "192.0.2.1");
    const refused = await create(address, rrset("CNAME", "y.example."));
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining(`RRset x.${name}. IN `)]);
    const { zones } = (await zw.admin.get(`/api/provider-configs/${id}/zones`)).body;
    expect(zones.map((one: { name: string }) => one.name)).not.toContain(name);
    expect((await create(address)).status).toBe(201);
    expect(await client.contents(name)).toEqual([`x.${name}. A 192.0.2.1`, `${name}. NS ns1.example.net.`]);
    await membersMayUse(false);
  });

  test("an auditor reads every zone and changes none", async () => {
    const auditor = await zw.member("powerdns-auditor");
    const client = await powerdnsClient(auditor);
    const { body: me } = await auditor.get("/api/auth/me");
    await zw.admin.put(`/api/users/${me.id}`, { role: "auditor" });
    expect(await zonesOf(client)).toContain(`${zone.name}.`);
    expect((await client.replace(zone.name, "www", "A", ["192.0.2.1"])).status).toBe(403);
    expect((await client.send("DELETE", `/zones/${zone.name}.`)).status).toBe(403);
  });

  test("a deleted token is refused from then on", async () => {
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Short", permissions: ["records:read"] });
    const headers = { "x-api-key": body.token };
    expect((await zw.nobody.get("/pdns/api", headers)).status).toBe(200);
    await zw.admin.delete(`/api/auth/me/tokens/${body.id}`);
    expect((await zw.nobody.get("/pdns/api", headers)).status).toBe(401);
  });
});

describe("policies", () => {
  test("a zone that needs reviews refuses with 409 and the reason, and takes challenges", async () => {
    const client = await powerdnsClient(zw.admin);
    const reviewed = await manualZone(zw);
    await requireReview(zw, reviewed, "everyone");
    const { status, body } = await client.replace(reviewed.name, "www", "A", ["192.0.2.1"]);
    expect([status, body.error]).toEqual([409, expect.stringContaining("review")]);
    expect((await client.replace(reviewed.name, "_acme-challenge", "TXT", ['"x"'])).status).toBe(204);
    expect(await reviewed.lines()).toEqual(["_acme-challenge TXT x"]);
  });

  test("a locked record stays, and the error says what to do", async () => {
    const client = await powerdnsClient(zw.admin);
    const locked = await manualZone(zw);
    await locked.create({ recordType: "A", name: "www", value: "192.0.2.1", locked: true });
    const { status, body } = await client.replace(locked.name, "www", "A", ["192.0.2.2"]);
    expect([status, body.error]).toEqual([422, expect.stringContaining("clear its lock")]);
    expect(await locked.lines()).toEqual(["www A 192.0.2.1"]);
  });
});
