import { describe, expect, test } from "vitest";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { recordKey } from "../../server/dns/record.ts";
import { rrsetAccountProvider } from "../../server/dns-providers/rrset-api/provider.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { rrsetDialects } from "../support/vendors/rrsets/dialects.ts";
import { gandi } from "../support/vendors/rrsets/gandi.ts";
import { harbour } from "../support/vendors/rrsets/harbour.ts";
import { ns1 } from "../support/vendors/rrsets/ns1.ts";
import { scaleway } from "../support/vendors/rrsets/scaleway.ts";
import type { RrsetStep } from "../../server/dns-providers/rrset-api/account.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { a, reply, useVendor, zone } from "./rrset-vendor.ts";
import { create, record, remove, update } from "./zone-folder.ts";

// Each kind that speaks RRsets, against a vendor that follows the vendor's published description. What they store is in
// tests/services/conformance.

const isRead = ({ method }: VendorCall) => method === "GET";
/** A call that changes something, and is not for a token. */
const isChange = ({ method, url }: VendorCall) => method !== "GET" && !url.pathname.endsWith("/token");

describe.each([...rrsetDialects, harbour])("$name", (dialect) => {
  const vendor = useVendor(dialect);
  const { apply, held } = vendor;
  const { isWrite } = dialect;

  test("zones are listed, with international names, and one that is there is not made again", async () => {
    vendor.server.store.addZone("xn--hfen-loa.example");
    await vendor.provider.createZone(zone);
    if (dialect.zonesComeWithDomains) vendor.server.store.addZone("new.example");
    await vendor.provider.createZone("new.example");
    expect(await vendor.provider.listZones()).toEqual({
      names: [zone, "new.example", "xn--hfen-loa.example"].toSorted(),
      unusable: [],
    });
    expect([...vendor.server.store.zones.keys()].filter((name) => name === zone)).toHaveLength(1);
    await vendor.provider.applyChanges("xn--hfen-loa.example", [create(a("www"))]);
    expect(vendor.server.store.lines("xn--hfen-loa.example")).toEqual(["www A 3600 192.0.2.1"]);
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

  test("a list of zones with more than a page of them is read to its end", async () => {
    const names = Array.from({ length: 1_201 }, (_, index) => `z${index}.example`);
    for (const name of names) vendor.server.store.addZone(name);
    expect((await vendor.provider.listZones()).names.toSorted()).toEqual([...names, zone].toSorted());
  });

  const signers = dialect !== harbour && knownKind(dialect.kind).turnsSigning === true ? [dialect.kind] : [];
  test.each(signers)("signing at %s is turned on once, shows what to publish, and off deletes the keys", async () => {
    const { signing } = vendor.provider;
    expect(await signing?.keys(zone)).toEqual([]);
    await signing?.set(zone, true);
    const keys = (await signing?.keys(zone)) ?? [];
    // A DS record as in a zone file, or the data of DNSKEY records: flags, protocol 3, algorithm 13 and 64 octets (RFC 4034 §2.1, RFC 6605).
    const heads = keys.map((key) =>
      typeof key === "string" ? key.slice(0, 10) : `${key.toString("hex", 0, 4)} ${key.length}`,
    );
    expect(heads.toSorted()).toEqual(dialect.kind === "gandi" ? ["1000 13 2 "] : ["0100030d 68", "0101030d 68"]);
    await vendor.connect().signing?.set(zone, false);
    expect(await signing?.keys(zone)).toEqual([]);
  });

  test.each(signers)("a refusal of %s to turn signing on says why, and that nothing was done", async () => {
    const reply = dialect.refusal("This zone cannot be signed.");
    vendor.server.failNext({ after: false, reply }, 1, isChange);
    expect(await failureOf(vendor.provider.signing?.set(zone, true) ?? Promise.resolve())).toMatchObject({
      effect: "none",
      message: expect.stringContaining(`did not turn DNSSEC on for ${zone}: This zone cannot be signed.`),
    });
    vendor.server.store.zones.clear();
    const gone = vendor.connect().signing?.set(zone, true) ?? Promise.resolve();
    expect(await failureOf(gone)).toMatchObject({ zoneMissing: true });
  });

  test("a record that somebody else added to an RRset stays", async () => {
    await apply([create(a("www"))]);
    vendor.server.store.write(zone, [{ name: "www", type: "A", ttl: 3600, values: ["192.0.2.1", "192.0.2.9"] }]);
    await apply([update(a("www"), a("www", "192.0.2.2"))]);
    expect(held()).toEqual(["www A 3600 192.0.2.2", "www A 3600 192.0.2.9"]);
  });

  test("a record that is gone at the vendor is not changed, and the answer says to sync", async () => {
    const [outcome] = await apply([update(a("www"), a("www", "192.0.2.2"))]);
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("sync the zone first") });
    expect(vendor.server.calls.filter(isWrite)).toEqual([]);
  });

  test("a refused change is reported with the vendor's words, and independent ones are made", async () => {
    const message = "Not this one, says the harbour master";
    const isBad = (call: (typeof vendor.server.calls)[number]) =>
      isWrite(call) && `${call.url.pathname}${call.body}`.includes("bad");
    vendor.server.failNext({ after: false, reply: dialect.refusal(message) }, 10, isBad);
    const outcomes = await apply([create(a("good")), create(a("bad")), create(a("fine"))]);
    expect(outcomes).toEqual([{ ok: true }, { ok: false, message: expect.stringContaining(message) }, { ok: true }]);
    expect(outcomes[1]).toMatchObject({ message: expect.stringContaining(`${dialect.name} refused the change: `) });
    expect(held()).toEqual(["fine A 3600 192.0.2.1", "good A 3600 192.0.2.1"]);
  });

  test("of a set that is made as a whole nothing stays if one change is refused", async () => {
    await apply([create(a("old"))]);
    const isBad = (call: (typeof vendor.server.calls)[number]) =>
      isWrite(call) && `${call.url.pathname}${call.body}`.includes("bad");
    vendor.server.failNext({ after: false, reply: dialect.refusal("Not this one") }, 10, isBad);
    const outcomes = await apply([remove(a("old")), create(a("good")), create(a("bad"))], true);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(held()).toEqual(["old A 3600 192.0.2.1"]);
  });

  test("a change whose answer is lost is sent once, and a reading shows it", async () => {
    vendor.server.failNext({ after: true, reply: null }, 1, isWrite);
    const failure = await failureOf(apply([create(a("lost"))]));
    expect(failure.effect).toBe("unknown");
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(1);
    expect((await readAll(vendor.provider, zone)).map(({ name }) => name)).toContain("lost");
  });

  test("a pause that the vendor asks for is waited out, and nothing is made twice", async () => {
    vendor.clock.standStill();
    const before = vendor.clock.now().getTime();
    vendor.server.failNext({ after: false, reply: dialect.throttled(20) }, 1, isWrite);
    expect(await apply([create(a("later"))])).toEqual([{ ok: true }]);
    const waited = vendor.clock.now().getTime() - before;
    expect(waited).toBeGreaterThanOrEqual(20_000);
    expect(waited).toBeLessThan(60_000);
    expect(held()).toEqual(["later A 3600 192.0.2.1"]);
  });

  test("refused credentials and missing rights are reported in words that name what to change", async () => {
    vendor.server.failNext({ after: false, reply: dialect.unauthorized }, 1);
    const failure = await failureOf(vendor.provider.listZones());
    expect(failure.message).toMatch(new RegExp(`^${dialect.name} rejects .+ of this provider configuration\\. Check `));
    expect(failure.effect).toBe("none");
    vendor.server.failNext({ after: false, reply: dialect.forbidden }, 1, isWrite);
    const denied = await failureOf(apply([create(a("www"))]));
    expect(denied.message).toMatch(new RegExp(`^${dialect.name} rejects .+ Check .+ It says: .+`));
    expect([denied.effect, held()]).toEqual(["none", []]);
    expect(`${failure.message} ${denied.message}`).not.toContain(vendor.server.config[dialect.secret]);
  });

  test.each(dialect.full ? [dialect.full] : [])(
    "a limit of the account is a refusal, and says nothing of credentials",
    async (full) => {
      vendor.server.failNext({ after: false, reply: full }, 1, isWrite);
      expect(await apply([create(a("www"))])).toEqual([
        { ok: false, message: expect.stringMatching(/^\S+ refused the change: .*limit exceeded.* \(403\)$/) },
      ]);
      vendor.server.failNext({ after: false, reply: full }, 1, ({ method }) => method === "POST");
      expect(await failureOf(vendor.provider.createZone("quay.example"))).toMatchObject({
        effect: "none",
        message: expect.stringMatching(
          /^\S+ did not create the (?:zone|domain) quay\.example: .*limit exceeded.* \(403\)$/,
        ),
      });
    },
  );

  test("a zone that the account does not have is reported as missing", async () => {
    vendor.server.store.zones.clear();
    expect(await failureOf(readAll(vendor.provider, zone))).toMatchObject({ zoneMissing: true, effect: "none" });
    expect(await failureOf(apply([create(a("www"))]))).toMatchObject({ zoneMissing: true, effect: "none" });
  });

  test("a page of somebody else's is never taken for an answer", async () => {
    vendor.server.failNext({ after: false, reply: { status: 200, body: "<html>Sign in to the harbour</html>" } }, 10);
    expect((await failureOf(readAll(vendor.provider, zone))).message).toContain("does not look like its API");
  });
});

