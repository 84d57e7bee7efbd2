import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import type { DnsProvider, RecordChange } from "../../server/dns-providers/provider.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { ruleFor } from "../../server/dns/record-types.ts";
import { recordLabel, type RecordData } from "../../server/dns/record.ts";
import { createEgress, type Egress } from "../../server/platform/net/egress.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { limitIssues } from "../../server/zones/records/provider-limits.ts";
import { Clock } from "../support/clock.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { recordDialects } from "../support/vendors/records/dialects.ts";
import { bunny } from "../support/vendors/records/bunny.ts";
import { dnsimple } from "../support/vendors/records/dnsimple.ts";
import { linode } from "../support/vendors/records/linode.ts";
import { startRecordVendor, type RecordServer } from "../support/vendors/records/server.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { withAccount, zone } from "./record-vendor.ts";
import { create, record as data, remove, update } from "./zone-folder.ts";

// Each kind that speaks single records, against a vendor that follows the vendor's published description.

const ttl = 3_600;

/** A record as a client would write it. */
function record(name: string, recordType: string, value: string, seconds = ttl): RecordData {
  const written = ruleFor(recordType).write(value, null);
  if (!written.ok) throw new Error(written.message);
  const { value: canonical, priority } = written.value;
  return { ...data(name, recordType, canonical, seconds), priority };
}

/** One record or more of each type, and of each form of name. */
const examples = [
  record("@", "A", "192.0.2.1"),
  record("*", "A", "192.0.2.2"),
  record("www", "A", "192.0.2.3"),
  record("www", "A", "192.0.2.4"),
  record("www", "AAAA", "2001:db8::1"),
  record("xn--hfen-loa", "AAAA", "2001:db8::2"),
  record("alias", "ALIAS", "target.example.net"),
  record("@", "CAA", "0 issue letsencrypt.org"),
  record("@", "CAA", "0 iodef mailto:caa@example.net"),
  record("shop", "CNAME", "target.example.net"),
  record("_dmarc.hafen", "CNAME", "xn--hfen-loa.example.net"),
  record("tree", "DNAME", "other.example.net"),
  record("web", "HTTPS", "1 . alpn=h2"),
  record("far", "HTTPS", "0 pool.example.net"),
  record("place", "LOC", "43 3 11.194 N 5 57 21.600 W 0.00m 1m 10000m 10m"),
  record("@", "MX", "10 mail.example.net"),
  record("@", "MX", "20 mail2.example.net"),
  record("sip", "NAPTR", '10 100 "S" "SIP+D2U" "" _sip._udp.example.net'),
  record("far", "NAPTR", '10 100 "U" "E2U+sip" "!^.*$!sip:info@example.net!" .'),
  record("sub", "NS", "ns1.example.net"),
  record("sub", "NS", "ns2.example.net"),
  record("4", "PTR", "host.example.net"),
  record("_sip._tcp", "SRV", "1 2 5060 sip.example.net"),
  record("host", "SSHFP", `4 2 ${"ab".repeat(32)}`),
  record("_dns", "SVCB", "1 dns.example.net alpn=dot port=853"),
  record("_443._tcp", "TLSA", `3 1 1 ${"cd".repeat(32)}`),
  record("@", "TXT", "v=spf1 include:_spf.example.net -all"),
  record("k._domainkey", "TXT", `v=DKIM1; k=rsa; p=${"A".repeat(392)}`),
  record("@", "TXT", "Grüße aus dem Hafen"),
];

const sorted = (records: readonly RecordData[]) =>
  records.map((one) => `${recordLabel(one)} ${one.value} ${one.ttl}`).toSorted();

