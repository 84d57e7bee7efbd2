import { describe, expect, test } from "vitest";
import { forwardZone, freshNet, pointers, reverseNet, set } from "../../support/reverse-zones.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { addZone, bothViews, fileZone, manualConfig, manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();

const a = (name: string, value: string) => ({ action: "create", record: { recordType: "A", name, value } });

async function planned(zone: Zone, changes: unknown, reverse?: unknown): Promise<Body> {
  const { status, body } = await zone.post("/records/plan", { changes, ...(reverse === undefined ? {} : { reverse }) });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function applied(zone: Zone, changes: unknown, reverse?: unknown): Promise<Body> {
  const chosen = reverse === undefined ? {} : { reverse };
  const { planHash } = await planned(zone, changes, reverse);
  const { status, body } = await zone.post("/records/apply", { changes, planHash, ...chosen });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

describe("disabled records", () => {
  test("a PTR record goes with the address that is disabled, comes back with it, and a disabled PTR record is not there", async () => {
    const net = await reverseNet(zw);
    const zone = await forwardZone(zw, "follow");
    const { id } = await zone.add("A", "www", net.at(1));
    expect(await pointers(net.zone)).toEqual([`1 www.${zone.name}`]);
    await zone.update(id, { status: "disabled" });
    expect(await pointers(net.zone)).toEqual([]);
    const spare = { recordType: "PTR", name: "1", value: "spare.example.net", status: "disabled" };
    expect((await net.zone.create(spare)).status).toBe(201);
    await zone.update(id, { status: "active" });
    expect(await pointers(net.zone)).toEqual(["1 spare.example.net", `1 www.${zone.name}`]);
  });
});

test("a PTR record follows a change of capitals alone, in a plan, too", async () => {
  const net = await reverseNet(zw);
  const zone = await forwardZone(zw, "follow");
  const { id } = await zone.add("A", "www", net.at(1));
  await zone.update(id, { name: "WWW" });
  expect(await pointers(net.zone)).toEqual([`1 WWW.${zone.name}`]);
  const { reverse } = await applied(zone, [{ action: "update", recordId: id, record: { name: "Www" } }]);
  expect(reverse).toMatchObject([{ domainId: net.zone.id, error: null }]);
  expect(await pointers(net.zone)).toEqual([`1 Www.${zone.name}`]);
  await zone.update(id, { name: "www" });
  expect(await pointers(net.zone)).toEqual([`1 www.${zone.name}`]);
});

describe("the setting", () => {
  test("a new domain's `reverse` is off, and its edits leave PTR records alone", async () => {
    const net = await reverseNet(zw);
    const zone = await manualZone(zw);
    expect(await zone.detail()).toMatchObject({ reverse: "off", reverseFollowGrant: false });
    await zone.add("A", "www", net.at(1));
    expect((await planned(zone, [a("x", net.at(2))])).reverse).toEqual([]);
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("`reverse` takes its three values only, and a change of it is audited", async () => {
    const zone = await manualZone(zw);
    for (const reverse of ["on", true, null, ""]) {
      expect((await zone.client.put(zone.path, { reverse })).status).toBe(400);
    }
    expect(await set(zone, { reverse: "offer" })).toMatchObject({ reverse: "offer" });
    expect(await set(zone, { reverse: "follow" })).toMatchObject({ reverse: "follow" });
    const { body } = await zw.admin.get("/api/audit?limit=1");
    expect(body.entries[0]).toMatchObject({
      action: "domain.update",
      before: { reverse: "offer" },
      after: { reverse: "follow" },
    });
  });

  test("only a reverse zone grants others to have PTR records follow", async () => {
    const zone = await manualZone(zw);
    expect((await zone.client.put(zone.path, { reverseFollowGrant: true })).body).toMatchObject({
      status: 400,
      issues: [{ path: ["reverseFollowGrant"] }],
    });
    const net = await reverseNet(zw);
    expect(await set(net.zone, { reverseFollowGrant: true })).toMatchObject({ reverseFollowGrant: true });
    expect(await set(net.zone, { reverseFollowGrant: false })).toMatchObject({ reverseFollowGrant: false });
  });
});

describe("`follow`", () => {
  test("a PTR record is created, moved and deleted with the address", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const www = await zone.add("A", "www", net.at(1));
    expect(await pointers(net.zone)).toEqual([`1 www.${zone.name}`]);
    await zone.update(www.id, { value: net.at(2) });
    expect(await pointers(net.zone)).toEqual([`2 www.${zone.name}`]);
    await zone.update(www.id, { name: "web" });
    expect(await pointers(net.zone)).toEqual([`2 web.${zone.name}`]);
    await zone.update(www.id, { ttl: 60 });
    expect((await net.zone.detail()).revision).toBe(3);
    await zone.delete(www.id);
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("the apex and IPv6 addresses follow too", async () => {
    const zone = await forwardZone(zw, "follow");
    const reverse = await addZone(zw, {
      name: "0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
      providerConfigId: await manualConfig(zw),
    });
    await zone.add("AAAA", "@", "2001:DB8::A:1");
    expect(await pointers(reverse)).toEqual([`1.0.0.0.a.0.0.0.0.0.0.0.0.0.0.0 ${zone.name}`]);
  });

  test("a classless zone gets the PTR records of the addresses for which the managed zone above has a CNAME", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const providerConfigId = await manualConfig(zw);
    const slash = await addZone(zw, { name: `0/26.${net.zone.name}`, providerConfigId });
    const range = await addZone(zw, { name: `64-127.${net.zone.name}`, providerConfigId });
    await net.zone.add("CNAME", "5", `5.0/26.${net.zone.name}`);
    await net.zone.add("CNAME", "70", `70.64-127.${net.zone.name}`);
    for (const host of [5, 6, 70, 200]) await zone.add("A", `host${host}`, net.at(host));
    expect(await pointers(slash)).toEqual([`5 host5.${zone.name}`]);
    expect(await pointers(range)).toEqual([`70 host70.${zone.name}`]);
    expect(await pointers(net.zone)).toEqual([`200 host200.${zone.name}`, `6 host6.${zone.name}`]);
  });

  test("a classless zone without a CNAME above is passed by, and the plan names the CNAME that is missing", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const part = await addZone(zw, { name: `0/26.${net.zone.name}`, providerConfigId: await manualConfig(zw) });
    const body = await planned(zone, [a("six", net.at(6))]);
    expect(body.reverse).toMatchObject([{ domainId: net.zone.id, action: "create", record: { name: "6" } }]);
    expect(body.warnings).toEqual([
      `The PTR record of ${net.at(6)} goes to ${net.zone.name}, not to ${part.name}: there is no CNAME record that leads there. ` +
        `To have it there, create CNAME 6 to 6.${part.name} in ${net.zone.name} first.`,
    ]);
    // A stale PTR record above is answered with, so it is what changes.
    await net.zone.add("PTR", "7", `gone.${zone.name}`);
    await zone.add("A", "seven", net.at(7));
    expect(await pointers(net.zone)).toEqual([`7 seven.${zone.name}`]);
    expect(await pointers(part)).toEqual([]);
  });

  test("a classless zone gets all its PTR records if the zone above is managed elsewhere, or given away", async () => {
    const [{ name, at }, zone] = [freshNet(), await forwardZone(zw, "follow")];
    const providerConfigId = await manualConfig(zw);
    const part = await addZone(zw, { name: `0/26.${name}`, providerConfigId });
    await zone.add("A", "one", at(1));
    expect(await pointers(part)).toEqual([`1 one.${zone.name}`]);
    const [label = "", ...above] = name.split(".");
    const wider = await addZone(zw, { name: above.join("."), providerConfigId });
    await wider.add("NS", label, "ns1.example.net");
    await zone.add("A", "two", at(2));
    expect(await pointers(part)).toEqual([`1 one.${zone.name}`, `2 two.${zone.name}`]);
    expect(await pointers(wider)).toEqual([]);
  });

  test("a CNAME in the reverse zone leads to the PTR record, and one to elsewhere is a warning", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const customer = await addZone(zw, {
      name: `customer.${net.zone.name}`,
      providerConfigId: await manualConfig(zw),
    });
    await net.zone.add("CNAME", "5", `5.customer.${net.zone.name}`);
    await net.zone.add("CNAME", "6", "6.elsewhere.example.net");
    await zone.add("A", "five", net.at(5));
    expect(await pointers(customer)).toEqual([`5 five.${zone.name}`]);
    const body = await planned(zone, [a("six", net.at(6))]);
    expect(body.reverse).toEqual([]);
    expect(body.warnings).toEqual([expect.stringMatching(/gets no PTR record: .*6\.elsewhere\.example\.net/)]);
  });

  test("addresses that the reverse zone delegates to others are left to them", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    await net.zone.add("NS", "7", "ns1.example.net");
    const body = await planned(zone, [a("seven", net.at(7))]);
    expect(body.warnings).toEqual([expect.stringMatching(/delegates 7 to other name servers/)]);
    await zone.add("A", "seven", net.at(7));
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("a PTR record to a name that still resolves to the address stays", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const first = await zone.add("A", "first", net.at(1));
    const second = await zone.add("A", "second", net.at(1));
    expect(await pointers(net.zone)).toEqual([`1 first.${zone.name}`]);
    await zone.delete(second.id);
    expect(await pointers(net.zone)).toEqual([`1 first.${zone.name}`]);
    // No other name takes its place.
    await zone.add("A", "third", net.at(1));
    await zone.delete(first.id);
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("a name resolves also by a CNAME and by a wildcard", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    await zone.add("CNAME", "alias", `real.${zone.name}`);
    await zone.add("A", "*.dev", net.at(2));
    await net.zone.add("PTR", "1", `alias.${zone.name}`);
    await net.zone.add("PTR", "2", `some.dev.${zone.name}`);
    const real = await zone.add("A", "real", net.at(1));
    await zone.add("A", "other", net.at(2));
    expect(await pointers(net.zone)).toEqual([`1 alias.${zone.name}`, `2 some.dev.${zone.name}`]);
    await zone.delete(real.id);
    expect(await pointers(net.zone)).toEqual([`1 alias.${zone.name}`, `2 some.dev.${zone.name}`]);
  });

  test("a stale PTR record of a managed name is replaced, and one to elsewhere stays with a warning", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const stale = await net.zone.add("PTR", "1", `gone.${zone.name}`, 300);
    await net.zone.add("PTR", "2", "host.example.net");
    const body = await planned(zone, [a("www", net.at(1)), a("mail", net.at(2))]);
    expect(body.reverse).toEqual([
      {
        address: net.at(1),
        domainId: net.zone.id,
        domainName: net.zone.name,
        action: "update",
        recordId: stale.id,
        record: expect.objectContaining({ recordType: "PTR", name: "1", value: `www.${zone.name}`, ttl: 300 }),
        before: expect.objectContaining({ value: `gone.${zone.name}` }),
        included: true,
        reason: null,
      },
    ]);
    expect(body.warnings).toContain(
      `The PTR record of ${net.at(2)} stays: it points to host.example.net, which is not managed here.`,
    );
    await applied(zone, [a("www", net.at(1)), a("mail", net.at(2))]);
    expect(await pointers(net.zone)).toEqual([`1 www.${zone.name}`, "2 host.example.net"]);
  });

  test("wildcards and disabled names get no PTR record", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    await zone.add("A", "*", net.at(1));
    await zone.add("A", "*.dev", net.at(2));
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("bulk creates and zone-file imports carry PTR records, and answer with each reverse zone's outcome", async () => {
    const [one, two] = [await reverseNet(zw), await reverseNet(zw)];
    const zone = await forwardZone(zw, "follow");
    const records = [one.at(1), two.at(1), "not an address"].map((value, index) => ({
      recordType: "A",
      name: `bulk${index}`,
      value,
    }));
    const { body } = await zone.post("/records/bulk", { records });
    expect(body).toMatchObject({ total: 3, succeeded: 2 });
    expect(body.reverse).toEqual([
      { domainId: one.zone.id, domainName: one.zone.name, revision: 1, error: null },
      { domainId: two.zone.id, domainName: two.zone.name, revision: 1, error: null },
    ]);
    const zonefile = `imported 300 IN A ${one.at(9)}\n`;
    const dry = await zone.post("/zonefile", { zonefile, dryRun: true });
    expect(dry.body.reverse).toEqual([]);
    expect(dry.body.plan.reverse).toMatchObject([
      { address: one.at(9), domainName: one.zone.name, action: "create", record: { name: "9" }, included: true },
    ]);
    const { planHash } = dry.body;
    const imported = await zone.post("/zonefile", { zonefile, planHash });
    expect(imported.body.reverse).toMatchObject([{ domainId: one.zone.id, revision: 2, error: null }]);
    expect(await pointers(one.zone)).toEqual([`1 bulk0.${zone.name}`, `9 imported.${zone.name}`]);
  });

  test("an import's hash is of its own zone: imports that were planned together are applied one after the other", async () => {
    const net = await reverseNet(zw);
    const zones = [await forwardZone(zw, "follow"), await forwardZone(zw, "follow")];
    const zonefile = `www 300 IN A ${net.at(1)}\n`;
    const hashes: unknown[] = [];
    for (const zone of zones) {
      const { body } = await zone.post("/zonefile", { zonefile, dryRun: true });
      expect(body.plan.reverse).toMatchObject([{ action: "create", record: { value: `www.${zone.name}` } }]);
      hashes.push(body.planHash);
    }
    for (const [index, zone] of zones.entries()) {
      const { status, body } = await zone.post("/zonefile", { zonefile, planHash: hashes[index] });
      expect({ status, body }).toMatchObject({ status: 200, body: { created: 1 } });
    }
    // The address has its PTR record since the first of them.
    expect(await pointers(net.zone)).toEqual([`1 www.${zones[0]?.name}`]);
  });

  test("an address that moves between names in one plan keeps its PTR record's identity", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const old = await zone.add("A", "old", net.at(1));
    const [before] = await net.zone.records();
    await applied(zone, [{ action: "delete", recordId: old.id }, a("new", net.at(1))]);
    expect(await net.zone.records()).toMatchObject([{ id: before?.id, value: `new.${zone.name}`, version: 2 }]);
  });
});

describe("views", () => {
  test("a view's own reverse zone comes first, then the default one", async () => {
    const providerConfigId = await manualConfig(zw);
    const { name, at } = freshNet();
    const reverse = await addZone(zw, { name, providerConfigId });
    const inside = await addZone(zw, { name: `${name}!internal`, providerConfigId });
    const elsewhere = await reverseNet(zw);
    const [open, internal] = await bothViews(zw, providerConfigId);
    for (const zone of [open, internal]) await set(zone, { reverse: "follow" });
    await internal.add("A", "www", at(1));
    await open.add("A", "www", at(2));
    await internal.add("A", "other", elsewhere.at(1));
    expect(await pointers(inside)).toEqual([`1 www.${open.name}`]);
    expect(await pointers(reverse)).toEqual([`2 www.${open.name}`]);
    expect(await pointers(elsewhere.zone)).toEqual([`1 other.${open.name}`]);
  });

  test("a reverse zone of another view is none for the default view", async () => {
    const providerConfigId = await manualConfig(zw);
    const { name, at } = freshNet();
    const inside = await addZone(zw, { name: `${name}!internal`, providerConfigId });
    const zone = await forwardZone(zw, "follow");
    await zone.add("A", "www", at(1));
    expect(await pointers(inside)).toEqual([]);
  });
});

describe("a plan in which names share an address", () => {
  test("the name that had the PTR record of the old address gets that of the new one", async () => {
    const { net, forward, moved } = await shared();
    expect((await applied(forward, await moved())).reverse).toMatchObject([{ error: null }]);
    expect(await pointers(net.zone)).toEqual([`20 mail.${forward.name}`]);
  });
});

describe("a revert", () => {
  test("PTR records come back with their names, TTLs and comments, and the dry run lists them", async () => {
    const { net, forward, moved } = await shared();
    const { changeSetId } = await applied(forward, await moved());
    const { body: dry } = await forward.post(`/history/${changeSetId}/revert`, { dryRun: true });
    expect(dry.plan.reverse.map((one: Body) => [one.address, one.action, one.record.value, one.included])).toEqual([
      [net.at(20), "delete", `mail.${forward.name}`, true],
      [net.at(10), "create", `mail.${forward.name}`, true],
    ]);
    const { status } = await forward.post(`/history/${changeSetId}/revert`, { planHash: dry.planHash });
    expect(status).toBe(200);
    expect(await net.zone.records()).toMatchObject([
      { name: "10", value: `mail.${forward.name}`, ttl: 300, comment: "HELO name" },
    ]);
  });

  test("PTR records that followed a change follow its revert, although the setting is off by then", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "offer")];
    const { changeSetId } = await applied(zone, [a("www", net.at(3))], true);
    expect(await pointers(net.zone)).toEqual([`3 www.${zone.name}`]);
    await set(zone, { reverse: "off" });
    expect((await zone.post(`/history/${changeSetId}/revert`, {})).body.reverse).toMatchObject([{ error: null }]);
    expect(await pointers(net.zone)).toEqual([]);
  });

  test("the dry run of a zone file lists the PTR records that follow", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    const { body } = await zone.post("/zonefile", { zonefile: `ftp 300 A ${net.at(4)}\n`, dryRun: true });
    expect(body.plan.reverse).toMatchObject([{ address: net.at(4), action: "create", included: true }]);
  });
});

