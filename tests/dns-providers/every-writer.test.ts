import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layouts } from "../../server/dns/rdata/layouts.ts";
import { ruleFor } from "../../server/dns/record-types.ts";
import type { RecordData } from "../../server/dns/record.ts";
import { sameStrings } from "../../server/dns/values/character-strings.ts";
import { readRdata, writeRdata } from "../../server/dns/wire/rdata.ts";
import { readData } from "../../server/dns/zone-file/record-data.ts";
import { logicalLines } from "../../server/dns/zone-file/tokens.ts";
import { parseZoneFile } from "../../server/dns/zone-file/parse.ts";
import { initialSoa } from "../../server/dns/zone-file/contents.ts";
import { printZoneFile } from "../../server/dns/zone-file/write.ts";
import { recordParameters as alidnsParameters } from "../../server/dns-providers/alidns.ts";
import { bodyOf } from "../../server/dns-providers/cloudflare/records.ts";
import { writeRecord } from "../../server/dns-providers/digitalocean.ts";
import { recordParameters as dnspodParameters } from "../../server/dns-providers/dnspod.ts";
import { kindByName, knownKind, providerKinds } from "../../server/dns-providers/kinds.ts";
import { canonicalContent } from "../../server/dns-providers/powerdns/apply-changes.ts";
import { printValue, readValue } from "../../server/dns-providers/route53/rrsets.ts";
import {
  canonicalRdata,
  printedRdata,
  unreadContent,
  type RecordContent,
} from "../../server/dns-providers/rdata-text.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import { createEgress } from "../../server/platform/net/egress.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { kindOfZone, limitIssues } from "../../server/zones/records/provider-limits.ts";
import { anyCharacter } from "../support/any-character.ts";
import { writtenValues } from "../support/records/arbitrary-data.ts";
import { recordDialects } from "../support/vendors/records/dialects.ts";
import { startRecordVendor } from "../support/vendors/records/server.ts";
import { rrsetDialects } from "../support/vendors/rrsets/dialects.ts";
import { startRrsetVendor } from "../support/vendors/rrsets/server.ts";
import { data } from "../dns/zone-file/corpus/types.ts";
import { create } from "./zone-folder.ts";

const zone = "example.com";
const types = [...layouts.keys(), "TYPE65280"].filter((type) => type !== "SOA");
const anyType = fc.constantFrom(...types);
const word = fc.oneof(
  fc.nat(70_000).map(String),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom("@", "host", "a..b", "::1", "192.0.2.1", "AAAA", "\\#", "3", "026869", "alpn=h2", "tcp", "-", "\\"),
  // Around the limit of a string, of a label, and of what some vendors store.
  fc.tuple(fc.constantFrom(63, 64, 254, 255, 256, 300, 511, 700), fc.constantFrom("x", "é", "\\200")).map(repeated),
);
const field = fc.record({ raw: word, quoted: fc.boolean() });

function repeated([count, unit]: [number, string]): string {
  return unit.repeat(count);
}

/** Content as some reader stores it: from a file or a provider's text, from the wire, from a client, or as it came because nobody could read it. */
const stored: fc.Arbitrary<{ recordType: string; content: RecordContent }> = fc
  .oneof(
    fc.tuple(anyType, fc.array(field, { maxLength: 6 })).map(([recordType, fields]) => {
      const read = ruleFor(recordType).read(fields, zone);
      return { recordType, content: read.ok ? { strings: null, ...read.value } : null };
    }),
    fc.tuple(anyType, fc.uint8Array({ maxLength: 600 })).map(([recordType, octets]) => {
      const { value, strings = null, priority } = readRdata(Buffer.from(octets), recordType, 0, octets.length);
      return { recordType, content: { value, strings, priority } };
    }),
    fc
      .constantFrom(...data.flatMap(([recordType, ...texts]) => texts.map((text) => [recordType, text] as const)))
      .map(([recordType, text]) => ({ recordType, content: canonicalRdata(recordType, text) })),
    fc
      .constantFrom(...Object.entries(writtenValues))
      .chain(([recordType, values]) => values.map((value) => [recordType, value] as const))
      .map(([recordType, value]) => {
        const written = ruleFor(recordType).write(value, null);
        return { recordType, content: written.ok ? { strings: null, ...written.value } : null };
      }),
    fc
      .tuple(anyType, fc.oneof(word, fc.string({ unit: fc.constantFrom('"', "(", ")", ";", "\\", "\n", "a", " ") })))
      .map(([recordType, text]) => ({ recordType, content: unreadContent(text) })),
  )
  .filter((found): found is { recordType: string; content: RecordContent } => found.content !== null);

