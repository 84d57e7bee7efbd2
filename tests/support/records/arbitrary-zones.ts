import * as fc from "fast-check";
import { nameOf, recordKey, type RecordData } from "../../../server/dns/record.ts";
import { isKnownType } from "../../../server/dns/rdata/rdata.ts";
import { parseZoneFile } from "../../../server/dns/zone-file/parse.ts";
import { data } from "../../dns/zone-file/corpus/types.ts";
import { anyCharacter } from "../any-character.ts";

/** Types whose records a zone accepts only under conditions. */
const special = new Set(["SOA", "DS", "DLV", "TA"]);

const ofTypes = data.flatMap(([recordType, ...rdatas]) =>
  special.has(recordType) || !isKnownType(recordType) ? [] : rdatas.map((rdata) => ({ recordType, rdata })),
);
const common = [
  ["A", "192.0.2.1"],
  ["A", "192.0.2.22"],
  ["AAAA", "2001:db8::1"],
  ["CAA", String.raw`0 issue "ca.example.net; account=\"1\" \\ x"`],
  ["CAA", '128 iodef ""'],
  ["CNAME", "Target.example.net."],
  ["DS", "12345 13 1 0123456789012345678901234567890123456789"],
  ["HTTPS", '1 . alpn="h2,h3" ipv4hint=192.0.2.1,192.0.2.2 port=8443 no-default-alpn'],
  ["HTTPS", String.raw`1 svc alpn="f\\\\oo\\,bar,h2" key65000="a b;c\"d"`],
  ["MX", "10 Mail"],
  ["MX", "0 ."],
  ["NS", "ns1.example.net."],
  ["SRV", "0 5 5060 sip.example.net."],
  ["SVCB", "0 elsewhere.example.net."],
  ["TYPE65280", String.raw`\# 4 0a000001`],
  ["URI", String.raw`10 1 "https://example.net/a\"b\\c;d"`],
].map(([recordType = "", rdata = ""]) => ({ recordType, rdata }));

const octets = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => Buffer.from(text.toWellFormed())),
  fc
    .constantFrom(
      "v=DKIM1; k=rsa; p=AAAA",
      '"quoted"',
      'a" "b',
      "\\",
      "\\;",
      "a,b\tc",
      "${x} %{y} $${z}",
      "=1+1",
      "'",
      "yes",
      "x".repeat(300),
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some)),
);

function quoted(text: Buffer): string {
  return `"${[...text.subarray(0, 255)].map((octet) => `\\${String(octet).padStart(3, "0")}`).join("")}"`;
}

const text = fc
  .array(octets, { minLength: 1, maxLength: 3 })
  .map((strings) => ({ recordType: "TXT", rdata: strings.map(quoted).join(" ") }));

const entry = fc.record({
  name: fc.constantFrom(
    "www",
    "WWW2",
    "*",
    "*.dev",
    "a.b",
    "_sip._tcp",
    "10",
    "0x1",
    "on",
    "yes",
    "true",
    String.raw`a\.b`,
    String.raw`sp\032ace`,
    String.raw`q\"uote`,
    String.raw`\#hash`,
    "a&b=c:d",
    "xn--bcher-kva",
    "n9",
    "n10",
  ),
  ttl: fc.constantFrom(0, 300, 3600, 2_147_483_647),
  data: fc.oneof(fc.constantFrom(...ofTypes, ...common), text),
});

/** Zones with records of every type that can be written, one TTL per RRset; their names need not go together. */
export function arbitraryZone(zone: string): fc.Arbitrary<RecordData[]> {
  return fc.array(entry, { maxLength: 12 }).map((entries) => recordsOf(zone, entries));
}

interface Entry {
  name: string;
  ttl: number;
  data: { recordType: string; rdata: string };
}

function recordsOf(zone: string, entries: readonly Entry[]): RecordData[] {
  const ttls = new Map<string, number>();
  const found = new Map<string, RecordData>();
  for (const { name, ttl, data: one } of entries) {
    const line = `${name} ${ttl} IN ${one.recordType} ${one.rdata}\n`;
    const read = parseZoneFile(line, { zone });
    if (!read.ok) throw new Error(`${line}: ${read.errors[0]?.message}`);
    const [record] = read.records;
    if (!record) continue;
    const covered = /^(?:RRSIG|SIG)$/.test(record.recordType) ? record.value.split(" ", 1)[0] : "";
    const set = `${record.name} ${record.recordType} ${covered}`;
    const first = ttls.get(set) ?? record.ttl;
    ttls.set(set, first);
    if (!found.has(recordKey(record))) found.set(recordKey(record), { ...record, ttl: first });
  }
  return [...found.values()];
}

/** Returns what a zone says, in one order, to compare it. */
export function contentOf(records: readonly RecordData[]): string[] {
  return records
    .map((record) =>
      JSON.stringify([
        nameOf(record),
        record.ttl,
        record.recordType,
        record.value,
        record.writtenValue ?? null,
        record.strings,
        record.priority,
        record.proxied,
      ]),
    )
    .toSorted();
}
