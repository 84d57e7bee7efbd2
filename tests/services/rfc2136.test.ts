import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEgress } from "../../server/platform/net/egress.ts";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import type { DnsProvider, RecordChange } from "../../server/dns-providers/provider.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import type { RecordData } from "../../server/dns/record.ts";
import { opcodes } from "../../server/dns/wire/messages.ts";
import { startBind } from "../support/name-servers/bind.ts";
import { startKnot } from "../support/name-servers/knot.ts";
import { countMessages } from "../support/name-servers/message-counter.ts";
import { nsupdate } from "../support/name-servers/nsupdate.ts";
import { startPowerdns } from "../support/name-servers/powerdns.ts";
import type { UpdateServer } from "../support/name-servers/update-server.ts";
import { connect } from "./conformance/targets.ts";

const zone = "updates.example";
const record = (name: string, recordType: string, value: string, ttl = 300): RecordData => ({
  recordType,
  name,
  value,
  ttl,
  priority: null,
  strings: null,
  proxied: false,
});
const create = (after: RecordData): RecordChange => ({ action: "create", before: null, after });
const remove = (before: RecordData): RecordChange => ({ action: "delete", before, after: null });
const update = (before: RecordData, after: RecordData): RecordChange => ({ action: "update", before, after });
const done = { ok: true };