/** Two names with one address, whose PTR record has the second one's name, and the plan that moves both. */
async function shared() {
  const [net, forward] = [await reverseNet(zw), await forwardZone(zw, "follow")];
  await set(forward, { reverse: "off" });
  for (const name of ["api", "mail"]) await forward.add("A", name, net.at(10));
  const pointer = { recordType: "PTR", name: "10", value: `mail.${forward.name}`, ttl: 300, comment: "HELO name" };
  expect((await net.zone.create(pointer)).status).toBe(201);
  await set(forward, { reverse: "follow" });
  const moved = async () =>
    (await forward.records("&type=A")).map(({ id }) => ({
      action: "update",
      recordId: id,
      record: { value: net.at(20) },
    }));
  return { net, forward, moved };
}

describe("history", () => {
  test("the reverse zone's change set names the one that it follows, once, and by the same person", async () => {
    const [net, zone] = [await reverseNet(zw), await forwardZone(zw, "follow")];
    await zone.add("A", "www", net.at(1));
    const [forward] = await zone.history();
    expect(forward).toMatchObject({ causedBy: null, kind: "edit" });
    expect(await net.zone.history()).toEqual([
      expect.objectContaining({
        causedBy: forward?.id,
        actor: "admin",
        state: "applied",
        creates: 1,
        changes: [expect.objectContaining({ action: "create" })],
      }),
    ]);
  });

  test("PTR records follow a zone at files into another zone at files", async () => {
    const { name, at } = freshNet();
    const reverse = await addZone(zw, { name });
    await reverse.add("NS", "@", "ns1.example.net");
    const zone = await fileZone(zw, "@ NS ns1.example.net.\n");
    await set(zone, { reverse: "follow" });
    await zone.add("A", "www", at(1));
    expect(await reverse.readFile()).toMatch(new RegExp(`^1\\s.*PTR\\s+www\\.${zone.name}\\.$`, "m"));
    expect((await reverse.history())[0]).toMatchObject({ causedBy: (await zone.history())[0]?.id });
  });
});
