import { describe, expect, test } from "vitest";
import { forwardZone, pointers, reverseNet, set, type Net } from "../../support/reverse-zones.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { manualConfig, unknownId, Zone, type Body } from "../../support/zones.ts";

const zw = useZonewright();

const a = (name: string, value: string) => ({ action: "create", record: { recordType: "A", name, value } });
const plan = (zone: Zone, body: object) => zone.post("/records/plan", body);
const apply = (zone: Zone, body: object) => zone.post("/records/apply", body);

async function zones(reverse = "offer"): Promise<[Net, Zone]> {
  return [await reverseNet(zw), await forwardZone(zw, reverse)];
}

/** A member who may write in a zone, and the zone as they see it. */
async function writer(zone: Zone, pattern = "*"): Promise<[RestClient, Zone]> {
  const member = await zw.member(`member-${zone.name.replaceAll(/\W/g, "-")}`);
  await assign(member, zone, pattern);
  return [member, new Zone(zw, zone, member)];
}

async function assign(member: RestClient, zone: Zone, subdomainPattern = "*", access = "write"): Promise<void> {
  const { body: me } = await member.get("/api/auth/me");
  const { status } = await zw.admin.post("/api/assignments", {
    userId: me.id,
    domainId: zone.id,
    subdomainPattern,
    access,
  });
  expect(status).toBe(201);
}

/** An address in a reverse zone that the caller may not see. */
const hidden = (address: string) => ({
  address,
  domainId: null,
  domainName: null,
  action: null,
  recordId: null,
  record: null,
  before: null,
  included: false,
  reason: expect.stringMatching(/^Others manage the reverse zone/),
});