// What only one of them does.

describe("Harbour DNS", () => {
  const vendor = useVendor(harbour);

  test("an RRset that somebody else deletes meanwhile is refused with the advice to sync, and the zone is not missing", async () => {
    await vendor.apply([create(a("www"))]);
    const elsewhere = { name: "www", type: "A", ttl: 3600, values: [] };
    vendor.server.meanwhile(harbour.isWrite, () => vendor.server.store.write(zone, [elsewhere]));
    const [outcome] = await vendor.apply([remove(a("www"))]);
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("sync the zone first") });
  });
});

describe("NS1", () => {
  const vendor = useVendor(ns1);
  const { apply } = vendor;
  const { isWrite } = ns1;

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
    const sent = vendor.server.calls
      .filter(isWrite)
      .map(({ body }) => (JSON.parse(body) as { answers: unknown[] }).answers[0]);
    expect(sent).toContainEqual({ answer: ["0", "issue", "ca.example; policy=ev"] });
    expect(sent).toContainEqual({ answer: ["ü".repeat(200)] });
    const read = (await readAll(vendor.provider, zone)).filter(({ recordType }) => recordType !== "NS");
    expect(read.map(recordKey).toSorted()).toEqual(written.map(recordKey).toSorted());
  });

  test("RRsets that NS1 steers are read-only, and what is no record is not read", async () => {
    const steered = { domain: `www.${zone}`, type: "A", ttl: 60, tier: 3, short_answers: ["192.0.2.1", "192.0.2.2"] };
    const redirect = { domain: zone, type: "REDIRECT", ttl: 60, short_answers: ["NS1 MANAGED RECORD"] };
    const body = JSON.stringify({ zone, ttl: 3600, records: [steered, redirect] });
    vendor.server.failNext({ after: false, reply: { status: 200, body } }, 3);
    expect((await readAll(vendor.provider, zone)).map(({ value }) => value)).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect([...((await vendor.provider.readOnlyRecords?.(zone))?.values() ?? [])]).toHaveLength(2);
    const [outcome] = await apply([remove(a("www", "192.0.2.1", 60))]);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining("NS1 steers these records") });
    expect(vendor.server.calls.filter(isWrite)).toEqual([]);
  });

  test("linked and secondary zones of NS1 are not listed", async () => {
    const body = JSON.stringify([
      { zone },
      { zone: "linked.example", link: zone },
      { zone: "secondary.example", secondary: { enabled: true } },
    ]);
    vendor.server.failNext({ after: false, reply: { status: 200, body } }, 1);
    expect((await vendor.provider.listZones()).names).toEqual([zone]);
  });
});

