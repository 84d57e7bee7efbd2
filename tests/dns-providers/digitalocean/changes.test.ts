import { describe, expect, test } from "vitest";
import { freshName, Zone } from "../../support/zones.ts";
import { useAccount } from "./account.ts";

const account = useAccount();
const { zw } = account;

describe("DigitalOcean configurations", () => {
  test("a DigitalOcean configuration masks its token and can be tested", async () => {
    expect(account.config.config).toMatchObject({ token: "********" });
    const { body } = await zw.admin.post(`/api/provider-configs/${account.config.id}/test`);
    expect(body).toMatchObject({ success: true, error: null });
  });

  test("a wrong token is reported with DigitalOcean's message and without the token", async () => {
    const token = "a-wrong-token-that-nobody-should-see";
    const config = await account.configure({ token });
    const { status, body } = await zw.admin.get(`/api/provider-configs/${config.id}/zones`);
    expect([status, body.detail]).toEqual([502, expect.stringContaining("Unable to authenticate you")]);
    expect(body.detail).toContain("rejects the token of this provider configuration");
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test("an address that is not DigitalOcean's API is reported as such", async () => {
    account.server.failNext({ after: false, reply: { status: 200, body: "<html>It works!</html>" } });
    const { body } = await zw.admin.post(`/api/provider-configs/${account.config.id}/test`);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining("Check the address") });
  });

  test("all domains of a DigitalOcean account are listed, over several pages", async () => {
    const names = Array.from({ length: 401 }, () => freshName());
    for (const name of names) account.server.addDomain(name);
    const { body } = await zw.admin.get(`/api/provider-configs/${account.config.id}/zones`);
    expect(body.zones.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names));
  });
});

test("a new domain is created at DigitalOcean, and an existing one is imported", async () => {
  const zone = await account.zone();
  expect(await zone.lines()).toEqual([1, 2, 3].map((index) => `@ NS ns${index}.digitalocean.com`));
  const name = freshName();
  account.server.addDomain(name);
  account.server.add(name, { type: "MX", name: "@", data: `${name}.`, priority: 10, ttl: 300 });
  account.server.add(name, {
    type: "SRV",
    name: "_sip._tcp",
    data: "sip.example.net.",
    priority: 1,
    weight: 2,
    port: 3,
    ttl: 300,
  });
  account.server.add(name, { type: "CAA", name: "@", data: "letsencrypt.org.", flags: 0, tag: "issue", ttl: 300 });
  account.server.add(name, { type: "TXT", name: "t", data: 'a "b"; ü', ttl: 300 });
  const { body } = await zw.admin.post(`/api/provider-configs/${account.config.id}/import`, { zones: [name] });
  expect(body.results).toMatchObject([{ name, success: true, records: 7 }]);
  const taken = new Zone(zw, { id: body.results[0].domainId, name });
  expect((await taken.lines()).filter((line) => !line.includes("NS"))).toEqual([
    "@ CAA 0 issue letsencrypt.org",
    `@ MX 10 ${name}`,
    "_sip._tcp SRV 1 2 3 sip.example.net",
    't TXT a "b"; ü',
  ]);
});

