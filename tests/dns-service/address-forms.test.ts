import { expect, test } from "vitest";
import { readEndpoint } from "../../server/dns-providers/primary/lists.ts";
import { transfer } from "../support/name-servers/transfer-client.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright({ env: { DNS_LISTEN: "[::1]:0", JOBS: "off" } });

test.each([
  ["2001:DB8::53", "2001:db8::53"],
  ["[2001:0db8:0:0:0:0:0:53]:5353", "2001:db8::53"],
  ["192.0.2.53", "192.0.2.53"],
  ["fe80::1%eth0", "fe80::1%eth0"],
])("the secondary %s has the address %s", (text, address) => {
  expect(readEndpoint(text)?.address).toBe(address);
});

test("a transfer counts for the secondary that the configuration lists in another form of its IPv6 address", async () => {
  const config = {
    nameServers: "ns1.example.net",
    contact: "dns@example.net",
    notify: "[0:0:0:0:0:0:0:1]:9",
    signingSecondaries: "[::1]:9",
  };
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "primary", name: "IPv6", config });
  const made = await zw.admin.post("/api/domains", { name: "ipv6.example", providerConfigId: body.id });
  const [port = 0] = zw.services.dnsService.ports;
  expect((await transfer(port, "ipv6.example", { from: "::1" })).rcode).toBe(0);
  const report = await zw.admin.get(`/api/domains/${made.body.id}/secondaries`);
  expect(report.body.secondaries).toMatchObject([{ notified: true, signs: true, inSync: true }]);
});
