import { describe, expect, onTestFinished, test } from "vitest";
import { kindByName } from "../../../server/dns-providers/kinds.ts";
import type { DnsProvider, RecordChange } from "../../../server/dns-providers/provider.ts";
import { wireRecord, type WireMessage } from "../../../server/dns/wire/messages.ts";
import { writeRdata } from "../../../server/dns/wire/rdata.ts";
import { writeName } from "../../../server/dns/names/wire-names.ts";
import { readAll } from "../../../server/zones/changes/provider-call.ts";
import { startFakeNameServer, type Reaction } from "./fake-name-server.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { freePorts } from "../../support/programs.ts";

const egress = createEgress({ allow: [], now: () => new Date() });

const zone = "example.com";
const key = { name: "fake.key", algorithm: "hmac-sha256", secret: Buffer.alloc(32, 7) } as const;
const after = {
  recordType: "A",
  name: "www",
  value: "192.0.2.1",
  ttl: 300,
  strings: null,
  priority: null,
  proxied: false,
};
const change: RecordChange = { action: "create", before: null, after };
const soa = wireRecord(writeName(zone), 6, 1, 300, writeRdata("SOA", "ns.example.com. h.example.com. 1 2 3 4 5"));
const www = wireRecord(writeName(`www.${zone}`), 1, 1, 300, Buffer.of(192, 0, 2, 1));
const nothing: Reaction = { rcode: 0 };

/** A provider whose server answers queries, updates and transfers with these; the last of a list is repeated. */
async function against(queries: readonly Reaction[], updates: readonly Reaction[] = [], transfers = queries) {
  const left = { query: [...queries], update: [...updates], transfer: [...transfers] };
  const server = await startFakeNameServer(key, (request) => {
    if (asksForSerial(request)) return nothing;
    const list = left[kindOf(request)];
    return (list.length > 1 ? list.shift() : list[0]) ?? "silent";
  });
  onTestFinished(() => server.stop());
  return {
    provider: connect(server.port),
    sent: () => server.requests.filter((request) => !asksForSerial(request)).map(kindOf),
  };
}

/** The zone's fingerprint before and after changes; unrelated to how they are made. */
function asksForSerial({ opcode, octets }: WireMessage): boolean {
  const question = octets.indexOf(writeName(zone)) + writeName(zone).length;
  return opcode === 0 && octets.readUInt16BE(question) === 6;
}

function kindOf({ opcode, octets }: WireMessage): "query" | "update" | "transfer" {
  if (opcode === 5) return "update";
  const question = octets.indexOf(writeName(zone)) + writeName(zone).length;
  return octets.readUInt16BE(question) === 252 ? "transfer" : "query";
}

function connect(port: number): DnsProvider {
  const config = { server: "127.0.0.1", port, tsigName: key.name, tsigSecret: key.secret.toString("base64") };
  const provider = kindByName("rfc2136")?.connect?.(config, { zonesFolder: "/nowhere", now: () => new Date(), egress });
  if (!provider) throw new Error("the kind rfc2136 is missing");
  return provider;
}

describe("updates without a trustworthy answer", () => {
  test.each<[string, Reaction]>([
    ["is cut off", "cut"],
    ["is answered with noise", "noise"],
    ["is answered without a signature", { rcode: 0, unsigned: true }],
    ["is refused without a signature", { rcode: 5, unsigned: true }],
  ])("an update that %s has an unknown effect", async (_, reaction) => {
    const { provider, sent } = await against([nothing], [reaction]);
    await expect(provider.applyChanges(zone, [change])).rejects.toMatchObject({
      name: "ProviderError",
      effect: "unknown",
    });
    expect(sent()).toEqual(["query", "update"]);
  });
});

describe("failures after an update was sent", () => {
  const unknown = { name: "ProviderError", effect: "unknown", zoneMissing: false };

  test.each<[string, Reaction]>([
    ["is cut off", "cut"],
    ["is answered with noise", "noise"],
    ["is not signed", { rcode: 0, unsigned: true }],
  ])("an update has an unknown effect if the check afterwards %s", async (_, reaction) => {
    const { provider, sent } = await against([nothing, reaction], [{ rcode: 0 }]);
    await expect(provider.applyChanges(zone, [change])).rejects.toMatchObject(unknown);
    expect(sent()).toEqual(["query", "update", "query"]);
  });

  test.each<[string, Reaction]>([
    ["cut off", "cut"],
    ["refused", { rcode: 9 }],
  ])("an update has an unknown effect if the transfer for the next attempt is %s", async (_, reaction) => {
    const { provider, sent } = await against([nothing], [{ rcode: 8 }], [reaction]);
    await expect(provider.applyChanges(zone, [change])).rejects.toMatchObject(unknown);
    expect(sent()).toEqual(["query", "update", "transfer"]);
  });
});