test("a record at DigitalOcean is created, edited, given another TTL, moved and deleted, with one call per edit", async () => {
  const zone = await account.zone();
  const calls = () => account.server.changes().length;
  const before = calls();
  const made = await zone.add("A", "crane", "192.0.2.1", 300);
  await zone.update(made.id, { value: "192.0.2.2" });
  await zone.update(made.id, { ttl: 60 });
  expect(account.server.lines(zone.name)).toEqual(["crane A 60 192.0.2.2"]);
  expect(calls()).toBe(before + 3);
  await zone.update(made.id, { name: "winch" });
  expect(account.server.lines(zone.name)).toEqual(["winch A 60 192.0.2.2"]);
  expect((await zone.delete(made.id)).status).toBe(200);
  expect(account.server.lines(zone.name)).toEqual([]);
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("all records of an RRset at DigitalOcean get the same TTL", async () => {
  const zone = await account.zone();
  await zone.add("A", "many", "192.0.2.1", 300);
  account.server.add(zone.name, { type: "A", name: "many", data: "192.0.2.9", ttl: 900 });
  await zone.add("A", "many", "192.0.2.2", 60);
  expect(account.server.lines(zone.name)).toEqual([
    "many A 60 192.0.2.1",
    "many A 60 192.0.2.2",
    "many A 60 192.0.2.9",
  ]);
});

test("a change queries its name only, and a sync reads the domain in pages of 200", async () => {
  const zone = await account.zone();
  const lines = Array.from({ length: 1_201 }, (_, index) => `p${index} 300 IN A 10.0.${index >> 8}.${index & 255}`);
  for (const line of lines) {
    const [name, , , type, data] = line.split(" ");
    account.server.add(zone.name, { type, name, data, ttl: 300 });
  }
  const reads = () => account.server.calls.filter(({ method }) => method === "GET");
  let before = reads().length;
  expect((await zone.post("/sync", { force: true })).body).toMatchObject({ created: 1_201 });
  expect(reads().length - before).toBe(7);
  before = reads().length;
  await zone.add("TXT", "p7", "beside", 300);
  expect(
    reads()
      .slice(before)
      .map(({ url }) => url.searchParams.get("name")),
  ).toEqual([`p7.${zone.name}`]);
  expect((await zone.post("/sync")).body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 1_205 });
});

test("a rollback restores a snapshot at DigitalOcean", async () => {
  const zone = await account.zone();
  const record = await zone.add("TXT", "t", 'a "quoted" text; ', 300);
  const { body: snapshot } = await zone.post("/snapshots");
  await zone.update(record.id, { value: "other" });
  await zone.add("A", "new", "192.0.2.1", 300);
  const { body } = await zone.post(`/snapshots/${snapshot.id}/rollback`, {});
  expect(body).toMatchObject({ success: true, updated: 1, deleted: 1, failed: [] });
  expect(account.server.lines(zone.name)).toEqual(['t TXT 300 a "quoted" text; ']);
});

test("the URL of a CAA iodef is stored as given, and the domain of issue with a dot that is not shown", async () => {
  const zone = await account.zone();
  await zone.add("CAA", "@", "0 iodef mailto:caa@example.net", 300);
  await zone.add("CAA", "@", "0 iodef https://caa.example.net/report.", 300);
  await zone.add("CAA", "@", "0 issue letsencrypt.org", 300);
  const stored = account.server.lines(zone.name).filter((line) => line.includes("CAA"));
  expect(stored.map((line) => line.split(" ").at(-1) ?? "").toSorted()).toEqual([
    "https://caa.example.net/report.",
    "letsencrypt.org",
    "mailto:caa@example.net",
  ]);
  expect((await zone.post("/sync", { dryRun: true })).body).toMatchObject({ created: 0, updated: 0, deleted: 0 });
});

test("a zone file with an SRV of port 0 is refused before anything is sent to DigitalOcean", async () => {
  const zone = await account.zone();
  const before = account.server.changes().length;
  const { status, body } = await zone.post("/zonefile", { zonefile: "_imap._tcp 300 IN SRV 0 0 0 .\n", mode: "merge" });
  expect({ status, body: JSON.stringify(body) }).toMatchObject({
    body: expect.stringContaining("DigitalOcean allows SRV ports from 1"),
  });
  expect(account.server.changes()).toHaveLength(before);
});

test("editing a record that was deleted at DigitalOcean is refused with advice to sync", async () => {
  const zone = await account.zone();
  const made = await zone.add("A", "a", "192.0.2.1", 300);
  account.server.clear(zone.name, "a");
  const { status, body } = await zone.update(made.id, { value: "192.0.2.2" });
  expect([status, body.detail]).toEqual([
    502,
    expect.stringContaining("no longer in the zone at DigitalOcean; sync the zone first"),
  ]);
});

test.each([
  [{ recordType: "TXT", value: "back\\slash" }, "backslashes"],
  [{ recordType: "TXT", value: "" }, "empty TXT value"],
  [{ recordType: "TXT", value: "t".repeat(505) }, "at most 509 characters"],
  [{ recordType: "MX", value: "0 ." }, "null MX"],
  [{ recordType: "CAA", value: "0 issue ;" }, 'spaces or ";"'],
  [{ recordType: "CAA", value: "0 contactemail a@example.net" }, "issue, issuewild, iodef"],
  [{ recordType: "A", value: "192.0.2.1", ttl: 29 }, "from 30"],
])("an unsupported record is refused before anything is sent to DigitalOcean: %j", async (record, words) => {
  const zone = await account.zone();
  const calls = account.server.calls.length;
  const { status, body } = await zone.create({ name: "x", ...record });
  expect([status, body.detail]).toEqual([400, expect.stringContaining(words)]);
  expect(body.detail).toContain("DigitalOcean");
  expect(account.server.calls).toHaveLength(calls);
});

test("an invalid value is reported without the provider's limits on values", async () => {
  const zone = await account.zone();
  const { status, body } = await zone.create({ recordType: "TXT", name: "x", value: "t".repeat(2_049), ttl: 5 });
  expect([status, body.issues.map(({ path }: { path: string[] }) => path)]).toEqual([400, [["value"], ["ttl"]]]);
});