describe.each([
  ["BIND", startBind],
  ["Knot", startKnot],
  ["PowerDNS", startPowerdns],
] as const)("dynamic updates on %s", (name, start) => {
  let server: UpdateServer;
  let provider: DnsProvider;
  beforeAll(async () => {
    server = await start([zone, "second.example"]);
    ({ provider } = connect("rfc2136", { ...server.config, zones: `${zone}, missing.example,second.example` }));
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const others = (await readAll(provider, zone)).filter(({ name }) => name !== "@" && name !== "ns");
    await provider.applyChanges(zone, others.map(remove));
  });

  test("zones of the name server are found by name, and never created", async () => {
    expect((await provider.listZones()).names).toEqual([zone, "second.example"]);
    await provider.createZone(zone);
    await expect(provider.createZone("missing.example")).rejects.toMatchObject({
      effect: "none",
      zoneMissing: true,
      message: expect.stringMatching(/create it on the server first|not the primary|does not let/),
    });
    await expect(readAll(provider, "missing.example")).rejects.toMatchObject({ effect: "none" });
  });

  test("the fingerprint follows every change at the name server", async () => {
    const before = await provider.fingerprint(zone);
    expect(await provider.fingerprint(zone)).toBe(before);
    await provider.applyChanges(zone, [create(record("mark", "A", "192.0.2.1"))]);
    expect(await provider.fingerprint(zone)).not.toBe(before);
  });

  test("a bulk of 100 changes is one update message", async () => {
    // Not by the serial, which PowerDNS raises to the first one of a new day.
    const between = await countMessages(server.port);
    onTestFinished(() => between.stop());
    const { provider: counted } = connect("rfc2136", { ...server.config, port: between.port });
    const changes = Array.from({ length: 100 }, (_, index) => create(record(`bulk${index}`, "A", `192.0.2.${index}`)));
    expect((await counted.applyChanges(zone, changes)).outcomes).toEqual(changes.map(() => done));
    expect(between.count(opcodes.update)).toBe(1);
  });

  test("changes to missing or existing records are refused with a reason, and the others are made", async () => {
    await provider.applyChanges(zone, [create(record("there", "A", "192.0.2.1"))]);
    expect(
      (
        await provider.applyChanges(zone, [
          remove(record("gone", "A", "192.0.2.1")),
          create(record("there", "A", "192.0.2.1")),
          create(record("there", "CNAME", "www.example.net")),
          create(record("fine", "A", "192.0.2.1")),
        ])
      ).outcomes,
    ).toEqual([
      { ok: false, message: expect.stringContaining("is no longer in the zone at the name server") },
      { ok: false, message: expect.stringContaining("is already in the zone at the name server") },
      { ok: false, message: expect.stringContaining("A CNAME must be the only record of its name") },
      done,
    ]);
    expect(await here("there", "fine")).toEqual(["fine A 192.0.2.1", "there A 192.0.2.1"]);
  });

  test("a refusal in an atomic set refuses the whole set", async () => {
    const { outcomes } = await provider.applyChanges(
      zone,
      [create(record("fine", "A", "192.0.2.1")), remove(record("gone", "A", "192.0.2.1"))],
      { atomic: true },
    );
    expect(outcomes).toEqual([
      { ok: false, message: expect.stringContaining("another change in the set") },
      { ok: false, message: expect.stringContaining("no longer") },
    ]);
    expect(await here("fine")).toEqual([]);
  });

  test("records added by hand stay, and records spelled differently by hand can be changed", async () => {
    await byHand(`update add hand.${zone}. 300 TXT "cut " "in two"`, `update add hand.${zone}. 300 TXT "other"`);
    await byHand(`update add caps.${zone}. 300 CNAME Target.EXAMPLE.net.`);
    expect(
      (
        await provider.applyChanges(zone, [
          update(
            { ...record("hand", "TXT", "cut in two"), strings: ["cut ", "in two"] },
            record("hand", "TXT", "whole"),
          ),
          remove(record("caps", "CNAME", "target.example.net")),
        ])
      ).outcomes,
    ).toEqual([done, done]);
    expect(await here("hand", "caps")).toEqual(["hand TXT other", "hand TXT whole"]);
  });

  test("simultaneous writers of one RRset both succeed", async () => {
    const writers = Array.from({ length: 6 }, (_, index) =>
      provider.applyChanges(zone, [create(record("race", "A", `192.0.2.${index}`))]),
    );
    const outcomes = (await Promise.all(writers)).flatMap(({ outcomes }) => outcomes);
    const values = await here("race");
    expect(values).toEqual(outcomes.flatMap(({ ok }, index) => (ok ? [`race A 192.0.2.${index}`] : [])));
    expect(values.length).toBeGreaterThan(2);
  });

  test.each([
    ["another secret", { tsigSecret: Buffer.from("x".repeat(32)).toString("base64") }, /BADSIG/],
    ["an unknown key", { tsigName: "nobody.key" }, /BADKEY/],
    ["another algorithm", { tsigAlgorithm: "hmac-sha512" }, /BADKEY/],
  ])("with %s nothing is changed, and the reason is reported", async (_, change, reason) => {
    const { provider: stranger } = connect("rfc2136", { ...server.config, ...change });
    const wanted = {
      effect: "none",
      message: expect.stringMatching(name === "PowerDNS" ? /this key with this secret \(NOTAUTH\)/ : reason),
    };
    await expect(stranger.applyChanges(zone, [create(record("no", "A", "192.0.2.1"))])).rejects.toMatchObject(wanted);
    await expect(readAll(stranger, zone)).rejects.toMatchObject(wanted);
    expect(await here("no")).toEqual([]);
  });

  test("with a wrong clock nothing is changed, and the reason is reported", async () => {
    const late = knownKind("rfc2136").connect?.(server.config, {
      zonesFolder: "/nowhere",
      now: () => new Date(Date.now() - 3_600_000),
      egress: createEgress({ allow: [], now: () => new Date() }),
    });
    const change = create(record("no", "A", "192.0.2.1"));
    await expect(late?.applyChanges(zone, [change])).rejects.toMatchObject({
      effect: "none",
      message: expect.stringMatching(name === "PowerDNS" ? /NOTAUTH/ : /differ by 3\d{3} seconds \(BADTIME\)/),
    });
  });

  async function here(...names: string[]): Promise<string[]> {
    return (await readAll(provider, zone))
      .filter(({ name }) => names.includes(name))
      .map(({ name, recordType, value }) => `${name} ${recordType} ${value}`)
      .toSorted();
  }

  /** An edit made elsewhere. */
  const byHand = (...lines: string[]) => nsupdate(server, zone, lines);
});

test.each(["hmac-sha512", "hmac-sha1"] as const)("a key of %s can read and change a zone", async (algorithm) => {
  const server = await startBind([zone], { algorithm });
  try {
    const { provider } = connect("rfc2136", server.config);
    expect((await provider.applyChanges(zone, [create(record("a", "A", "192.0.2.1"))])).outcomes).toEqual([done]);
    expect(await readAll(provider, zone)).toHaveLength(3);
  } finally {
    await server.stop();
  }
});
