import { describe, expect, test } from "vitest";
import type { RecordChange } from "../../../server/dns-providers/provider.ts";
import { readMessage, updateMessage, type WireRecord } from "../../../server/dns/wire/messages.ts";
import { writeRdata } from "../../../server/dns/wire/rdata.ts";
import type { ServedRecord } from "../../../server/dns-providers/rfc2136/read-names.ts";
import { batchesOf, mostUpdateOctets, planUpdate } from "../../../server/dns-providers/rfc2136/update-plan.ts";
import type { RecordData } from "../../../server/dns/record.ts";
import { typeName } from "../../../server/dns/zone-file/type-names.ts";

const record = (name: string, recordType: string, value: string, ttl = 300): RecordData => ({
  recordType,
  name,
  value,
  ttl,
  priority: null,
  strings: null,
  proxied: false,
});
const served = (data: RecordData, ...rdatas: Buffer[]): ServedRecord => ({
  record: data,
  rdatas: rdatas.length > 0 ? rdatas : [writeRdata(data.recordType, data.value)],
});
const create = (after: RecordData): RecordChange => ({ action: "create", before: null, after });
const remove = (before: RecordData): RecordChange => ({ action: "delete", before, after: null });
const update = (before: RecordData, after: RecordData): RecordChange => ({ action: "update", before, after });

const a = record("www", "A", "192.0.2.1");
const b = record("www", "A", "192.0.2.2");
const cname = record("www", "CNAME", "x.example");
const ns = record("@", "NS", "ns.example", 3600);
const tlsa = (data: string, ttl = 300) => record("www", "TLSA", `3 1 1 ${data}`, ttl);

/** Both sections of the one message, each record as `class name ttl type data`. */
function message(state: readonly ServedRecord[], changes: readonly RecordChange[], exact = true, signed = false) {
  const { units, outcomes } = planUpdate("z", state, changes, { exact, signed });
  const [prerequisites, updates] = [units.flatMap((unit) => unit.prerequisites), units.flatMap((unit) => unit.updates)];
  const read = readMessage(updateMessage(1, "z", prerequisites, updates));
  const shown = ({ name, type, class: recordClass, ttl, rdataStart, rdataEnd }: WireRecord) =>
    [
      { 1: "in", 254: "none", 255: "any" }[recordClass],
      name,
      ttl,
      type === 255 ? "ANY" : typeName(type),
      read.octets.toString("hex", rdataStart, rdataEnd),
    ]
      .join(" ")
      .trim();
  return { needs: read.answers.map(shown), does: read.authorities.map(shown), outcomes };
}

describe("an update message", () => {
  test("an update adds a record to a new RRset", () => {
    expect(message([], [create(a)])).toEqual({
      needs: ["none www.z 0 A", "none www.z 0 CNAME"],
      does: ["in www.z 300 A c0000201"],
      outcomes: [{ ok: true }],
    });
  });

  test("an update adds and deletes values, and requires the RRset as it was read", () => {
    const { needs, does } = message([served(a), served(record("www", "A", "192.0.2.9"))], [update(a, b)]);
    expect(needs).toEqual(["in www.z 0 A c0000201", "in www.z 0 A c0000209"]);
    expect(does).toEqual(["none www.z 0 A c0000201", "in www.z 300 A c0000202"]);
  });

  test("an update deletes the last value by deleting the RRset", () => {
    expect(message([served(a)], [remove(a)]).does).toEqual(["any www.z 0 A"]);
  });

  test("an update with a new TTL rewrites the whole RRset", () => {
    const { does } = message([served(a), served(b)], [update(a, { ...a, ttl: 60 })]);
    expect(does).toHaveLength(4);
    expect(does.slice(0, 2).toSorted()).toEqual(["none www.z 0 A c0000201", "none www.z 0 A c0000202"]);
    expect(does.slice(2).toSorted()).toEqual(["in www.z 60 A c0000201", "in www.z 60 A c0000202"]);
  });

  test("an update deletes an A before it adds a CNAME, and requires that nothing else was added", () => {
    const { needs, does } = message([served(a)], [remove(a), create(cname)]);
    expect(does).toEqual(["any www.z 0 A", "in www.z 300 CNAME 0178076578616d706c6500"]);
    expect(needs).toContain("none www.z 0 TXT");
    expect(needs).not.toContain("none www.z 0 A");
    expect(message([], [create(cname)]).needs).toEqual(["none www.z 0 ANY"]);
  });

  test("an update to a signed zone empties a name before a CNAME replaces its records", () => {
    const { does } = message([served(a)], [remove(a), create(cname)], true, true);
    expect(does).toEqual(["any www.z 0 ANY", "any www.z 0 A", "in www.z 300 CNAME 0178076578616d706c6500"]);
    expect(message([], [create(cname)], true, true).does).toEqual(["in www.z 300 CNAME 0178076578616d706c6500"]);
  });

  test("an update replaces a CNAME without deleting it first", () => {
    const other = { ...cname, ttl: 60 };
    expect(message([served(cname)], [update(cname, other)]).does).toEqual(["in www.z 60 CNAME 0178076578616d706c6500"]);
  });

  test("an update deletes RDATA exactly as the server spells it", () => {
    const text = record("www", "TXT", "ab");
    const [cut, whole] = [Buffer.from("\u0001a\u0001b"), Buffer.from("\u0002ab")];
    expect(message([served(text, cut, whole), served(record("www", "TXT", "c"))], [remove(text)]).does).toEqual([
      "none www.z 0 TXT 01610162",
      "none www.z 0 TXT 026162",
    ]);
  });

  test("an update replaces an RRset of a non-editable type as a whole", () => {
    expect(message([served(tlsa("aa")), served(tlsa("bb"))], [remove(tlsa("aa"))]).does).toEqual([
      "any www.z 0 TLSA",
      "in www.z 300 TLSA 030101bb",
    ]);
  });

  test("an update requires only that RRsets exist if the server cannot compare them", () => {
    const { needs, does } = message([served(tlsa("aa")), served(tlsa("bb"))], [remove(tlsa("aa"))], false);
    expect(needs).toEqual(["any www.z 0 TLSA"]);
    expect(does).toEqual(["none www.z 0 TLSA 030101aa"]);
  });
});

