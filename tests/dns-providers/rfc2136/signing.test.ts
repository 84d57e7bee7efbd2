import { describe, expect, onTestFinished, test } from "vitest";
import { readAll, readWhole } from "../../../server/zones/changes/provider-call.ts";
import { kindByName } from "../../../server/dns-providers/kinds.ts";
import type { DnsProvider, RecordChange } from "../../../server/dns-providers/provider.ts";
import { wireRecord, type WireMessage } from "../../../server/dns/wire/messages.ts";
import { writeRdata } from "../../../server/dns/wire/rdata.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { typeNumber } from "../../../server/dns/zone-file/type-names.ts";
import { startFakeNameServer, type Reaction } from "./fake-name-server.ts";

const egress = createEgress({ allow: [], now: () => new Date() });
const zone = "example.com";
const key = { name: "fake.key", algorithm: "hmac-sha256", secret: Buffer.alloc(32, 7) } as const;
const nothing: Reaction = { rcode: 0 };

function wire(owner: string, type: string, data: Buffer | string, ttl = 300): Buffer {
  const name = writeName(owner === "@" ? zone : `${owner}.${zone}`);
  return wireRecord(name, typeNumber(type) ?? 0, 1, ttl, typeof data === "string" ? writeRdata(type, data) : data);
}
/** The covered type, and what no test reads. */
const signature = (owner: string, covered: string) =>
  wire(owner, "RRSIG", Buffer.concat([Buffer.of(0, typeNumber(covered) ?? 0), Buffer.alloc(40, 1)]));

const soa = wire("@", "SOA", "ns.example.com. h.example.com. 1 2 3 4 5");
const www = wire("www", "A", "192.0.2.1");
const dnskey = wire("@", "DNSKEY", Buffer.of(1, 1, 3, 13, 1, 2, 3));
const delegation = wire("sub", "NS", "ns.example.net");
const ds = wire("sub", "DS", Buffer.concat([Buffer.of(1, 2, 13, 2), Buffer.alloc(32, 3)]));
const record = {
  recordType: "A",
  name: "www",
  value: "192.0.2.1",
  ttl: 300,
  priority: null,
  proxied: false,
  strings: null,
};
const change: RecordChange = { action: "create", before: null, after: record };

/** More than a message holds. */
const manyChanges: readonly RecordChange[] = Array.from({ length: 3_000 }, (_, index) => ({
  action: "create",
  before: null,
  after: { ...record, name: `host${index}` },
}));

