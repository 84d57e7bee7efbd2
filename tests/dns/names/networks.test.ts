import * as fc from "fast-check";
import { expect, test } from "vitest";
import { reverseName } from "../../../server/dns/reverse/zones.ts";
import { zonesOfNetwork } from "../../../server/dns/names/networks.ts";

test.each([
  ["192.0.2.0/24", 1, "2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"],
  ["192.0.2.7/24", 1, "2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"],
  ["10.0.0.0/8", 1, "10.in-addr.arpa", "10.in-addr.arpa"],
  ["10/8", 1, "10.in-addr.arpa", "10.in-addr.arpa"],
  ["172.16.0.0/12", 16, "16.172.in-addr.arpa", "31.172.in-addr.arpa"],
  ["192.0.16.0/20", 16, "16.0.192.in-addr.arpa", "31.0.192.in-addr.arpa"],
  ["192.0.2.128/25", 1, "128/25.2.0.192.in-addr.arpa", "128/25.2.0.192.in-addr.arpa"],
  ["192.0.2.200/26", 1, "192/26.2.0.192.in-addr.arpa", "192/26.2.0.192.in-addr.arpa"],
  ["192.0.2.5/32", 1, "5.2.0.192.in-addr.arpa", "5.2.0.192.in-addr.arpa"],
  ["0.0.0.0/0", 1, "in-addr.arpa", "in-addr.arpa"],
  ["2001:db8::/32", 1, "8.b.d.0.1.0.0.2.ip6.arpa", "8.b.d.0.1.0.0.2.ip6.arpa"],
  ["2001:DB8:0:40::/58", 4, "4.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "7.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"],
])("the network %s has %i reverse zones, from %s to %s", (text, count, first, last) => {
  expect(zonesOfNetwork(text)).toEqual({ count, first, last });
});

test.each([
  "192.0.2.0",
  "192.0.2.0/33",
  "300.0.2.0/24",
  "example.com/24",
  "2001:db8::/129",
  "fe80::1%eth0/64",
  "/24",
  "a/8",
])("%s is no network", (text) => {
  expect(zonesOfNetwork(text)).toBeNull();
});

test("every address of a network has its reverse name in the network's zone", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.constantFrom(8, 16, 24, 32), (address, length) => {
      const zones = zonesOfNetwork(`${address}/${length}`);
      const name = reverseName(address);
      if (name === null) return;
      expect(name === zones?.first || name.endsWith(`.${zones?.first}`)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