const isAnyWrite = ({ method }: VendorCall) => method !== "GET";
const a = (name: string, value = "192.0.2.1", seconds = ttl) => record(name, "A", value, seconds);
describe.each(recordDialects)("$name", (dialect) => {
  const kind = knownKind(dialect.kind);
  const isWrite = dialect.isWrite ?? (({ method }: VendorCall) => method !== "GET");
  const isBad = (call: VendorCall) => isWrite(call) && call.body.includes("bad");
  let server: RecordServer;
  let egress: Egress;
  let clock: Clock;
  let provider: DnsProvider;
  beforeAll(async () => {
    server = await startRecordVendor(dialect);
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
    const accounts = new VendorAccounts({ now: clock.now, pause: clock.pause });
    const config = kind.configSchema.parse(server.config);
    const connected = kind.connect?.(config, { zonesFolder: "/nowhere", now: clock.now, egress, accounts });
    if (!connected) throw new Error(`${dialect.kind} has no back end`);
    provider = connected;
  });

  const writes = () => server.calls.filter(isWrite).length;
  const apply = async (changes: RecordChange[], atomic = false) =>
    (await provider.applyChanges(zone, changes, { atomic })).outcomes;
  const held = async () => sorted(await readAll(provider, zone));

  test("zones are created once and listed, international ones by their A-labels", async () => {
    for (const name of ["new.example", "new.example", "xn--hfen-loa.example"]) {
      if (dialect.zonesComeWithDomains) server.store.addZone(name);
      await provider.createZone(name);
    }
    expect((await provider.listZones()).names).toEqual([zone, "new.example", "xn--hfen-loa.example"].toSorted());
    await provider.applyChanges("xn--hfen-loa.example", [create(a("www"))]);
    expect(sorted(await readAll(provider, "xn--hfen-loa.example"))).toEqual(sorted([a("www")]));
  });

  test("a list of zones with more than a page of them is read to its end, and the last one is found", async () => {
    const names = Array.from({ length: 1_201 }, (_, index) => `z${index}.example`);
    for (const name of names) server.store.addZone(name);
    expect((await provider.listZones()).names.toSorted()).toEqual([...names, zone].toSorted());
    expect((await provider.applyChanges("z1200.example", [create(a("www"))])).outcomes).toEqual([{ ok: true }]);
  });

  test.each(kind.turnsSigning ? [kind.kind] : [])(
    "signing at %s is turned on and off, and a refusal says why",
    async () => {
      const { signing } = provider;
      server.failNext({ after: false, reply: dialect.refusal("This zone cannot be signed.") }, 1, isAnyWrite);
      expect(await failureOf(signing?.set(zone, true) ?? Promise.resolve())).toMatchObject({
        effect: "none",
        message: expect.stringContaining(`did not turn DNSSEC on for ${zone}: This zone cannot be signed.`),
      });
      expect([await signing?.isOn?.(zone), await signing?.keys(zone)]).toEqual([false, []]);
      await signing?.set(zone, true);
      expect(await signing?.isOn?.(zone)).toBe(true);
      const shown = ((await signing?.keys(zone)) ?? []).map((key) => key.slice(0, 10).toString());
      expect(shown).toEqual(dialect === dnsimple ? ["44620 8 2 "] : []);
      // What is off already is no failure.
      await signing?.set(zone, false);
      await signing?.set(zone, false);
      expect([await signing?.isOn?.(zone), await signing?.keys(zone)]).toEqual([false, []]);
      server.store.zones.clear();
      expect(await failureOf(signing?.set(zone, true) ?? Promise.resolve())).toMatchObject({ zoneMissing: true });
    },
  );

  test("records of every type that the vendor documents are read back as they were written", async () => {
    const wanted = examples.filter(({ recordType }) => (kind.recordTypes as string[]).includes(recordType));
    expect(wanted.flatMap((one) => limitIssues(one, kind, "example.com"))).toEqual([]);
    expect(new Set(wanted.map(({ recordType }) => recordType))).toEqual(new Set(kind.recordTypes));
    expect((await apply(wanted.map(create), true)).filter(({ ok }) => !ok)).toEqual([]);
    expect(await held()).toEqual(sorted(wanted));
  });

  test("a text is stored as it was written, or refused before anything is sent", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", ";", "ü", "0"), minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const one = record("text", "TXT", value);
        if (limitIssues(one, kind, "example.com").length > 0) return;
        expect(await apply([create(one)])).toEqual([{ ok: true }]);
        expect(await held()).toEqual(sorted([one]));
        await apply([remove(one)]);
      }),
      { numRuns: 30 },
    );
  });

  test("a record is edited, gets another TTL with its RRset, moves and is deleted", async () => {
    await apply([create(a("www")), create(a("www", "192.0.2.2"))]);
    await apply([update(a("www"), a("www", "192.0.2.3", 7_200))]);
    expect(await held()).toEqual(sorted([a("www", "192.0.2.2", 7_200), a("www", "192.0.2.3", 7_200)]));
    const cname = record("www", "CNAME", "target.example.net");
    const swap = [remove(a("www", "192.0.2.2", 7_200)), remove(a("www", "192.0.2.3", 7_200)), create(cname)];
    expect((await apply(swap, true)).map(({ ok }) => ok)).toEqual([true, true, true]);
    await apply([update(cname, a("ftp"))]);
    expect(await held()).toEqual(sorted([a("ftp")]));
    await apply([remove(a("ftp"))]);
    expect(server.store.lines(zone)).toEqual([]);
  });

  test("a record that the vendor lists twice is read once, and deleted with its copy", async () => {
    await apply([create(a("twin"))]);
    const [first] = server.store.zones.get(zone)?.records.values() ?? [];
    if (first) server.store.add(zone, { ...first });
    expect(server.store.lines(zone)).toHaveLength(2);
    expect(await held()).toEqual(sorted([a("twin")]));
    expect(await apply([remove(a("twin"))])).toEqual([{ ok: true }]);
    expect(server.store.lines(zone)).toEqual([]);
  });

  test("a record that is gone at the vendor is not changed, and the answer says to sync", async () => {
    const [outcome] = await apply([update(a("www"), a("www", "192.0.2.2"))]);
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("sync the zone first") });
    expect(writes()).toBe(0);
  });

  test("a refused change is reported in the vendor's words, and of a set made as a whole nothing stays", async () => {
    const reply = dialect.refusal("Not this one, says the harbour master");
    server.failNext({ after: false, reply }, 2, isBad);
    const outcomes = await apply([create(a("good")), create(a("bad"))]);
    const message = expect.stringMatching(new RegExp(`^${dialect.name} refused the change: Not this one`));
    expect(outcomes).toEqual([{ ok: true }, { ok: false, message }]);
    const whole = await apply([remove(a("good")), create(a("fine")), create(a("bad"))], true);
    expect(whole.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(await held()).toEqual(sorted([a("good")]));
  });

  test("a change whose answer is lost is sent once, and a reading shows it", async () => {
    server.failNext({ after: true, reply: null }, 1, isWrite);
    expect((await failureOf(apply([create(a("lost"))]))).effect).toBe("unknown");
    expect(writes()).toBe(1);
    expect((await readAll(provider, zone)).map(({ name }) => name)).toEqual(["lost"]);
  });

  test("a pause that the vendor asks for is waited out, and nothing is made twice", async () => {
    const before = clock.now().getTime();
    server.failNext({ after: false, reply: dialect.throttled(20) }, 1, isWrite);
    expect(await apply([create(a("later"))])).toEqual([{ ok: true }]);
    expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(20_000);
    expect(await held()).toEqual(sorted([a("later")]));
  });

  test("refused credentials and missing rights are reported in words that name what to change", async () => {
    server.failNext({ after: false, reply: dialect.unauthorized });
    const failure = await failureOf(provider.listZones());
    server.failNext({ after: false, reply: dialect.forbidden }, 1, isWrite);
    const denied = await failureOf(apply([create(a("www"))]));
    for (const { message, effect } of [failure, denied]) {
      expect(message).toMatch(
        new RegExp(`^${dialect.name} rejects .+ of this provider configuration\\. Check .+ It says: .`),
      );
      expect([effect, message.includes(server.config[dialect.secret] ?? "")]).toEqual(["none", false]);
    }
    expect(server.store.lines(zone)).toEqual([]);
  });

  test("a zone that the account does not have is reported as missing", async () => {
    server.store.zones.clear();
    expect(await failureOf(readAll(provider, zone))).toMatchObject({ zoneMissing: true, effect: "none" });
    expect(await failureOf(apply([create(a("www"))]))).toMatchObject({ zoneMissing: true, effect: "none" });
  });

  test("a page of somebody else's is never taken for an answer", async () => {
    server.failNext({ after: false, reply: { status: 200, body: "<html>Sign in to the harbour</html>" } }, 5);
    expect((await failureOf(readAll(provider, zone))).message).toContain("does not look like its API");
  });

  // The base reads all kinds in the same way, so one with large zones is enough.
  const large = dialect.kind === "linode" ? [5_000] : [];
  test.each(large)("a zone of %i records is read page by page, and fails if it shrinks meanwhile", async (size) => {
    const fields = { target: "192.0.2.1", priority: 0, weight: 0, port: 0, tag: null };
    for (let index = 0; index < size; index++) server.store.add(zone, { type: "A", name: `h${index}`, ttl, fields });
    expect(await readAll(provider, zone)).toHaveLength(size);
    expect(server.calls.filter(({ url }) => url.pathname.endsWith("/records"))).toHaveLength(10);
    const records = server.store.zones.get(zone)?.records;
    const [first] = records?.keys() ?? [];
    server.meanwhile(
      ({ url }) => url.searchParams.get("page") === "4",
      () => records?.delete(first ?? 0),
    );
    expect((await failureOf(readAll(provider, zone))).message).toContain("changed while being read. Try again.");
  });

  // What only Porkbun does.
  if (dialect.kind !== "porkbun") return;

  test("a domain that is not registered in the account at Porkbun gets no zone", async () => {
    const { message } = await failureOf(provider.createZone("elsewhere.example"));
    expect(message).toBe("Porkbun has no zone elsewhere.example in this account.");
    expect(server.store.zones.has("elsewhere.example")).toBe(false);
  });

  test("a call above Porkbun's one a second did nothing, and is made again after a pause", async () => {
    const page = { ...dialect.throttled(1), headers: {} };
    server.failNext({ after: false, reply: page }, 1, isWrite);
    server.failNext({ after: false, reply: { status: 202, body: "" } }, 1);
    expect(await apply([create(a("later"))])).toEqual([{ ok: true }]);
    expect(writes()).toBe(2);
  });

  test("Porkbun's refusals with status 200 are refusals", async () => {
    const reply = { ...dialect.refusal("Create error: We were unable to create the DNS record."), status: 200 };
    server.failNext({ after: false, reply }, 1, isWrite);
    expect(await apply([create(a("www"))])).toEqual([
      { ok: false, message: "Porkbun refused the change: Create error: We were unable to create the DNS record." },
    ]);
    const missing = { ...dialect.refusal("Invalid domain."), status: 200 };
    server.failNext({ after: false, reply: missing });
    expect(await failureOf(readAll(provider, zone))).toMatchObject({ zoneMissing: true });
  });

  test("a domain at Porkbun without API access is reported in words that say what to switch on", async () => {
    server.failNext({ after: false, reply: dialect.forbidden });
    const { message, zoneMissing } = await failureOf(readAll(provider, zone));
    expect(message).toBe(
      "Porkbun rejects the API key of this provider configuration. Check it and its secret key, and that API access is on for the domain. It says: Domain is not opted in to API access. (400)",
    );
    expect(zoneMissing).toBe(false);
  });

  test("Porkbun's name servers at the apex are shown and left alone", async () => {
    server.store.add(zone, { type: "NS", name: "", ttl: 86_400, fields: { content: "maceio.ns.porkbun.com" } });
    const [own] = await readAll(provider, zone);
    expect(own).toMatchObject({ recordType: "NS", name: "@", value: "maceio.ns.porkbun.com" });
    expect(own && kind.readOnlyReason?.(own)).toBe("manages the name servers at the apex of a domain.");
    expect(own && (await apply([remove(own)]))).toMatchObject([{ ok: false }]);
    expect(writes()).toBe(0);
  });

  test("the list of an account with more than a thousand domains at Porkbun is read to its end", async () => {
    for (let index = 0; index < 1_000; index++) server.store.addZone(`d${index}.example`);
    expect((await provider.listZones()).names).toHaveLength(1_001);
    expect(server.calls).toHaveLength(2);
  });
});

