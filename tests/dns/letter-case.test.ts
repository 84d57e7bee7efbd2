import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planState } from "../../server/dns/desired-state.ts";
import { asWritten, noNotes, recordKey, type LiveRecord, type RecordData } from "../../server/dns/record.ts";
import { readRdata, writeRdata } from "../../server/dns/wire/rdata.ts";
import { parseZoneFile } from "../../server/dns/zone-file/parse.ts";
import { initialSoa } from "../../server/dns/zone-file/contents.ts";
import { printZoneFile } from "../../server/dns/zone-file/write.ts";

const zone = "example.com";

/** Data with capitals: as written, and in canonical form if its names are compared without case. */
const data: [recordType: string, written: string, canonical?: string][] = [
  ["CNAME", "Www.Example.COM", "www.example.com"],
  ["NS", "NS1.Example.net", "ns1.example.net"],
  ["PTR", "Office\\032Printer._ipp._tcp.Example.com", "office\\032printer._ipp._tcp.example.com"],
  ["MX", "10 Mail.Example.com", "10 mail.example.com"],
  ["SRV", "0 5 5060 Sip.Example.com", "0 5 5060 sip.example.com"],
  ["DNAME", "Other.Example.", "other.example."],
  ["RP", "Ada.Example.com. Txt.Example.com.", "ada.example.com. txt.example.com."],
  ["NAPTR", '100 10 "S" "SIP+D2U" "" _sip._udp.Example.com.', '100 10 "S" "SIP+D2U" "" _sip._udp.example.com.'],
  ["HTTPS", "1 Cdn.Example.net. alpn=H2", "1 cdn.example.net. alpn=H2"],
  ["SVCB", "0 Svc.Example.net.", "0 svc.example.net."],
  ["NSEC", "Host.Example.com. A RRSIG", "host.example.com. A RRSIG"],
  ["IPSECKEY", "10 3 2 Gate.Example.com. AQNR", "10 3 2 gate.example.com. AQNR"],
  ["TXT", "Mixed Case"],
  ["DNSKEY", "256 3 8 AQNRU3mG"],
];

function fileOf(records: readonly RecordData[]): string {
  return printZoneFile({ zone, soa: initialSoa(zone, new Date(0)), records, vendorTypes: true });
}

function parsed(source: string): RecordData[] {
  const read = parseZoneFile(source, { zone });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.records;
}

function record(recordType: string, written: string, value = written, name = "Host"): RecordData {
  return {
    recordType,
    name: name.toLowerCase(),
    ...(name === name.toLowerCase() ? {} : { writtenName: name }),
    value,
    ...(value === written ? {} : { writtenValue: written }),
    strings: null,
    ttl: 300,
    priority: ["MX", "SRV"].includes(recordType) ? Number.parseInt(value) : null,
    proxied: false,
  };
}

const live = (one: RecordData, id = "1"): LiveRecord => ({
  ...one,
  ...noNotes,
  id,
  version: 1,
  status: "active",
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

function swapped(text: string, which: readonly boolean[]): string {
  return text.replaceAll(/[a-z]/gi, (letter: string, at: number) =>
    which[at % which.length] ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

describe("the case of names", () => {
  test.each(data)(
    "%s data keeps its case through a zone file and through a message: %s",
    (recordType, written, value) => {
      const given = record(recordType, written, value);
      expect(parsed(fileOf([given]))).toEqual([given]);
      const rdata = writeRdata(recordType, written);
      const read = readRdata(rdata, recordType, 0, rdata.length);
      expect(read.value).toBe(given.value);
      expect(read.writtenValue).toBe(given.writtenValue);
    },
  );

  test("records whose names differ only in case are one record, and the first spelling stays", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (which) => {
        const [one, other] = ["Host", "Mail.Example.net."].map((text) => swapped(text, which)) as [string, string];
        const records = parsed(`$TTL 60\n${one} MX 5 ${other}\nhost MX 5 mail.example.net.\n`);
        expect(records.map(asWritten)).toMatchObject([{ name: one, value: `5 ${other.slice(0, -1)}` }]);
        expect(records.map(recordKey)).toEqual(["host\u0000MX\u00005 mail.example.net"]);
      }),
      { numRuns: 30 },
    );
  });

  test("a zone that is read in another case is in sync", () => {
    const stored = live(record("CNAME", "Www.Example.net", "www.example.net", "Alias"));
    const read = record("CNAME", "WWW.example.NET", "www.example.net", "ALIAS");
    expect(planState([stored], [read])).toEqual({ changes: [], unchanged: 1 });
  });

  test("a value that is read new is stored as read, and its owner stays as first written", () => {
    const stored = live(record("CNAME", "Www.Example.net", "www.example.net", "Alias"));
    const read = record("CNAME", "Other.Example.net", "other.example.net", "alias");
    const [change] = planState([stored], [read]).changes;
    expect(change?.after && asWritten(change.after)).toMatchObject({ name: "Alias", value: "Other.Example.net" });
  });

  test("a record that is restored by its id gets back its spelling", () => {
    const stored = live(record("CNAME", "www.example.net", "www.example.net", "alias"));
    const wanted = { ...record("CNAME", "Www.Example.net", "www.example.net", "Alias"), id: "1" };
    const [change] = planState([stored], [wanted]).changes;
    expect(change?.after && asWritten(change.after)).toMatchObject({ name: "Alias", value: "Www.Example.net" });
  });

  test("a zone file is sorted without case", () => {
    const names = ["b", "A", "C", "a-b", "B2"];
    const lines = fileOf(names.map((name) => record("A", "192.0.2.1", "192.0.2.1", name))).split("\n");
    expect(lines.filter((line) => line.includes("192.0.2.1")).map((line) => line.split(" ")[0])).toEqual([
      "A",
      "a-b",
      "b",
      "B2",
      "C",
    ]);
  });
});