function recordOf({
  recordType,
  content: { value, strings, priority },
}: {
  recordType: string;
  content: RecordContent;
}) {
  return { recordType, name: "host", value, strings, ttl: 3600, priority, proxied: false } satisfies RecordData;
}

const record = stored.map(recordOf);
const neighbor: RecordData = { ...recordOf({ recordType: "A", content: unreadContent("192.0.2.1") }), name: "zz" };

/** A text that somebody wrote in one pair of quotes, as a provider or a file has it. */
const longText = recordOf({
  recordType: "TXT",
  content: canonicalRdata("TXT", `"v=DKIM1; k=rsa; p=${"A".repeat(392)}"`) ?? unreadContent(""),
});

/** Octets that are not text, in a field of a type other than TXT. */
const octetNaptr = recordOf({
  recordType: "NAPTR",
  content: canonicalRdata("NAPTR", String.raw`10 10 "S" "\255x" "!^.*$!a!" .`) ?? unreadContent(""),
});

function nameServerOf(name: string): RecordData {
  return { ...recordOf({ recordType: "NS", content: unreadContent("ns1.example.net") }), name };
}

/** One at each name. Sent as one set of changes: a call for each would take seconds. */
const manyRecords = [longText, octetNaptr, ...fc.sample(record, 150)].map(renamed);

function renamed(one: RecordData, index: number): RecordData {
  return { ...one, name: `r${index}` };
}

const now = () => new Date();

/** The kinds whose writers are tried whole, against their vendors' simulated APIs. */
const simulated = [
  ...recordDialects.map((dialect) => [dialect.kind, () => startRecordVendor(dialect)] as const),
  ...rrsetDialects.map((dialect) => [dialect.kind, () => startRrsetVendor(dialect)] as const),
];

/** The writer of each kind, and, if the kind keeps every value, the reader of what it writes. */
const adapters: Record<
  string,
  { write: (one: RecordData) => unknown; read?: (one: RecordData) => Pick<RecordContent, "value" | "strings"> }
> = {
  primary: { write: encode, read: decode },
  rfc2136: { write: tryEncode },
  cloudflare: { write: (one) => bodyOf(zone, one) },
  route53: {
    write: ({ recordType, value, strings }) => printValue(recordType, value, strings),
    read: ({ recordType, value, strings }) => readValue(recordType, printValue(recordType, value, strings) ?? ""),
  },
  powerdns: { write: printedRdata, read: (one) => canonicalContent(one.recordType, printedRdata(one)) },
  digitalocean: { write: writeRecord },
  alidns: { write: alidnsParameters },
  dnspod: { write: dnspodParameters },
};

function encode({ recordType, value, strings }: RecordData): Buffer {
  return writeRdata(recordType, value, strings);
}

function followsGrammar({ recordType, value, strings }: RecordData): boolean {
  const [line, ...others] = logicalLines(ruleFor(recordType).print(value, strings));
  if (line?.kind !== "line" || others.length > 0) return false;
  const read = readData(recordType, line.fields, "");
  return read.ok && read.value.value === value && sameStrings(read.value.strings ?? null, strings);
}

/** Its plan refuses what cannot be encoded, by the same call. */
function tryEncode(one: RecordData): unknown {
  const primary = kindByName("primary");
  return primary?.unsupportedReason?.(one) ? null : encode(one);
}

function decode(one: RecordData): Pick<RecordContent, "value" | "strings"> {
  const octets = encode(one);
  const { value, strings = null } = readRdata(octets, one.recordType, 0, octets.length);
  return { value, strings };
}

