import { expect, test } from "vitest";
import { recordsIn, zoneNameOf } from "../../../web/src/domains/zone-files.ts";

const soa = "ns1.example.com. host.example.com. 1 7200 900 1209600 300";

test.each([
  [
    "export.txt",
    `;;\n;; Domain:     example.com.\n;; Exported: 2026-03-01\nexample.com\t3600\tIN\tSOA\t${soa}`,
    "example.com",
  ],
  ["zone", `$ORIGIN Example.com.\n$TTL 300\n@ IN SOA ${soa}`, "example.com"],
  ["zone", `example.com. 3600 IN SOA ${soa}`, "example.com"],
  ["db.example.com", `@ 3600 IN SOA ${soa}`, "example.com"],
  ["example.co.uk.zone", "www 300 A 192.0.2.1", "example.co.uk"],
  ["example.com.txt", "www 300 A 192.0.2.1", "example.com"],
])("the zone of the file %s is found", (file, text, zone) => {
  expect(zoneNameOf(text, file)).toBe(zone);
});

const inLine = (line: number, message: string) => `${line}: ${message}`;

test("the records of a file are counted, and what is wrong with a file or a name is said", async () => {
  expect(await recordsIn("@ 300 A 192.0.2.1\nwww 300 A 192.0.2.1", "example.com", inLine)).toEqual({ count: 2 });
  expect(await recordsIn("www 300 A 192.0.2.1\nwww 300 A 192.0.2.999", "example.com", inLine)).toEqual({
    error: expect.stringMatching(/^2: /),
  });
  expect(await recordsIn("@ 300 A 192.0.2.1", "export", inLine)).toEqual({
    error: expect.stringContaining("must look like"),
  });
});