/** A server with a list of reactions to questions, updates and transfers; the last of each is repeated. */
async function against(reactions: {
  queries: readonly Reaction[];
  updates?: readonly Reaction[];
  transfers?: readonly Reaction[];
}) {
  const left = {
    query: [...reactions.queries],
    update: [...(reactions.updates ?? [])],
    transfer: [...(reactions.transfers ?? [])],
  };
  const server = await startFakeNameServer(key, (request) => {
    const kind = kindOf(request);
    if (kind === "serial") return nothing;
    return (left[kind].length > 1 ? left[kind].shift() : left[kind][0]) ?? "silent";
  });
  onTestFinished(() => server.stop());
  const pauses: number[] = [];
  const config = {
    server: "127.0.0.1",
    port: server.port,
    tsigName: key.name,
    tsigSecret: key.secret.toString("base64"),
  };
  const provider = kindByName("rfc2136")?.connect?.(config, {
    zonesFolder: "/nowhere",
    now: () => new Date(),
    egress,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  if (!provider) throw new Error("the kind rfc2136 is missing");
  const apply = async (changes: readonly RecordChange[], options: Parameters<DnsProvider["applyChanges"]>[2] = {}) =>
    await provider.applyChanges(zone, changes, options);
  return { provider, apply, pauses, sent: () => server.requests.map(kindOf).filter((kind) => kind !== "serial") };
}

function kindOf({ opcode, octets }: WireMessage): "query" | "update" | "transfer" | "serial" {
  if (opcode === 5) return "update";
  const question = octets.indexOf(writeName(zone)) + writeName(zone).length;
  const type = octets.readUInt16BE(question);
  return type === 252 ? "transfer" : type === 6 ? "serial" : "query";
}

const signedTransfer = (...records: Buffer[]): Reaction => ({
  rcode: 0,
  answers: [soa, signature("@", "SOA"), ...records, soa],
});

describe("changes at a signing server", () => {
  test("a change is looked for until the signer has published it", async () => {
    const { apply, pauses, sent } = await against({
      queries: [nothing, nothing, nothing, nothing, { rcode: 0, answers: [www] }],
      updates: [{ rcode: 0 }],
      transfers: [signedTransfer()],
    });
    expect((await apply([change])).outcomes).toEqual([{ ok: true }]);
    expect(pauses).toHaveLength(3);
    // The second update asks whether the zone has the change, and changes nothing.
    expect(sent()).toEqual(["query", "update", "query", "transfer", "update", "query", "query", "query"]);
  });

  test("a change counts as made if the zone has it, even if unpublished after ten seconds", async () => {
    const { apply, pauses } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }],
      transfers: [signedTransfer()],
    });
    expect((await apply([change])).outcomes).toEqual([{ ok: true }]);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(10_000);
  });

  test("a change counts as refused if neither the zone nor the server has it after ten seconds", async () => {
    const { apply, pauses } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }, { rcode: 8 }],
      transfers: [signedTransfer()],
    });
    expect((await apply([change])).outcomes).toEqual([
      { ok: false, message: expect.stringContaining("accepted this change, but the zone does not contain it") },
    ]);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(10_000);
  });

  test("a large set counts as made if the zone has it, checked over several messages", async () => {
    const { apply, sent } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }],
      transfers: [signedTransfer()],
    });
    const { outcomes } = await apply(manyChanges, { atomic: true });
    expect(outcomes).toEqual(manyChanges.map(() => ({ ok: true })));
    // Checking takes as many messages as making the changes.
    expect(sent().filter((kind) => kind === "update").length).toBeGreaterThanOrEqual(4);
  });

  test("each change of a set is judged by its own records", async () => {
    const { apply } = await against({
      queries: [nothing],
      // Three changes in one message; the zone has the first and the third.
      updates: [{ rcode: 0 }, { rcode: 8 }, { rcode: 0 }, { rcode: 8 }, { rcode: 8 }, { rcode: 0 }],
      transfers: [signedTransfer()],
    });
    const { outcomes } = await apply(manyChanges.slice(0, 3));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  test("a change is undecided if the zone that takes the updates does not answer", async () => {
    const { apply } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }, { rcode: 5 }],
      transfers: [signedTransfer()],
    });
    await expect(apply([change])).rejects.toMatchObject({ name: "ProviderError", effect: "unknown" });
  });

  test("a key that is accepted but not served is refused and removed again", async () => {
    const key = { ...record, recordType: "DNSKEY", name: "@", value: "257 3 13 AAAA" };
    const { apply, sent } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }],
      transfers: [signedTransfer()],
    });
    const { outcomes } = await apply([{ action: "create", before: null, after: key }]);
    expect(outcomes).toEqual([{ ok: false, message: expect.stringContaining("serves only its own keys") }]);
    expect(sent().filter((kind) => kind === "update")).toHaveLength(2);
  });

  test("a change can be undone before the signer has published it", async () => {
    const { apply, sent } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }],
      transfers: [signedTransfer()],
    });
    const back: RecordChange = { action: "delete", before: record, after: null };
    expect((await apply([back], { signed: true })).outcomes).toMatchObject([{ ok: false }]);
    expect(sent()).not.toContain("update");
    expect((await apply([back], { signed: true, undoes: true })).outcomes).toEqual([{ ok: true }]);
    expect(sent()).toContain("update");
  });

  test("a change that a server without signing does not serve is refused immediately", async () => {
    const { apply, pauses } = await against({
      queries: [nothing],
      updates: [{ rcode: 0 }],
      transfers: [{ rcode: 0, answers: [soa, soa] }],
    });
    expect((await apply([change])).outcomes).toMatchObject([{ ok: false }]);
    expect(pauses).toEqual([]);
  });

  test("a change leaves the fingerprint unknown, because signing raises the serial too", async () => {
    const { apply } = await against({
      queries: [nothing, { rcode: 0, answers: [www] }],
      updates: [{ rcode: 0 }],
    });
    expect((await apply([change], { signed: true })).after).toBeNull();
  });
});

describe("records dropped beside a change", () => {
  const before = { ...record, recordType: "NS", name: "sub", value: "ns.example.net" };
  const removal: RecordChange = { action: "delete", before, after: null };

  test("records that a server drops beside a change are reported with its outcome", async () => {
    const { apply } = await against({
      queries: [{ rcode: 0, answers: [delegation, ds] }, nothing],
      updates: [{ rcode: 0 }],
    });
    expect(await apply([removal])).toMatchObject({
      outcomes: [{ ok: true }],
      dropped: [{ recordType: "DS", name: "sub" }],
    });
  });

  test("no dropped records are reported while the server still serves them", async () => {
    const { apply } = await against({
      queries: [{ rcode: 0, answers: [delegation, ds] }, nothing, { rcode: 0, answers: [ds] }],
      updates: [{ rcode: 0 }],
    });
    expect(await apply([removal])).toMatchObject({ outcomes: [{ ok: true }], dropped: [] });
  });
});

describe("zone transfers", () => {
  const nsec = wire("www", "NSEC", Buffer.from("\u0000\u0000\u0001\u0040"));

  test("a transfer with a signature over the SOA marks server-managed records, wherever the signature is", async () => {
    const { provider } = await against({
      queries: [],
      transfers: [{ rcode: 0, answers: [soa, dnskey, www, nsec, delegation, ds, signature("@", "SOA"), soa] }],
    });
    const { records, signing } = await readWhole(provider, zone);
    expect(records.map(({ recordType }) => recordType)).toEqual(["A", "NS", "DS"]);
    expect(signing.signed).toBe(true);
    expect(signing.managed.map(({ recordType }) => recordType).toSorted()).toEqual(["DNSKEY", "NSEC", "RRSIG"]);
  });

  test("a transfer without a signature over the SOA marks no records", async () => {
    const { provider } = await against({
      queries: [],
      transfers: [{ rcode: 0, answers: [soa, dnskey, www, signature("www", "A"), ds, soa] }],
    });
    expect((await readAll(provider, zone)).map(({ recordType }) => recordType).toSorted()).toEqual([
      "A",
      "DNSKEY",
      "DS",
      "RRSIG",
    ]);
  });
});
