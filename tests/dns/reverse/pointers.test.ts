import * as fc from "fast-check";
import { expect, test } from "vitest";
import { followAddress, type PointerState, touchedAddresses } from "../../../server/dns/reverse/pointers.ts";

const stateOf = (target: string): PointerState =>
  target.startsWith("held") ? "holds" : target.startsWith("foreign") ? "foreign" : "stale";

/** Decides, and writes the decision as text. */
function decision(pointers: readonly string[], gained: readonly string[], lost: readonly string[]): string {
  const decided = followAddress({ pointers: pointers.map((value) => ({ value })), stateOf: stateOf, gained, lost });
  return [
    ...decided.deletes.map(({ value }) => `- ${value}`),
    ...(decided.update ? [`${decided.update.pointer.value} -> ${decided.update.target}`] : []),
    ...(decided.create === null ? [] : [`+ ${decided.create}`]),
    ...(decided.foreign ? [`${decided.foreign.value} stays`] : []),
  ].join(", ");
}

test.each([
  ["a first name gets the PTR record", [], ["held1"], [], "+ held1"],
  ["of several names the first gets it", [], ["held1", "held2"], [], "+ held1"],
  ["a PTR record that still holds stays", ["held0"], ["held1"], [], ""],
  ["a stale one is replaced", ["stale"], ["held1"], [], "stale -> held1"],
  ["a foreign one stays", ["foreign"], ["held1"], [], "foreign stays"],
  ["a foreign one that nobody asks about is not mentioned", ["foreign"], [], ["stale"], ""],
  ["the PTR record of a name that lost the address goes", ["stale"], [], ["stale"], "- stale"],
  ["one of another stale name stays for the report", ["stale2"], [], ["stale"], ""],
  ["one that still holds does not go", ["held0"], [], ["held0"], ""],
  ["an address that moves to another name keeps its PTR record", ["stale"], ["held1"], ["stale"], "stale -> held1"],
  ["of several stale ones one is left", ["stale2", "stale"], ["held1"], ["stale"], "- stale2, stale -> held1"],
  ["nothing to do", [], [], ["stale"], ""],
])("%s", (_title, pointers, gained, lost, expected) => {
  expect(decision(pointers, gained, lost)).toBe(expected);
});

const names = fc.uniqueArray(fc.constantFrom("held0", "held1", "held2", "stale0", "stale1", "foreign0", "foreign1"));

test("deciding again after a decision changes nothing, and only stale PTR records ever change", () => {
  fc.assert(
    fc.property(names, names, names, (present, gaining, lost) => {
      const gained = gaining.filter((name) => stateOf(name) === "holds");
      const pointers = present.map((value) => ({ value }));
      const first = followAddress({ pointers, stateOf: stateOf, gained, lost });
      const touched = [...first.deletes, ...(first.update ? [first.update.pointer] : [])];
      expect(touched.map(({ value }) => stateOf(value))).toEqual(touched.map(() => "stale"));
      const after = pointers
        .filter((pointer) => !first.deletes.includes(pointer))
        .map((pointer) => (pointer === first.update?.pointer ? { value: first.update.target } : pointer));
      if (first.create !== null) after.push({ value: first.create });
      const again = followAddress({ pointers: after, stateOf: stateOf, gained, lost });
      expect(again).toMatchObject({ create: null, update: null, deletes: [] });
      // A name that received the address has a PTR record afterwards, unless another record stands.
      const isServed = after.some(({ value }) => stateOf(value) !== "stale");
      expect(isServed || gained.length === 0).toBe(true);
      expect(new Set(after.map(({ value }) => value)).size).toBe(after.length);
    }),
  );
});

const record = (name: string, value: string, more: object = {}) => ({
  recordType: value.includes(":") ? "AAAA" : "A",
  name,
  value,
  proxied: false,
  ...more,
});

test("the touched addresses are those that names receive or lose", () => {
  const changes = [
    { before: null, after: record("www", "192.0.2.1") },
    { before: record("old", "192.0.2.1"), after: null },
    { before: record("moved", "192.0.2.2"), after: record("moved", "192.0.2.3") },
    { before: record("renamed", "2001:db8::1"), after: record("@", "2001:db8::1") },
  ];
  expect(touchedAddresses("example.com", changes)).toEqual([
    { address: "192.0.2.1", gained: ["www.example.com"], lost: ["old.example.com"] },
    { address: "192.0.2.2", gained: [], lost: ["moved.example.com"] },
    { address: "192.0.2.3", gained: ["moved.example.com"], lost: [] },
    { address: "2001:db8::1", gained: ["example.com"], lost: ["renamed.example.com"] },
  ]);
});

test("wildcards, disabled, proxied and other records touch no address, nor does a new TTL", () => {
  const changes = [
    { before: null, after: record("*", "192.0.2.1") },
    { before: null, after: record("*.dev", "192.0.2.1") },
    { before: null, after: record("www", "192.0.2.1", { status: "disabled" }) },
    { before: null, after: record("www", "192.0.2.1", { proxied: true }) },
    { before: null, after: record("www", "192.0.2.1", { recordType: "TXT" }) },
    { before: record("www", "192.0.2.1", { ttl: 1 }), after: record("www", "192.0.2.1", { ttl: 2 }) },
  ];
  expect(touchedAddresses("example.com", changes)).toEqual([]);
});

test("a record that the proxy takes over loses its address, and receives it back", () => {
  const [direct, proxied] = [record("www", "192.0.2.1"), record("www", "192.0.2.1", { proxied: true })];
  expect(touchedAddresses("example.com", [{ before: direct, after: proxied }])).toMatchObject([{ gained: [] }]);
  expect(touchedAddresses("example.com", [{ before: proxied, after: direct }])).toMatchObject([{ lost: [] }]);
});
