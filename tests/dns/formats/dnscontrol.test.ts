import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { writingIn } from "../../../server/dns/formats/formats.ts";
import type { WrittenRecord } from "../../../server/dns/formats/format.ts";
import { initialSoa } from "../../../server/dns/zone-file/contents.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { arbitraryZone } from "../../support/records/arbitrary-zones.ts";
import { writtenRecord } from "../../support/records/format-readings.ts";

const zone = "example.com";
const soa = initialSoa(zone, new Date(0));

async function written(records: readonly WrittenRecord[]): Promise<string> {
  return atOnce(await writingIn("dnscontrol", { zone, soa, records })).join("");
}

test("a zone written for DNSControl calls a function for each record, and has the others as comments", async () => {
  const records = [
    writtenRecord("@", "NS", "ns1.example.net"),
    writtenRecord("@", "MX", "10 mail.example.net"),
    writtenRecord("@", "CAA", "0 issue ca.example.net"),
    writtenRecord("@", "CAA", "128 issuewild ca.example.net"),
    writtenRecord("@", "TXT", 'say "hi" \\'),
    writtenRecord("split", "TXT", "onetwo", { strings: ["one", "two"] }),
    writtenRecord("www", "A", "192.0.2.1", { proxied: true, comment: "front */ door" }),
    writtenRecord("_sip._tcp", "SRV", "1 5 5060 sip.example.net"),
    writtenRecord("loc", "LOC", "52 22 23.000 N 4 53 32.000 E -2.00m 1m 100m 10m"),
    writtenRecord("svc", "HTTPS", "1 . alpn=h2,h3 port=8443"),
    writtenRecord("e", "NAPTR", '1 2 "S" "SIP+D2U" "" .'),
    writtenRecord("x", "HINFO", '"cpu" "os"'),
    writtenRecord("off", "A", "192.0.2.3", { status: "disabled" }),
  ];
  expect(await written(records)).toBe(String.raw`// Zone example.com, written by Zonewright.
// Set the registrar and provider to the names of your creds.json.
// disabled: off 300 IN A 192.0.2.3
// x 300 IN HINFO "cpu" "os"
var REG_NONE = NewRegistrar("none");
var DSP_ZONE = NewDnsProvider("provider");

D("example.com", REG_NONE, DnsProvider(DSP_ZONE),
  NAMESERVER("ns1.example.net."),
  CAA("@", "issue", "ca.example.net", TTL(300)),
  CAA("@", "issuewild", "ca.example.net", CAA_CRITICAL, TTL(300)),
  MX("@", 10, "mail.example.net.", TTL(300)),
  TXT("@", "say \"hi\" \\", TTL(300)),
  SRV("_sip._tcp", 1, 5, 5060, "sip.example.net.", TTL(300)),
  NAPTR("e", 1, 2, "S", "SIP+D2U", "", ".", TTL(300)),
  LOC("loc", 52, 22, 23.000, "N", 4, 53, 32.000, "E", -2.00, 1, 100, 10, TTL(300)),
  TXT("split", ["one","two"], TTL(300)),
  HTTPS("svc", 1, ".", "alpn=h2,h3 port=8443", TTL(300)),
  A("www", "192.0.2.1", TTL(300), CF_PROXY_ON) /* front   door */,
END);
`);
});

test("any zone written for DNSControl is a program that names each record once, as a call or as a comment", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryZone(zone), async (records) => {
      const text = await written(records);
      const calls: unknown[][] = [];
      const functions = new Proxy(
        {},
        {
          has: () => true,
          get: (_, name) =>
            name === Symbol.unscopables
              ? undefined
              : (...given: unknown[]) => (name === "D" ? calls.push(given.slice(3, -1)) : [name, ...given]),
        },
      );
      runInNewContext(`with (functions) { ${text} }`, { functions });
      const comments = text.split("\n").filter((line) => line.startsWith("// ")).length - 2;
      expect(calls[0]?.length ?? 0).toBe(records.length - comments);
    }),
    { numRuns: 100 },
  );
});
