import { describe, expect, test } from "vitest";
import { prerequisite, update } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newZone } from "./key-clients.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });

test("an update adds a record to a zone without a provider, by UDP and by TCP", async () => {
  const zone = await newZone(zw, "slice.example");
  expect(await zone.client.update([update.add("www", "A", "192.0.2.1")])).toBe(0);
  expect(await zone.client.update([update.add("www", "AAAA", "2001:db8::1")], [], "tcp")).toBe(0);
  expect(await zone.lines()).toEqual(["www 300 A 192.0.2.1", "www 300 AAAA 2001:db8::1"]);
});
