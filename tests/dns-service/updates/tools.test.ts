import { expect, test } from "vitest";
import { transfer } from "../../support/name-servers/transfer-client.ts";
import { prerequisite, update } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

/** What tools send, message by message. */

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });

test("DNSControl's way: it transfers the zone, sends the differences as one update by TCP, and then finds none", async () => {
  const zone = await newZone(zw, "control.example");
  await zone.add(
    { recordType: "NS", name: "@", value: "ns1.example.net", ttl: 300 },
    { recordType: "A", name: "old", value: "192.0.2.1", ttl: 300 },
    { recordType: "TXT", name: "keep", value: "v=1; a b", ttl: 300 },
  );
  const read = async () => {
    const { lines } = await transfer(zone.client.port, zone.client.zone, { key: zone.key.tsig });
    return lines.slice(1, -1).toSorted();
  };
  expect(await read()).toHaveLength(3);
  const differences = [
    update.deleteRecord("old", "A", "192.0.2.1"),
    update.add("new", "A", "192.0.2.2"),
    update.deleteRecord("keep", "TXT", "v=1; a b"),
    update.add("keep", "TXT", "v=1; a b", 600),
    update.add("@", "MX", "10 mail.example.net"),
  ];
  expect(await zone.client.update(differences, [], "tcp")).toBe(0);
  expect(await read()).toEqual(
    [
      "control.example 300 MX 10 mail.example.net",
      "control.example 300 NS ns1.example.net",
      "keep.control.example 600 TXT v=1; a b",
      "new.control.example 300 A 192.0.2.2",
    ].toSorted(),
  );
});

test("octoDNS's way: it transfers the zone with a key, and replaces RRsets one by one by TCP", async () => {
  const zone = await newZone(zw, "octo.example");
  await zone.add({ recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 });
  const before = await transfer(zone.client.port, zone.client.zone, { key: zone.key.tsig });
  expect(before.lines.slice(1, -1)).toEqual([
    "www.octo.example 300 A 192.0.2.1",
    "octo.example 3600 NS placeholder.invalid",
  ]);
  const replaced = [
    update.deleteRrset("www", "A"),
    update.add("www", "A", "192.0.2.2", 60),
    update.add("www", "A", "192.0.2.3", 60),
  ];
  expect(await zone.client.update(replaced, [], "tcp")).toBe(0);
  expect(await zone.lines()).toEqual(["www 60 A 192.0.2.2", "www 60 A 192.0.2.3"]);
});

test("a DHCP server's way (RFC 4703): it takes a free name with its DHCID, and lets go only of its own", async () => {
  const { client, lines } = await newZone(zw, "dhcp.example");
  const [mine, other] = [
    "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=",
    "AAABxLmlskllE0MVjd57zHcWmEH3pCQ6VytcKD//7es/deY=",
  ];
  const take = (id: string) =>
    client.update(
      [update.add("laptop", "A", "192.0.2.50", 1_200), update.add("laptop", "DHCID", id, 1_200)],
      [prerequisite.nameUnused("laptop")],
    );
  expect(await take(mine)).toBe(0);
  expect(await take(other)).toBe(6);
  const renew = (id: string) =>
    client.update(
      [update.deleteRrset("laptop", "A"), update.add("laptop", "A", "192.0.2.51", 1_200)],
      [prerequisite.nameInUse("laptop"), prerequisite.rrsetHas("laptop", "DHCID", id)],
    );
  expect(await renew(other)).toBe(8);
  expect(await renew(mine)).toBe(0);
  expect(await lines()).toEqual(["laptop 1200 A 192.0.2.51", `laptop 1200 DHCID ${mine}`]);
  const release = (id: string) =>
    client.update([update.deleteName("laptop")], [prerequisite.rrsetHas("laptop", "DHCID", id)]);
  expect(await release(other)).toBe(8);
  expect(await release(mine)).toBe(0);
  expect(await lines()).toEqual([]);
});