describe("the apex", () => {
  const other = record("@", "NS", "ns2.example", 3600);

  test("the apex gets its new name server before it loses the old one", () => {
    expect(message([served(ns)], [update(ns, other)]).does).toEqual([
      "in z 3600 NS 036e7332076578616d706c6500",
      "none z 0 NS 026e73076578616d706c6500",
    ]);
  });

  test("the apex keeps its last name server, and the other changes are made", () => {
    const { outcomes, does } = message([served(ns)], [remove(ns), create(a)]);
    expect(outcomes).toEqual([
      { ok: false, message: expect.stringContaining("at least one name server") },
      { ok: true },
    ]);
    expect(does).toEqual(["in www.z 300 A c0000201"]);
  });
});

describe("records that no name server accepts", () => {
  test.each([
    [record("www", "ALIAS", "x.example."), "not a type that name servers exchange"],
    [record("www", "LOC", "52 N 4 E"), "the altitude is missing"],
    [record("www", "TYPE65280", "foo"), "(RFC 3597 §5)"],
    [record("@", "SOA", "a. b. 1 2 3 4 5"), "manages the SOA"],
  ])("%j is refused before anything is sent to a name server", (data, reason) => {
    expect(message([], [create(data)]).outcomes).toEqual([{ ok: false, message: expect.stringContaining(reason) }]);
  });
});

const many = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => create(record(`n${index}`, "TXT", "x".repeat(size))));
const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => record("t", "TXT", `${index}${"x".repeat(500)}`));

describe("splitting updates into messages", () => {
  test("100 records fit into one update message", () => {
    expect(batchesOf(planUpdate("example.com", [], many(100, 200)).units)).toHaveLength(1);
  });

  test("update messages stay below their limit, in order, with every change in one of them", () => {
    const batches = batchesOf(planUpdate("example.com", [], many(1000, 500)).units);
    expect(batches.length).toBeGreaterThan(5);
    expect(batches.flat().flatMap(({ changes }) => changes)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    for (const batch of batches) {
      const octets = updateMessage(
        1,
        "example.com",
        batch.flatMap((unit) => unit.prerequisites),
        batch.flatMap((unit) => unit.updates),
      );
      expect(octets.length).toBeLessThan(mostUpdateOctets + 100);
    }
  });

  test("changes that share a name stay in one update message", () => {
    const moves = [
      update(record("a", "A", "192.0.2.1"), record("b", "A", "192.0.2.1")),
      create(record("c", "A", "192.0.2.1")),
      update(record("b", "A", "192.0.2.2"), record("a", "A", "192.0.2.2")),
    ];
    const state = [served(record("a", "A", "192.0.2.1")), served(record("b", "A", "192.0.2.2"))];
    expect(planUpdate("z", state, moves).units.map(({ changes }) => new Set(changes))).toEqual([
      new Set([0, 2]),
      new Set([1]),
    ]);
  });

  test("an RRset too large to compare must merely exist; one too large to send is refused", () => {
    const [first, ...rest] = texts(150).map((data) => served(data));
    const { units } = planUpdate("z", [...(first ? [first] : []), ...rest], texts(150).slice(0, 1).map(remove));
    expect(units).toMatchObject([{ updates: { length: 1 }, prerequisites: { length: 1 } }]);
    expect(planUpdate("z", [], texts(150).map(create)).outcomes[0]).toEqual({
      ok: false,
      message: expect.stringContaining("too many records to change in one message"),
    });
  });
});