describe("Scaleway", () => {
  const vendor = useVendor(scaleway);
  const { apply } = vendor;
  const { isWrite } = scaleway;

  test("a text is read back from Scaleway as it was written, and what it would cut off is refused", async () => {
    const texts = [
      'say "hi" twice',
      "back\\slash",
      String.raw`\\"x`,
      "v=DKIM1; p=abc;",
      "ü".repeat(200),
      "t".repeat(600),
    ];
    const written = texts.map((text) => record("text", "TXT", text, 3600));
    expect((await apply(written.map((one) => create(one)))).filter(({ ok }) => !ok)).toEqual([]);
    const read = (await readAll(vendor.provider, zone)).filter(({ recordType }) => recordType === "TXT");
    expect(read.map(recordKey).toSorted()).toEqual(written.map(recordKey).toSorted());
    const { unsupportedReason } = knownKind("scaleway");
    for (const text of ["", " before", "behind ", '"quoted"', 'behind"']) {
      expect(unsupportedReason?.(record("text", "TXT", text, 3600))?.field).toBe("value");
    }
  });

  test("an RRset of Scaleway that pages cut is read whole, and comments of its records stay", async () => {
    const all = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((data) => {
      const comment = data === "192.0.2.1" ? "the lighthouse" : null;
      return { id: data, name: "www", type: "A", ttl: 3600, data, priority: 0, comment };
    });
    vendor.server.failNext(reply({ total_count: 3, records: all.slice(0, 2) }), 1, isRead);
    vendor.server.failNext(reply({ total_count: 3, records: all.slice(2) }), 1, isRead);
    await vendor.provider.applyChanges(zone, [remove(a("www", "192.0.2.3"))]);
    const sent = vendor.server.calls.findLast(isWrite)?.body ?? "";
    expect(JSON.parse(sent)).toMatchObject({
      disallow_new_zone_creation: true,
      changes: [
        {
          set: {
            id_fields: { name: "www", type: "A" },
            records: [{ data: "192.0.2.1", comment: "the lighthouse" }, { data: "192.0.2.2" }],
          },
        },
      ],
    });
  });

  test("records that Scaleway steers are read-only, and names in Unicode are read", async () => {
    const steered = { id: "1", name: "www", type: "A", ttl: 60, data: "192.0.2.1", weighted_config: {} };
    const records = [steered, { id: "2", name: "häfen", type: "CNAME", ttl: 60, data: "grüße.example." }];
    vendor.server.failNext(reply({ total_count: 2, records }), 3);
    expect((await readAll(vendor.provider, zone)).map(({ name, value }) => `${name} ${value}`)).toEqual([
      "www 192.0.2.1",
      "xn--hfen-loa xn--gre-6ka8l.example",
    ]);
    expect([...((await vendor.provider.readOnlyRecords?.(zone))?.values() ?? [])]).toHaveLength(1);
    const [outcome] = await apply([remove(a("www", "192.0.2.1", 60))]);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining("Scaleway steers these records") });
  });

  test("a call that Scaleway refuses after a part of it was made leaves its outcome open", async () => {
    vendor.server.failNext({ after: true, reply: scaleway.refusal("Not this one") }, 1, isWrite);
    const failure = await failureOf(apply([create(a("one")), create(a("two"))]));
    expect(failure).toMatchObject({ effect: "unknown", message: expect.stringContaining("Sync the zone") });
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(1);
  });

  test("a zone that Scaleway is still changing is waited for", async () => {
    const busy = { message: "resource is in a transient state", type: "transient_state", current_state: "pending" };
    vendor.server.failNext(reply(busy, 409), 2, isWrite);
    expect(await apply([create(a("later"))])).toEqual([{ ok: true }]);
  });

  test("a zone below one of Scaleway's is created in its domain and project, and others' copies are not listed", async () => {
    const listed = [
      { domain: zone, subdomain: "", ns_master: [], project_id: "5c0b1f7e-8f1a-4d57-9c1e-0123456789ab" },
      { domain: "copied.example", subdomain: "", ns_master: ["192.0.2.53"] },
    ];
    vendor.server.failNext(reply({ total_count: 2, dns_zones: listed }), 2);
    await vendor.provider.createZone(`quay.${zone}`);
    expect(JSON.parse(vendor.server.calls.at(-1)?.body ?? "")).toEqual({
      domain: zone,
      subdomain: "quay",
      project_id: "5c0b1f7e-8f1a-4d57-9c1e-0123456789ab",
    });
    vendor.server.failNext(reply({ total_count: 2, dns_zones: listed }), 1);
    expect((await vendor.provider.listZones()).names).toEqual([zone]);
    const projectId = "5c0b1f7e-8f1a-4d57-9c1e-0123456789ac";
    await vendor.connect({ projectId }).listZones();
    expect(vendor.server.calls.at(-1)?.url.searchParams.get("project_id")).toBe(projectId);
  });
});

