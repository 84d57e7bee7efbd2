import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { recordKey } from "../../server/dns/record.ts";
import type { DnsProvider, RecordChange } from "../../server/dns-providers/provider.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { createEgress, type Egress } from "../../server/platform/net/egress.ts";
import { Clock } from "../support/clock.ts";
import { rrsetDialects } from "../support/vendors/rrsets/dialects.ts";
import { startRrsetVendor, type RrsetServer } from "../support/vendors/rrsets/server.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { create, record, remove, update } from "./zone-folder.ts";

// Each kind that speaks RRsets, against a vendor that follows the vendor's published description. What they store is in
// tests/services/conformance.

const zone = "harbour.example";

const a = (name: string, value = "192.0.2.1", ttl = 3600) => record(name, "A", value, ttl);

describe.each(rrsetDialects)("$name", (dialect) => {
  let server: RrsetServer;
  let egress: Egress;
  let clock: Clock;
  let provider: DnsProvider;

  function connect(fields: Record<string, string> = {}): DnsProvider {
    const kind = knownKind(dialect.kind);
    const config = kind.configSchema.parse({ ...server.config, ...fields });
    const accounts = new VendorAccounts({ now: clock.now, pause: clock.pause });
    const connected = kind.connect?.(config, { zonesFolder: "/nowhere", now: clock.now, egress, accounts });
    if (!connected) throw new Error(`${dialect.kind} has no back end`);
    return connected;
  }

  beforeAll(async () => {
    server = await startRrsetVendor(dialect);
    egress = createEgress({ allow: ["127.0.0.1"], now: () => new Date() });
  });
  afterAll(async () => {
    await egress.close();
    await server.stop();
  });
  beforeEach(() => {
    server.forgetFaults();
    server.store.zones.clear();
    server.store.addZone(zone);
    server.calls.length = 0;
    clock = new Clock();
    provider = connect();
  });

  const { isWrite } = dialect;
  const apply = async (changes: RecordChange[], atomic = false) =>
    (await provider.applyChanges(zone, changes, { atomic })).outcomes;
  const held = () => server.store.lines(zone);
  test("zones are listed, with international names, and one that is there is not made again", async () => {
    server.store.addZone("xn--hfen-loa.example");
    await provider.createZone(zone);
    await provider.createZone("new.example");
    expect(await provider.listZones()).toEqual({
      names: [zone, "new.example", "xn--hfen-loa.example"].toSorted(),
      unusable: [],
    });
    expect([...server.store.zones.keys()].filter((name) => name === zone)).toHaveLength(1);
    await provider.applyChanges("xn--hfen-loa.example", [create(a("www"))]);
    expect(server.store.lines("xn--hfen-loa.example")).toEqual(["www A 3600 192.0.2.1"]);
  });

  test("records of one RRset, types that exchange a name, and another TTL take effect as a whole", async () => {
    expect(await apply([create(a("www")), create(a("www", "192.0.2.2"))], true)).toEqual([{ ok: true }, { ok: true }]);
    expect(held()).toEqual(["www A 3600 192.0.2.1", "www A 3600 192.0.2.2"]);
    await apply([update(a("www"), a("www", "192.0.2.3", 7200))]);
    expect(held()).toEqual(["www A 7200 192.0.2.2", "www A 7200 192.0.2.3"]);
    const cname = record("www", "CNAME", "target.example.net", 3600);
    const swap = [remove(a("www", "192.0.2.2", 7200)), remove(a("www", "192.0.2.3", 7200)), create(cname)];
    expect(await apply(swap, true)).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
    expect(held()).toEqual(["www CNAME 3600 target.example.net."]);
    await apply([update(cname, a("ftp"))]);
    expect(held()).toEqual(["ftp A 3600 192.0.2.1"]);
  });

  test("a record that somebody else added to an RRset stays", async () => {
    await apply([create(a("www"))]);
    server.store.write(zone, [{ name: "www", type: "A", ttl: 3600, values: ["192.0.2.1", "192.0.2.9"] }]);
    await apply([update(a("www"), a("www", "192.0.2.2"))]);
    expect(held()).toEqual(["www A 3600 192.0.2.2", "www A 3600 192.0.2.9"]);
  });

  test("a record that is gone at the vendor is not changed, and the answer says to sync", async () => {
    const [outcome] = await apply([update(a("www"), a("www", "192.0.2.2"))]);
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("sync the zone first") });
    expect(server.calls.filter(isWrite)).toEqual([]);
  });

  test("a refused change is reported with the vendor's words, and independent ones are made", async () => {
    const message = "Not this one, says the harbour master";
    const isBad = (call: (typeof server.calls)[number]) =>
      isWrite(call) && `${call.url.pathname}${call.body}`.includes("bad");
    server.failNext({ after: false, reply: dialect.refusal(message) }, 10, isBad);
    const outcomes = await apply([create(a("good")), create(a("bad")), create(a("fine"))]);
    expect(outcomes).toEqual([{ ok: true }, { ok: false, message: expect.stringContaining(message) }, { ok: true }]);
    expect(outcomes[1]).toMatchObject({ message: expect.stringContaining(`${dialect.name} refused the change: `) });
    expect(held()).toEqual(["fine A 3600 192.0.2.1", "good A 3600 192.0.2.1"]);
  });

  test("of a set that is made as a whole nothing stays if one change is refused", async () => {
    await apply([create(a("old"))]);
    const isBad = (call: (typeof server.calls)[number]) =>
      isWrite(call) && `${call.url.pathname}${call.body}`.includes("bad");
    server.failNext({ after: false, reply: dialect.refusal("Not this one") }, 10, isBad);
    const outcomes = await apply([remove(a("old")), create(a("good")), create(a("bad"))], true);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(held()).toEqual(["old A 3600 192.0.2.1"]);
  });

  test("a change whose answer is lost is sent once, and a reading shows it", async () => {
    server.failNext({ after: true, reply: null }, 1, isWrite);
    const failure = await failureOf(apply([create(a("lost"))]));
    expect(failure.effect).toBe("unknown");
    expect(server.calls.filter(isWrite)).toHaveLength(1);
    expect((await readAll(provider, zone)).map(({ name }) => name)).toContain("lost");
  });

  test("a pause that the vendor asks for is waited out, and nothing is made twice", async () => {
    const before = clock.now().getTime();
    server.failNext({ after: false, reply: dialect.throttled(20) }, 1, isWrite);
    expect(await apply([create(a("later"))])).toEqual([{ ok: true }]);
    expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(20_000);
    expect(held()).toEqual(["later A 3600 192.0.2.1"]);
  });

  test("refused credentials and missing rights are reported in words that name what to change", async () => {
    server.failNext({ after: false, reply: dialect.unauthorized }, 1);
    const failure = await failureOf(provider.listZones());
    expect(failure.message).toMatch(new RegExp(`^${dialect.name} rejects .+ of this provider configuration\\. Check `));
    expect(failure.effect).toBe("none");
    server.failNext({ after: false, reply: dialect.forbidden }, 1, isWrite);
    const denied = await failureOf(apply([create(a("www"))]));
    expect(denied.message).toMatch(new RegExp(`^${dialect.name} rejects .+ Check .+ It says: .+`));
    expect([denied.effect, held()]).toEqual(["none", []]);
    for (const secret of Object.values(server.config).filter((value) => !value.startsWith("http"))) {
      expect(`${failure.message} ${denied.message}`).not.toContain(secret);
    }
  });

  test("a zone that the account does not have is reported as missing", async () => {
    server.store.zones.clear();
    expect(await failureOf(readAll(provider, zone))).toMatchObject({ zoneMissing: true, effect: "none" });
    expect(await failureOf(apply([create(a("www"))]))).toMatchObject({ zoneMissing: true, effect: "none" });
  });

  test("a page of somebody else's is never taken for an answer", async () => {
    server.failNext({ after: false, reply: { status: 200, body: "<html>Sign in to the harbour</html>" } }, 10);
    expect((await failureOf(readAll(provider, zone))).message).toContain("does not look like its API");
  });

  // What only NS1 does.
  if (dialect.kind !== "ns1") return;

  test("NS1's own notation is read back as it was written", async () => {
    const written = [
      record("@", "MX", "10 mail.example.net", 3600),
      record("null", "MX", "0 .", 3600),
      record("_sip._tcp", "SRV", "10 5 5060 sip.example.net", 3600),
      record("*", "CNAME", "target.example.net", 3600),
      record("@", "CAA", "0 issue ca.example; policy=ev", 3600),
      record("text", "TXT", 'say "hi"; back\\slash', 3600),
      record("long", "TXT", "ü".repeat(200), 3600),
    ];
    expect((await apply(written.map((one) => create(one)))).filter(({ ok }) => !ok)).toEqual([]);
    const sent = server.calls
      .filter(isWrite)
      .map(({ body }) => (JSON.parse(body) as { answers: unknown[] }).answers[0]);
    expect(sent).toContainEqual({ answer: ["0", "issue", "ca.example; policy=ev"] });
    expect(sent).toContainEqual({ answer: ["ü".repeat(200)] });
    const read = (await readAll(provider, zone)).filter(({ recordType }) => recordType !== "NS");
    expect(read.map(recordKey).toSorted()).toEqual(written.map(recordKey).toSorted());
  });

  test("RRsets that NS1 steers are read-only, and what is no record is not read", async () => {
    const steered = { domain: `www.${zone}`, type: "A", ttl: 60, tier: 3, short_answers: ["192.0.2.1", "192.0.2.2"] };
    const redirect = { domain: zone, type: "REDIRECT", ttl: 60, short_answers: ["NS1 MANAGED RECORD"] };
    const body = JSON.stringify({ zone, ttl: 3600, records: [steered, redirect] });
    server.failNext({ after: false, reply: { status: 200, body } }, 3);
    expect((await readAll(provider, zone)).map(({ value }) => value)).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect([...((await provider.readOnlyRecords?.(zone))?.values() ?? [])]).toHaveLength(2);
    const [outcome] = await apply([remove(a("www", "192.0.2.1", 60))]);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining("NS1 steers these records") });
    expect(server.calls.filter(isWrite)).toEqual([]);
  });

  test("linked and secondary zones of NS1 are not listed", async () => {
    const body = JSON.stringify([
      { zone },
      { zone: "linked.example", link: zone },
      { zone: "secondary.example", secondary: { enabled: true } },
    ]);
    server.failNext({ after: false, reply: { status: 200, body } }, 1);
    expect((await provider.listZones()).names).toEqual([zone]);
  });
});
