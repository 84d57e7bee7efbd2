import { beforeAll, expect, test } from "vitest";
import { useZonewright } from "../../support/zonewright.ts";
import { manualZone, type Body, type Zone } from "../../support/zones.ts";

const zw = useZonewright();
let zone: Zone;

beforeAll(async () => {
  zone = await manualZone(zw);
  await zone.add("AAAA", "www", "2001:db8::1");
  await zone.add("AAAA", "www2", "2001:db8::1");
  await zone.add("A", "www", "192.0.2.1");
  await zone.add("TXT", "@", "192.0.2.1");
  await zone.add("MX", "@", "10 mail.example.net");
  await zone.add("CNAME", "bücher", "shop.example.net");
});

async function found(filter: Record<string, string>): Promise<string[] | number> {
  const { status, body } = await zone.get(`/records?${new URLSearchParams(filter).toString()}`);
  if (status !== 200) return status;
  expect(body.total).toBe(body.records.length);
  return body.records.map(({ name, recordType }: Body) => `${name} ${recordType}`);
}

test("an exact name lists only the records of that host, in any spelling", async () => {
  expect(await found({ name: "www" })).toEqual(["www A", "www AAAA"]);
  expect(await found({ name: `WWW.${zone.name}.`, type: "AAAA" })).toEqual(["www AAAA"]);
  expect(await found({ name: "@" })).toEqual(["@ MX", "@ TXT"]);
  expect(await found({ name: "bücher" })).toEqual(["xn--bcher-kva CNAME"]);
  expect(await found({ name: "ww" })).toEqual([]);
});

test("an exact value is found in any spelling of its canonical form, for one type or all", async () => {
  expect(await found({ value: "2001:0DB8:0:0::0001" })).toEqual(["www AAAA", "www2 AAAA"]);
  expect(await found({ value: "192.0.2.1" })).toEqual(["@ TXT", "www A"]);
  expect(await found({ value: "192.0.2.1", type: "A" })).toEqual(["www A"]);
  expect(await found({ value: "10   MAIL.example.net." })).toEqual(["@ MX"]);
  expect(await found({ value: "192.0.2" })).toEqual([]);
});

test("filters by name, type and value can be combined", async () => {
  expect(await found({ name: "www", type: "AAAA", value: "2001:db8:0::1" })).toEqual(["www AAAA"]);
  expect(await found({ name: "www2", value: "192.0.2.1" })).toEqual([]);
});

test("a filter by a name that cannot be in the zone is refused", async () => {
  expect(await found({ name: "www.example.org." })).toBe(400);
});