function contentOf({ value, strings }: Pick<RecordContent, "value" | "strings">) {
  return { value, strings };
}

describe("whatever is stored can be written", () => {
  test("a zone file can be printed with any stored record, and read again with all others in it", () => {
    const soa = initialSoa(zone, new Date());
    fc.assert(
      fc.property(record, (one) => {
        const printed = printZoneFile({ zone, soa, records: [one, neighbor] });
        const parsed = parseZoneFile(printed, { zone, keepBadData: true });
        // The line of a value that its type cannot have is refused, and no other.
        expect(parsed.ok ? parsed.records : [neighbor]).toContainEqual(neighbor);
        expect(parsed.ok ? [] : parsed.errors.slice(1)).toEqual([]);
      }),
      { numRuns: 500, examples: [[longText]] },
    );
  });

  test("a zone file has every record that follows its type's grammar, unchanged", () => {
    const soa = initialSoa(zone, new Date());
    fc.assert(
      fc.property(record, (one) => {
        fc.pre(followsGrammar(one));
        const printed = printZoneFile({ zone, soa, records: [one, neighbor] });
        const parsed = parseZoneFile(printed, { zone, keepBadData: true });
        expect(parsed.ok ? parsed.records : parsed.errors).toContainEqual(one);
      }),
      { numRuns: 500, examples: [[longText]] },
    );
  });

  test.each(Object.entries(adapters))("%s can be sent every record that it is not said to refuse", (name, adapter) => {
    const kind = kindByName(name);
    if (!kind) throw new Error(`There is no provider kind ${name}.`);
    fc.assert(
      fc.property(record, (one) => {
        fc.pre(limitIssues(one, kind, zone).length === 0);
        adapter.write(one);
        const again = adapter.read && followsGrammar(one) ? adapter.read(one) : one;
        expect(contentOf(again)).toEqual(contentOf(one));
      }),
      { numRuns: 250, examples: [[longText]] },
    );
  });

  test.each(simulated)("%s stores every record that it is not said to refuse", async (name, start) => {
    const kind = knownKind(name);
    const server = await start();
    const egress = createEgress({ allow: ["127.0.0.1"], now });
    const accounts = new VendorAccounts({ now, pause: () => Promise.resolve() });
    const provider = kind.connect?.(kind.configSchema.parse(server.config), {
      zonesFolder: "/nowhere",
      now,
      egress,
      accounts,
    });
    if (!provider) throw new Error(`${name} has no back end`);
    try {
      server.store.addZone(zone);
      const kindThere = await kindOfZone({ providerZone: zone, kind, provider }, []);
      const sent = manyRecords.filter((one) => limitIssues(one, kindThere, zone).length === 0);
      const delegations = sent.filter(({ recordType }) => recordType === "DS").map(({ name }) => nameServerOf(name));
      const { outcomes } = await provider.applyChanges(zone, [...sent, ...delegations].map(create), { atomic: false });
      const held = new Map((await readAll(provider, zone)).map((one) => [`${one.name} ${one.recordType}`, one]));
      // A vendor may refuse what nobody can read, and the root as a target, and says so of that record alone.
      const readable = sent
        .map((one, index) => ({ one, outcome: outcomes[index] }))
        .filter(({ one }) => followsGrammar(one) && one.value !== ".");
      expect(readable).not.toEqual([]);
      expect(readable.filter(({ outcome }) => !outcome?.ok)).toEqual([]);
      const again = readable.map(({ one: { name, recordType } }) => held.get(`${name} ${recordType}`));
      expect(again.map((one) => one && contentOf(one))).toEqual(readable.map(({ one }) => contentOf(one)));
    } finally {
      await egress.close();
      await server.stop();
    }
  });

  test("no kind of provider is left out", () => {
    const tried = [...Object.keys(adapters), ...simulated.map(([name]) => name)];
    // A zone file is a test of its own, and nothing is sent by hand.
    expect([...tried, "zonefile", "manual"].toSorted()).toEqual(providerKinds.map(({ kind }) => kind).toSorted());
  });
});
