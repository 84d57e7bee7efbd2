import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  classlessParent,
  ZoneIndex,
  addressOf,
  isReverseZone,
  reverseName,
  isInRange,
  rangeOf,
} from "../../../server/dns/reverse/zones.ts";
import { aaaaRule } from "../../../server/dns/values/aaaa.ts";

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6().map((text) => {
  const written = aaaaRule.write(text, null);
  return written.ok ? written.value.value : "::1";
});

test.each([
  ["192.0.2.1", "1.2.0.192.in-addr.arpa"],
  ["10.0.0.255", "255.0.0.10.in-addr.arpa"],
  ["2001:db8::1", `1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ["::ffff:192.0.2.1", `1.0.2.0.0.0.0.c.f.f.f.f.${"0.".repeat(20)}ip6.arpa`],
  ["not an address", null],
  [String.raw`\# 4 c0000201`, null],
  ["fe80::1%eth0", null],
])("the reverse name of %s is %s", (address, name) => {
  expect(reverseName(address)).toBe(name);
});

test.each([
  ["1.2.0.192.in-addr.arpa", "192.0.2.1"],
  ["5.0/25.2.0.192.in-addr.arpa", "192.0.2.5"],
  ["5.0-127.2.0.192.in-addr.arpa", "192.0.2.5"],
  ["200.0/25.2.0.192.in-addr.arpa", null],
  ["5.customer.2.0.192.in-addr.arpa", null],
  ["2.0.192.in-addr.arpa", null],
  ["256.2.0.192.in-addr.arpa", null],
  ["01.2.0.192.in-addr.arpa", null],
  ["in-addr.arpa", null],
  ["8.b.d.0.1.0.0.2.ip6.arpa", null],
  ["www.example.com", null],
])("the name %s is that of the address %s", (name, address) => {
  expect(addressOf(name)).toBe(address);
});

test("every address is found again from its reverse name", () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (address) => {
      expect(addressOf(reverseName(address) ?? "")).toBe(address);
    }),
  );
});

test.each([
  ["0/25", 0, 127],
  ["128/25", 128, 255],
  ["64/26", 64, 127],
  ["7/32", 7, 7],
  ["0-127", 0, 127],
  ["10-19", 10, 19],
  ["0-31", 0, 31],
  ["24-27", 24, 27],
  // A first address and a prefix length.
  ["0-25", 0, 127],
  ["0-26", 0, 63],
  ["128-25", 128, 255],
])("a classless zone named %s holds the addresses %i to %i", (label, first, last) => {
  expect(rangeOf(label)).toEqual({ first, last });
});

test.each(["0/24", "1/25", "0/33", "00/25", "300/25", "0-300", "20-10", "www", "0/25/1", "-", "", "a-b"])(
  "a label %j names no classless zone",
  (label) => {
    expect(rangeOf(label)).toBeNull();
  },
);

test("a range never leaves its /24, and holds its first and last address", () => {
  fc.assert(
    fc.property(fc.nat(300), fc.constantFrom("/", "-"), fc.nat(300), (start, separator, end) => {
      const range = rangeOf(`${start}${separator}${end}`);
      if (!range) return;
      expect(range.first).toBe(start);
      expect(range.last).toBeLessThanOrEqual(255);
      expect(isInRange(range, range.first) && isInRange(range, range.last)).toBe(true);
      expect(isInRange(range, range.last + 1)).toBe(false);
    }),
  );
});

test.each([
  ["2.0.192.in-addr.arpa", true],
  ["0/25.2.0.192.in-addr.arpa", true],
  ["ip6.arpa", true],
  ["example.com", false],
  ["xin-addr.arpa", false],
])("%s is a reverse zone: %s", (zone, isOne) => {
  expect(isReverseZone(zone)).toBe(isOne);
});

/** The candidate that counts if the zone above a classless zone is managed elsewhere. */
function placeIn(index: ReturnType<typeof indexOf>, address: string, views: readonly string[]) {
  const { classless, holder } = index.candidatesFor(address, views);
  return classless ?? holder;
}

/** Zones by name, `!view` behind it. */
function indexOf(...names: string[]) {
  return new ZoneIndex(
    names.map((id) => {
      const [name = "", view = ""] = id.split("!");
      return { id, name, view };
    }),
  );
}

