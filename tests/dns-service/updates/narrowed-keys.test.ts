import { beforeAll, expect, test } from "vitest";
import { editableTypes } from "../../../server/dns/record.ts";
import { update, UpdateClient } from "../../support/name-servers/update-client.ts";
import { linesOf, transfer } from "../../support/name-servers/transfer-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newKey, newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
/** ALIAS has no form on the wire. */
const types = editableTypes.filter((type) => type !== "ALIAS");
const digest = "00".repeat(32);
const values: Record<(typeof types)[number], string> = {
  A: "192.0.2.1",
  AAAA: "2001:db8::1",
  CAA: "0 issue ca.example",
  CNAME: "www.example.net",
  DHCID: "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=",
  DS: `1 8 2 ${digest}`,
  HTTPS: "1 svc.example.net",
  MX: "10 mail.example.net",
  NAPTR: '1 10 "s" "E2U+sip" "" sip.example.net',
  NS: "ns.example.net",
  PTR: "host.example.net",
  SRV: "1 2 5060 sip.example.net",
  SSHFP: `1 2 ${digest}`,
  SVCB: "1 svc.example.net",
  TLSA: `3 1 1 ${digest}`,
  TXT: "text",
};
const [own, other] = ["own.example", "other.example"];
let zones: Awaited<ReturnType<typeof newZone>>[];

/** Returns the owner and type of a line. */
const shown = (line: string) =>
  line
    .split(" ")
    .filter((_, index) => index === 0 || index === 2)
    .join(" ");

/** Types that may be at one name with others. */
const hostOf = (type: string) => (type === "CNAME" || type === "NS" || type === "DS" ? type.toLowerCase() : "host");

/** At each name all that is there, everything at once, the type of the key, and A, which a CNAME or a delegation would answer. */
function questions(typeOfKey: string): [name: string, asked: string][] {
  const names = [...new Set(types.map(hostOf))];
  return names.flatMap((name) => {
    const there = types.filter((type) => hostOf(type) === name);
    return [...new Set(["ANY", "A", "NS", typeOfKey, ...there])].map((asked): [string, string] => [name, asked]);
  });
}

beforeAll(async () => {
  zones = [await newZone(zw, own), await newZone(zw, other)];
  for (const zone of zones) {
    await zone.add({ recordType: "NS", name: "@", value: "ns1.example.net" });
    await zone.add({ recordType: "NS", name: "ds", value: "ns1.example.net" });
    await zone.add(
      ...Object.entries(values).map(([recordType, value]) => ({ recordType, name: hostOf(recordType), value })),
    );
  }
});

test.each(types)("a key for %s at one host reads those records of its zone, and nothing of another", async (type) => {
  const host = hostOf(type);
  const [zone] = zones;
  if (!zone) throw new Error("no zone");
  const { tsig } = await newKey(zw.admin, zone.id, { hostPattern: host, recordTypes: [type] });
  const client = new UpdateClient(zone.client.port, own, tsig);
  const seen = new Set<string>();
  for (const [name, asked] of questions(type)) {
    const { rcode, message } = await client.query(name, asked);
    if (rcode !== 0 && rcode !== 3) seen.add(`${name} ${asked} RCODE ${rcode}`);
    for (const line of linesOf(message)) seen.add(shown(line));
  }
  expect([...seen]).toEqual([`${host}.${own} ${type}`]);
  const { lines } = await transfer(client.port, own, { key: tsig });
  const owners = lines.slice(1, -1).map(shown);
  expect(owners.toSorted()).toEqual([`${host}.${own} ${type}`, `${own} NS`].toSorted());
  const elsewhere = new UpdateClient(zone.client.port, other, tsig);
  for (const asked of ["ANY", "SOA", "AXFR", type]) {
    const { rcode, message } = await elsewhere.query(host, asked);
    expect([asked, rcode, message.answers, message.authorities]).toEqual([asked, 5, [], []]);
  }
  expect(await elsewhere.update([update.add(host, type, values[type])])).toBe(9);
  expect(await elsewhere.update([update.deleteRrset(host, type)])).toBe(9);
  // A delegation takes over the names below it, which the key does not cover (RFC 1034 §4.2.1).
  const written = type === "NS" ? 5 : 0;
  expect(await client.update([update.deleteRrset(host, type)])).toBe(written);
  expect(await client.update([update.add(host, type, values[type])])).toBe(written);
});