test.each([false, true])(
  "a change that a fault of ours interrupts is undone and reported, with one call for all: %j",
  async (inOneCall) => {
    const kept = new Map<string, string>();
    const write = (steps: readonly RrsetStep[]) => {
      if (steps.some(({ name }) => name === "zzz")) throw new TypeError("a secret");
      for (const { name, after } of steps) kept.set(name, after?.values[0] ?? "none");
      return Promise.resolve({ ok: true } as const);
    };
    const provider = rrsetAccountProvider({
      vendor: "Harbour",
      async *zones() {},
      async createZone() {},
      async *rrsets() {},
      mostQueries: 0,
      ...(inOneCall
        ? { apply: (_, steps) => write(steps), callLimits: { sizesOf: () => [1], most: [1], words: "one RRset" } }
        : { put: (_, step) => write([step]), remove: (_, step) => write([step]), concurrency: 1 }),
    });
    const failure = await failureOf(
      provider.applyChanges(zone, [create(a("aaa")), create(a("zzz"))], { atomic: true }),
    );
    expect(failure).toMatchObject({
      effect: "unknown",
      message: "A call to Harbour was interrupted by an internal error.",
    });
    expect([...kept]).toEqual([["aaa", "none"]]);
  },
);

describe("Gandi without the length of its lists", () => {
  const vendor = useVendor({
    ...gandi,
    answer(call, store) {
      const { headers, ...rest } = gandi.answer(call, store);
      const named = Object.entries(headers ?? {}).filter(([name]) => name !== "total-count");
      return { ...rest, headers: Object.fromEntries(named) };
    },
  });

  // Full pages only, and a last one that is not full.
  test.each([200, 201])("is read to the end of %i zones", async (count) => {
    const names = Array.from({ length: count - 1 }, (_, index) => `z${index}.example`);
    for (const name of names) vendor.server.store.addZone(name);
    expect((await vendor.provider.listZones()).names.toSorted()).toEqual([...names, zone].toSorted());
  });
});