test.each([
  [["2.0.192.in-addr.arpa", "0.192.in-addr.arpa"], "192.0.2.5", [""], "2.0.192.in-addr.arpa", "5"],
  [["0.192.in-addr.arpa"], "192.0.2.5", [""], "0.192.in-addr.arpa", "5.2"],
  [["2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"], "192.0.2.5", [""], "0/25.2.0.192.in-addr.arpa", "5"],
  [["2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"], "192.0.2.200", [""], "2.0.192.in-addr.arpa", "200"],
  [["0/25.2.0.192.in-addr.arpa", "0-7.2.0.192.in-addr.arpa"], "192.0.2.5", [""], "0-7.2.0.192.in-addr.arpa", "5"],
  [["5.2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"], "192.0.2.5", [""], "5.2.0.192.in-addr.arpa", "@"],
  [["2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa!lan"], "192.0.2.5", ["lan", ""], "2.0.192.in-addr.arpa!lan", "5"],
  [["2.0.192.in-addr.arpa", "0.192.in-addr.arpa!lan"], "192.0.2.5", ["lan", ""], "0.192.in-addr.arpa!lan", "5.2"],
  [["2.0.192.in-addr.arpa"], "192.0.2.5", ["lan", ""], "2.0.192.in-addr.arpa", "5"],
  [["8.b.d.0.1.0.0.2.ip6.arpa"], "2001:db8::1", [""], "8.b.d.0.1.0.0.2.ip6.arpa", `1.${"0.".repeat(22)}0`],
] as const)("of the zones %j, the PTR record of %s seen from %j is in %s at %s", (names, address, views, id, owner) => {
  const place = placeIn(indexOf(...names), address, views);
  expect(place && { id: place.zone.id, owner: place.owner }).toEqual({ id, owner });
});

test.each([
  [["2.0.192.in-addr.arpa!lan"], "192.0.2.5", [""]],
  [["3.0.192.in-addr.arpa", "example.com"], "192.0.2.5", [""]],
  [["12.0.192.in-addr.arpa"], "192.0.2.5", [""]],
  [[], "2001:db8::1", [""]],
])("of the zones %j, none is for the PTR record of %s seen from %j", (names, address, views) => {
  expect(placeIn(indexOf(...names), address, views)).toBeNull();
});

test.each([
  [["2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"], [""], "2.0.192.in-addr.arpa"],
  [["0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa"], [""], "0.192.in-addr.arpa"],
  [["2.0.192.in-addr.arpa", "0/25.2.0.192.in-addr.arpa!lan"], ["lan", ""], "2.0.192.in-addr.arpa"],
  [["2.0.192.in-addr.arpa!lan", "0/25.2.0.192.in-addr.arpa!lan"], ["lan", ""], "2.0.192.in-addr.arpa!lan"],
  [["0/25.2.0.192.in-addr.arpa"], [""], undefined],
  [["2.0.192.in-addr.arpa!lan", "0/25.2.0.192.in-addr.arpa"], [""], undefined],
])("of the zones %j, seen from %j, the one above the classless zone is %s", (names, views, holder) => {
  const { classless, ...found } = indexOf(...names).candidatesFor("192.0.2.5", views);
  expect([classless?.owner, found.holder?.zone.id]).toEqual(["5", holder]);
});

test("the zone found is the longest that holds the reverse name", () => {
  fc.assert(
    fc.property(ipv4, fc.uniqueArray(fc.integer({ min: 1, max: 4 })), (address, depths) => {
      const labels = (reverseName(address) ?? "").split(".");
      const names = depths.map((depth) => labels.slice(4 - depth).join("."));
      const longest = names.toSorted((a, b) => b.length - a.length)[0];
      const place = placeIn(indexOf(...names), address, [""]);
      expect(place?.zone.name).toBe(longest);
      const name = place && [...(place.owner === "@" ? [] : [place.owner]), place.zone.name].join(".");
      expect(name ?? undefined).toBe(longest && labels.join("."));
    }),
  );
});

test("classless zones lie below the /24 of an IPv4 address, and an IPv6 address has none", () => {
  expect(classlessParent("192.0.2.5")).toBe("2.0.192.in-addr.arpa");
  expect(classlessParent("2001:db8::1")).toBeNull();
});