// What only one of the others does, too.

test.each([linode, dnsimple])(
  "a zone that $name copies from another server is listed with the reason why it cannot be managed",
  async (dialect) => {
    await withAccount(dialect, async (server, provider) => {
      server.store.addZone("copied.example");
      const reason = `${dialect.name} copies this zone from another server. Manage it there.`;
      expect(await provider.listZones()).toEqual({ names: [zone], unusable: [{ name: "copied.example", reason }] });
    });
  },
);

test("records that bunny.net steers, monitors or accelerates, and its own types, are shown and left alone", async () => {
  await withAccount(bunny, async (server, provider) => {
    const held: [string, string, Record<string, unknown>][] = [
      ["A", "near", { Value: "192.0.2.1", SmartRoutingType: 1 }],
      ["A", "www", { Value: "192.0.2.2", SmartRoutingType: 2 }],
      ["A", "www", { Value: "192.0.2.3", SmartRoutingType: 2, MonitorType: 1 }],
      ["CNAME", "cdn", { Value: "origin.example.net", Accelerated: true }],
      ["Redirect", "old", { Value: "https://example.net/" }],
      ["PullZone", "files", { LinkName: "harbour" }],
      ["A", "plain", { Value: "192.0.2.4" }],
    ];
    for (const [type, name, fields] of held) server.store.add(zone, { type, name, ttl: 300, fields });
    const read = await readAll(provider, zone);
    expect(read.map(({ recordType, name, value }) => `${name} ${recordType} ${value}`)).toEqual([
      "near BUNNY_A routing=latency 192.0.2.1",
      "www BUNNY_A routing=geolocation 192.0.2.2",
      "www BUNNY_A routing=geolocation monitored 192.0.2.3",
      "cdn BUNNY_CNAME accelerated origin.example.net",
      "old BUNNY_REDIRECT https://example.net/",
      "files BUNNY_PULLZONE harbour",
      "plain A 192.0.2.4",
    ]);
    const { readOnlyReason } = knownKind("bunny");
    const writable = read.filter((one) => (readOnlyReason?.(one) ?? null) === null);
    expect(writable.map(({ name }) => name)).toEqual(["plain"]);
    const { outcomes } = await provider.applyChanges(
      zone,
      read.slice(0, 6).map((one) => remove(one)),
    );
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false, false, false, false]);
    expect(server.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

test("a user's token at DNSimple is refused in words that say which token to create", async () => {
  await withAccount(dnsimple, async (server, provider) => {
    const body = JSON.stringify({ data: { user: { id: 1, email: "pilot@harbour.example" }, account: null } });
    server.failNext({ after: false, reply: { status: 200, body } });
    expect((await failureOf(provider.listZones())).message).toBe(
      "DNSimple rejects the token of this provider configuration. Check the token, that it is an account token, and that it may write zones. It says: This token belongs to a user, not to an account.",
    );
  });
});

test("a refusal of DNSimple names the field at fault", async () => {
  await withAccount(dnsimple, async (server, provider) => {
    const body = JSON.stringify({ message: "Validation failed", errors: { content: ["is not a harbour"] } });
    server.failNext({ after: false, reply: { status: 400, body } }, 1, ({ method }) => method === "POST");
    const { outcomes } = await provider.applyChanges(zone, [create(a("www"))]);
    expect(outcomes).toEqual([
      { ok: false, message: "DNSimple refused the change: Validation failed: content is not a harbour (400)" },
    ]);
  });
});

test("texts without quotes at DNSimple are read, and what is no record there is not", async () => {
  await withAccount(dnsimple, async (server, provider) => {
    server.store.add(zone, { type: "TXT", name: "old", ttl, fields: { content: 'say "ahoy"; back\\slash' } });
    server.store.add(zone, { type: "TXT", name: "cut", ttl, fields: { content: '"one \\"two\\"" " three"' } });
    for (const type of ["URL", "POOL", "DNSKEY", "SOA"]) {
      server.store.add(zone, { type, name: "", ttl, fields: { content: "https://harbour.example" } });
    }
    expect((await readAll(provider, zone)).map(({ name, value }) => [name, value])).toEqual([
      ["old", 'say "ahoy"; back\\slash'],
      ["cut", 'one "two" three'],
    ]);
  });
});

test("disabled records at bunny.net are not shown", async () => {
  await withAccount(bunny, async (server, provider) => {
    const fields = { Value: "192.0.2.1" };
    server.store.add(zone, { type: "A", name: "www", ttl, fields });
    server.store.add(zone, { type: "A", name: "off", ttl, fields: { ...fields, Disabled: true } });
    expect((await readAll(provider, zone)).map(({ name }) => name)).toEqual(["www"]);
  });
});

test("a zone that was deleted at bunny.net and created again is found at the second try", async () => {
  await withAccount(bunny, async (server, provider) => {
    expect(await readAll(provider, zone)).toEqual([]);
    server.store.zones.delete(zone);
    server.store.addZone(zone);
    expect(await failureOf(readAll(provider, zone))).toMatchObject({ zoneMissing: true, effect: "none" });
    expect(await readAll(provider, zone)).toEqual([]);
  });
});