describe("failures before an update is sent", () => {
  test.each<[string, Reaction]>([
    ["cuts the connection", "cut"],
    ["sends noise", "noise"],
    ["does not sign its answer", { rcode: 0, unsigned: true }],
    ["says without a signature that there is no such name", { rcode: 3, unsigned: true }],
  ])("before an update is sent, a server that %s has changed nothing", async (_, reaction) => {
    const { provider, sent } = await against([reaction]);
    await expect(provider.applyChanges(zone, [change])).rejects.toMatchObject({
      name: "ProviderError",
      effect: "none",
    });
    expect(sent()).toEqual(["query"]);
  });

  test("an unreachable server has changed nothing", async () => {
    const [port = 0] = await freePorts(1);
    await expect(connect(port).applyChanges(zone, [change])).rejects.toMatchObject({
      effect: "none",
      message: expect.stringContaining(`The name server 127.0.0.1 port ${port} cannot be reached: `),
    });
  });
});

describe("answers to updates", () => {
  test.each([
    [1, "FORMERR"],
    [2, "SERVFAIL"],
    [4, "NOTIMP"],
    [5, "REFUSED"],
    [9, "NOTAUTH"],
    [10, "NOTZONE"],
    [11, "answered with error 11"],
  ])("response code %i to an update is a refusal with a readable message", async (rcode, word) => {
    const { provider } = await against([nothing], [{ rcode }]);
    expect((await provider.applyChanges(zone, [change])).outcomes).toEqual([
      { ok: false, message: expect.stringContaining(word) },
    ]);
  });

  test.each([
    [6, "YXDOMAIN"],
    [7, "YXRRSET"],
    [8, "NXRRSET"],
  ])("response code %i (%s) to an update makes us reread the zone and try again", async (rcode) => {
    const { provider, sent } = await against(
      [nothing, { rcode: 0, answers: [www] }],
      [{ rcode }, { rcode: 0 }],
      [{ rcode: 0, answers: [soa, soa] }],
    );
    expect((await provider.applyChanges(zone, [change])).outcomes).toEqual([{ ok: true }]);
    expect(sent()).toEqual(["query", "update", "transfer", "update", "query"]);
  });

  test("an update whose prerequisites always fail ends in a refusal", async () => {
    const { provider } = await against([nothing], [{ rcode: 8 }], [{ rcode: 0, answers: [soa, soa] }]);
    expect((await provider.applyChanges(zone, [change])).outcomes).toEqual([
      { ok: false, message: expect.stringContaining("try again in a moment") },
    ]);
  });

  test("an update that the server accepts but does not make is a refusal", async () => {
    const { provider } = await against([nothing], [{ rcode: 0 }], [{ rcode: 0, answers: [soa, soa] }]);
    expect((await provider.applyChanges(zone, [change])).outcomes).toEqual([
      { ok: false, message: expect.stringContaining("accepted this change, but the zone does not contain it") },
    ]);
  });

  test("a refused update is split, so that one change does not stop the others", async () => {
    const other: RecordChange = { action: "create", before: null, after: { ...after, name: "mail" } };
    const mail = wireRecord(writeName(`mail.${zone}`), 1, 1, 300, Buffer.of(192, 0, 2, 1));
    const { provider, sent } = await against(
      [nothing, nothing, { rcode: 0, answers: [mail] }],
      [{ rcode: 5 }, { rcode: 5 }, { rcode: 0 }],
    );
    expect((await provider.applyChanges(zone, [change, other])).outcomes).toEqual([
      { ok: false, message: expect.stringContaining("REFUSED") },
      { ok: true },
    ]);
    expect(sent()).toEqual(["query", "query", "update", "update", "update", "query"]);
  });
});

describe("zone transfers", () => {
  test.each<[string, Reaction, RegExp]>([
    ["is refused", { rcode: 5 }, /REFUSED/],
    ["is refused without a signature", { rcode: 9, unsigned: true }, /NOTAUTH/],
    ["is not signed", { rcode: 0, answers: [soa, soa], unsigned: true }, /not signed/],
    ["does not begin with the SOA", { rcode: 0, answers: [www] }, /does not begin with the SOA/],
    ["is empty", { rcode: 0 }, /does not begin with the SOA/],
    ["is cut off", "cut", /closed the connection/],
    ["is noise", "noise", /cannot be read/],
    [
      "brings records of elsewhere",
      { rcode: 0, answers: [soa, wireRecord(writeName("www.example.net"), 1, 1, 60, Buffer.alloc(4)), soa] },
      /outside example.com/,
    ],
  ])("a zone transfer that %s is an error", async (_, reaction, message) => {
    const { provider } = await against([reaction]);
    await expect(readAll(provider, zone)).rejects.toMatchObject({
      name: "ProviderError",
      effect: "none",
      message: expect.stringMatching(message),
    });
  });

  test("a zone transfer yields the records between the two SOAs, each once", async () => {
    const cut = wireRecord(writeName(zone), 16, 1, 60, Buffer.from("\u0001a\u0001b"));
    const whole = wireRecord(writeName(zone), 16, 1, 60, Buffer.from("\u0002ab"));
    const { provider } = await against([{ rcode: 0, answers: [soa, www, www, cut, whole, cut, soa] }]);
    expect(await readAll(provider, zone)).toEqual([
      after,
      { ...after, name: "@", recordType: "TXT", value: "ab", strings: ["a", "b"], ttl: 60 },
      { ...after, name: "@", recordType: "TXT", value: "ab", ttl: 60 },
    ]);
  });
});