describe("`offer`", () => {
  test("a plan lists the PTR changes, and includes those that are chosen", async () => {
    const [net, zone] = await zones();
    const changes = [a("one", net.at(1)), a("two", net.at(2))];
    const included = async (reverse?: unknown) => {
      const { body } = await plan(zone, { changes, ...(reverse === undefined ? {} : { reverse }) });
      return body.reverse.map((each: Body) => [each.address, each.action, each.included, each.reason]);
    };
    const both = (first: boolean, second: boolean) => [
      [net.at(1), "create", first, null],
      [net.at(2), "create", second, null],
    ];
    expect(await included()).toEqual(both(false, false));
    expect(await included(false)).toEqual(both(false, false));
    expect(await included([])).toEqual(both(false, false));
    expect(await included(true)).toEqual(both(true, true));
    expect(await included([net.at(2)])).toEqual(both(false, true));
    expect(await included([net.at(2), "198.51.100.1"])).toEqual(both(false, true));
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("applying makes the chosen PTR changes only, and answers with their outcome", async () => {
    const [net, zone] = await zones();
    const changes = [a("one", net.at(1)), a("two", net.at(2))];
    const reverse = [net.at(2)];
    const { planHash } = (await plan(zone, { changes, reverse })).body;
    const { status, body } = await apply(zone, { changes, reverse, planHash });
    expect(status).toBe(200);
    expect(body.reverse).toEqual([{ domainId: net.zone.id, domainName: net.zone.name, revision: 1, error: null }]);
    expect(await pointers(net.zone)).toEqual([`2 two.${zone.name}`]);
  });

  test("the hash covers the included PTR changes, and only those", async () => {
    const [net, zone] = await zones();
    const changes = [a("one", net.at(1))];
    const without = (await plan(zone, { changes })).body.planHash;
    const chosen = (await plan(zone, { changes, reverse: true })).body.planHash;
    expect(chosen).not.toBe(without);
    expect((await apply(zone, { changes, planHash: chosen })).status).toBe(409);
    expect((await apply(zone, { changes, reverse: true, planHash: without })).status).toBe(409);
    // The reverse zone has changed since: another PTR change would be made.
    await net.zone.add("PTR", "1", `gone.${zone.name}`);
    expect((await apply(zone, { changes, reverse: true, planHash: chosen })).body).toMatchObject({ code: "CONFLICT" });
    expect(await zone.lines()).toEqual([]);
    // Another PTR record of the reverse zone does not outdate the plan.
    const again = (await plan(zone, { changes, reverse: true })).body.planHash;
    await net.zone.add("PTR", "99", "host.example.net");
    expect((await apply(zone, { changes, reverse: true, planHash: again })).status).toBe(200);
    expect(await pointers(net.zone)).toEqual([`1 one.${zone.name}`, "99 host.example.net"]);
  });

  test("single edits, bulk creates and imports leave PTR records alone", async () => {
    const [net, zone] = await zones();
    await zone.add("A", "one", net.at(1));
    expect((await zone.post("/records/bulk", { records: [a("two", net.at(2)).record] })).body.reverse).toEqual([]);
    expect((await zone.post("/zonefile", { zonefile: `three 300 IN A ${net.at(3)}\n` })).body.reverse).toEqual([]);
    expect(await pointers(net.zone)).toEqual([]);
  });

  test.each([
    ["yes"],
    [1],
    [{}],
    [null],
    [[1]],
    [[""]],
    [["x".repeat(46)]],
    [Array.from({ length: 2001 }, () => "::1")],
  ])("choosing by anything but a flag or a list of addresses is 400 (case %#)", async (reverse) => {
    const [, zone] = await zones();
    const changes = [a("one", "198.51.100.1")];
    expect((await plan(zone, { changes, reverse })).status).toBe(400);
    expect((await apply(zone, { changes, reverse, planHash: "1.x" })).status).toBe(400);
  });
});

describe("rights", () => {
  test("a member who may not see the reverse zone learns only that others manage it", async () => {
    const [net, zone] = await zones("follow");
    await net.zone.add("PTR", "1", "secret.example.net");
    const [, theirs] = await writer(zone);
    const { body } = await plan(theirs, { changes: [a("one", net.at(1)), a("two", net.at(2))], reverse: true });
    expect(body.reverse).toEqual([hidden(net.at(1)), hidden(net.at(2))]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect((await theirs.create({ recordType: "A", name: "two", value: net.at(2) })).status).toBe(201);
    expect(await pointers(net.zone)).toEqual(["1 secret.example.net"]);
  });

  test("a member writes the PTR records that their assignment in the reverse zone covers", async () => {
    const [net, zone] = await zones("follow");
    const [member, theirs] = await writer(zone);
    await assign(member, net.zone, "1");
    await assign(member, net.zone, "2", "read");
    const { body } = await plan(theirs, { changes: [1, 2, 3].map((host) => a(`host${host}`, net.at(host))) });
    expect(body.reverse).toMatchObject([
      { address: net.at(3), domainId: null, included: false },
      { address: net.at(1), domainId: net.zone.id, included: true, reason: null },
      { address: net.at(2), domainId: net.zone.id, included: false, reason: expect.stringMatching(/assignments/) },
    ]);
    for (const host of [1, 2, 3]) await theirs.add("A", `host${host}`, net.at(host));
    expect(await pointers(net.zone)).toEqual([`1 host1.${zone.name}`]);
  });

  test("a granting reverse zone follows people without rights in it, and shows them no names of others", async () => {
    const [net, zone] = await zones("follow");
    await set(net.zone, { reverseFollowGrant: true });
    const other = await forwardZone(zw, "off");
    await net.zone.add("PTR", "1", `stale.${other.name}`);
    const [member, theirs] = await writer(zone);
    const { body } = await plan(theirs, { changes: [a("one", net.at(1)), a("two", net.at(2))] });
    expect(body.reverse).toMatchObject([
      { address: net.at(1), action: "update", recordId: null, before: null, included: true, reason: null },
      { address: net.at(2), action: "create", record: { value: `two.${zone.name}` }, included: true },
    ]);
    expect(JSON.stringify(body)).not.toContain("stale.");
    await theirs.add("A", "one", net.at(1));
    expect(await pointers(net.zone)).toEqual([`1 one.${zone.name}`]);
    expect((await member.get(net.zone.path)).status).toBe(404);
    expect((await net.zone.history())[0]).toMatchObject({ actor: expect.stringMatching(/^member-/) });
  });

  test("only administrators grant, and an owner sets `reverse` of their zone", async () => {
    const owner = await zw.member("reverse-owner");
    const { body: me } = await owner.get("/api/auth/me");
    const config = await manualConfig(zw);
    await zw.admin.put(`/api/provider-configs/${config}`, { membersMayUse: true });
    const { body: own } = await owner.post("/api/domains", { name: "1.1.44.in-addr.arpa", providerConfigId: config });
    expect(own).toMatchObject({ ownerId: me.id });
    expect((await owner.put(`/api/domains/${own.id}`, { reverseFollowGrant: true })).body).toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringMatching(/Only administrators/),
    });
    expect((await owner.put(`/api/domains/${own.id}`, { reverse: "follow" })).body).toMatchObject({
      reverse: "follow",
    });
    const [, theirs] = await writer(await forwardZone(zw, "off"));
    expect((await theirs.client.put(theirs.path, { reverse: "follow" })).status).toBe(403);
    expect((await owner.put(`/api/domains/${unknownId}`, { reverse: "follow" })).status).toBe(404);
  });
});
