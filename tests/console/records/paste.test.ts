import { expect, test } from "vitest";
import { changesOf, emptyDraft, fieldsOf, toggleDelete, type Draft } from "../../../web/src/zone/draft/draft.ts";
import { allRows } from "../../../web/src/records/grid/rows.ts";
import { merged, withPasted, type PastedChange } from "../../../web/src/records/paste/merge.ts";
import { decoded } from "../../../server/dns/formats/decoded.ts";
import { inSlices, lineAt, readText, type AtProvider } from "../../../web/src/records/paste/read.ts";
import { listedRecord } from "./listed-record.ts";

/** What a pasted text becomes in a draft: read by the service's readers, compared with the zone, and never by surprise. */

const zone = "example.com";
/** How Cloudflare's zones read a text. */
const cloudflare = { defaultTtl: 3600, automaticTtl: 1, supportsProxied: true };
const whole: Parameters<typeof merged>[3] = { replace: false, edits: () => true, unlocks: true };
const { signal } = new AbortController();

async function paste(
  text: string,
  records: Parameters<typeof allRows>[0] = [],
  {
    draft = emptyDraft,
    provider = {},
    ...options
  }: Partial<typeof whole> & { draft?: Draft; provider?: AtProvider } = {},
) {
  const read = await readText(text, { zone, format: "auto", lenient: false, provider }, signal);
  if (!read.ok) throw new Error(read.errors.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  const rows = allRows(records, draft);
  const result = await inSlices(merged(read.records, read.disabled, rows, { ...whole, ...options }), signal);
  const ticked = result.changes.filter(({ isTicked }) => isTicked);
  return { ...read, ...result, draft: withPasted(draft, ticked) };
}

const shown = ({ kind, fields }: PastedChange) => `${kind} ${fields.name} ${fields.recordType} ${fields.value}`;

test.each([
  ["zonefile", "www 300 IN A 192.0.2.1"],
  ["dig", ";; ANSWER SECTION:\nwww.example.com.\t300\tIN\tA\t192.0.2.1"],
  ["octodns", "www:\n  type: A\n  ttl: 300\n  value: 192.0.2.1\n"],
  ["csv", "name,type,ttl,value\nwww,A,300,192.0.2.1\n"],
  ["tsv", "name\ttype\tttl\tvalue\nwww\tA\t300\t192.0.2.1\n"],
  [
    "terraform",
    'resource "aws_route53_record" "www" {\n  name = "www.example.com"\n  type = "A"\n  ttl = 300\n  records = ["192.0.2.1"]\n}',
  ],
])("a text in the format %s is recognized, and its record is a new one of the draft", async (format, text) => {
  const pasted = await paste(text);
  expect(pasted.format).toBe(format);
  expect(changesOf(pasted.draft)).toEqual([
    {
      action: "create",
      record: { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300, comment: null },
    },
  ]);
});

test("what the zone has already changes nothing, whatever the case of its names", async () => {
  const records = [listedRecord("WWW"), listedRecord("mail", { recordType: "CNAME", value: "Mail.Example.net" })];
  const { changes, same } = await paste("www 300 A 192.0.2.1\nmail 300 CNAME mail.example.NET.", records);
  expect({ changes, same }).toEqual({ changes: [], same: 2 });
});

test("a record with another TTL is a change of that record", async () => {
  const { draft } = await paste("www 600 A 192.0.2.1", [listedRecord("www")]);
  expect(changesOf(draft)).toEqual([{ action: "update", recordId: "www", record: { ttl: 600 } }]);
});

test("Cloudflare's own export keeps the proxy and the automatic TTL at Cloudflare, and is warned of elsewhere", async () => {
  const text = "shop.example.com.\t1\tIN\tA\t192.0.2.8 ; cf_tags=cf-proxied:true\n";
  const there = await paste(text, [], { provider: cloudflare });
  expect(changesOf(there.draft)).toMatchObject([{ action: "create", record: { ttl: 1, proxied: true } }]);
  expect(there.warnings).toEqual([]);
  const elsewhere = await paste(text);
  expect(changesOf(elsewhere.draft)).not.toMatchObject([{ record: { proxied: true } }]);
  expect(elsewhere.warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining("becomes public"));
});

test("a text that does not speak of proxies leaves them on, and one that does sets them", async () => {
  const records = [
    listedRecord("www", { proxied: true, ttl: 1 }),
    listedRecord("bare", { ttl: 1 }),
    listedRecord("api", { proxied: true, ttl: 1 }),
  ];
  const of = async (text: string, replace = false) =>
    changesOf((await paste(text, records, { provider: cloudflare, replace })).draft);
  expect(await of("www 300 A 192.0.2.1\n")).toEqual([]);
  // A new address beside a proxied one must not show where the others are.
  expect(await of("www 300 A 192.0.2.9\n")).toMatchObject([{ action: "create", record: { ttl: 1, proxied: true } }]);
  expect(await of("www 300 A 192.0.2.9\n", true)).toEqual([
    { action: "update", recordId: "www", record: { value: "192.0.2.9" } },
  ]);
  expect(await of("www 1 A 192.0.2.1 ; cf_tags=cf-proxied:false\n")).toEqual([
    { action: "update", recordId: "www", record: { proxied: false } },
  ]);
  expect(await of("bare 1 A 192.0.2.1 ; cf_tags=cf-proxied:true\n")).toEqual([
    { action: "update", recordId: "bare", record: { proxied: true } },
  ]);
});

test("pasted twice, a text is in the draft once", async () => {
  const { draft } = await paste("www 300 A 192.0.2.1");
  const again = await paste("www 300 A 192.0.2.1", [], { draft });
  expect(again.changes).toEqual([]);
  expect(again.draft).toBe(draft);
});

test("a record that the draft deletes stays if it is pasted", async () => {
  const www = listedRecord("www");
  const { draft } = await paste("www 300 A 192.0.2.1", [www], { draft: toggleDelete(emptyDraft, "www", www) });
  expect(draft.edits).toEqual([]);
});

test("records are added beside those of their name and type, or replace them one for one", async () => {
  const records = [listedRecord("1", { name: "www" }), listedRecord("2", { name: "www", value: "192.0.2.2" })];
  const text = "www 300 A 192.0.2.1\nwww 300 A 192.0.2.9\nwww 300 AAAA 2001:db8::1";
  const added = await paste(text, records);
  expect(added.changes.map(shown)).toEqual(["create www A 192.0.2.9", "create www AAAA 2001:db8::1"]);
  const replaced = await paste(text, records, { replace: true });
  expect(replaced.changes.map(shown)).toEqual(["update www A 192.0.2.9", "create www AAAA 2001:db8::1"]);
  expect(changesOf(replaced.draft)[0]).toEqual({ action: "update", recordId: "2", record: { value: "192.0.2.9" } });
  const fewer = await paste("www 300 A 192.0.2.9", records, { replace: true });
  expect(fewer.changes.map(shown)).toEqual(["update www A 192.0.2.9", "delete www A 192.0.2.2"]);
});

test("what a text deletes stays deleted if another tab deleted it meanwhile", async () => {
  const records = [listedRecord("1", { name: "www" }), listedRecord("2", { name: "www", value: "192.0.2.2" })];
  const { changes } = await paste("www 300 A 192.0.2.1", records, { replace: true });
  expect(changes.map(shown)).toEqual(["delete www A 192.0.2.2"]);
  const elsewhere = toggleDelete(emptyDraft, "2", records[1] ?? null);
  expect(withPasted(elsewhere, changes).edits).toMatchObject([{ kind: "delete", key: "2" }]);
});

test("the zone's own name servers, records of other people and what servers maintain are not ticked", async () => {
  const locked = listedRecord("safe", { locked: true });
  const text = [
    "@ 300 SOA ns1.example.net. host.example.net. 1 2 3 4 5",
    "@ 300 NS ns1.example.net.",
    "safe 600 A 192.0.2.1",
    "shop 300 A 192.0.2.3",
    "www 300 A 192.0.2.3",
    "@ 300 NSEC www.example.com. A",
  ].join("\n");
  const { changes, soa, draft } = await paste(text, [locked], {
    edits: ({ name }) => name !== "shop",
    unlocks: false,
  });
  expect(soa).not.toBeNull();
  expect(changes.map((change) => `${change.fields.name} ${change.fields.recordType} ${change.refusal}`)).toEqual([
    "@ NS null",
    "safe A locked",
    "shop A rights",
    "www A null",
    "@ NSEC type",
  ]);
  expect(changesOf(draft).map((change) => change.action)).toEqual(["create"]);
});

test("an active record enables the disabled one of the zone; a disabled one leaves the active one alone", async () => {
  const off = listedRecord("off", { status: "disabled" });
  const { draft } = await paste("off 300 A 192.0.2.1", [off]);
  expect(changesOf(draft)).toEqual([{ action: "update", recordId: "off", record: { status: "active" } }]);
  expect(fieldsOf(off).disabled).toBe(true);
});

test("errors name their lines, and a text of no format is explained instead of being read halfway", async () => {
  const text = "www 300 IN A 192.0.2.1\nwww 300 IN A 192.0.2.999\n";
  const read = await readText(text, { zone, format: "auto", lenient: false }, signal);
  if (read.ok) throw new Error("It was read.");
  expect(read.errors.map(({ line }) => line)).toEqual([2]);
  expect(lineAt(text, 2)).toBe("www 300 IN A 192.0.2.999");
  const json = await readText('[{"type": "A"}]', { zone, format: "auto", lenient: false }, signal);
  expect(json).toMatchObject({ ok: false, errors: [{ line: 1, message: expect.stringContaining("This is JSON") }] });
});

test.each([
  ["UTF-8", [0x63, 0x61, 0x66, 0xc3, 0xa9], { ok: true, text: "café", isLatin1: false }],
  ["Latin-1", [0x63, 0x61, 0x66, 0xe9], { ok: true, text: "café", isLatin1: true }],
  ["UTF-16", [0xff, 0xfe, 0x63, 0x00, 0xe9, 0x00], { ok: true, text: "cé", isLatin1: false }],
  ["no text", [0x50, 0x4b, 0x03, 0x04, 0x00], { ok: false, why: "notText" }],
])("a file in %s is decoded without losing a character, or refused", (_, octets, expected) => {
  expect(decoded(Uint8Array.from(octets))).toEqual(expected);
});

test.each([
  ["one endless line", "a".repeat(5_000_000)],
  ["quotes that never end", `www 300 TXT "${"x\n".repeat(2_500_000)}`],
  ["parentheses", "(".repeat(5_000_000)],
  ["markup", "<html>".repeat(800_000)],
  ["commas", ",".repeat(5_000_000)],
  ["lines", "\n".repeat(5_000_000)],
])("5 MB of %s are read without a record, or get an error with its line", async (_, text) => {
  const read = await readText(text, { zone, format: "auto", lenient: false }, signal);
  expect(read.ok ? read.records : []).toEqual([]);
  const errors = read.ok ? [] : read.errors.slice(0, 1);
  expect(errors.filter(({ line, message }) => typeof line !== "number" || !message.endsWith("."))).toEqual([]);
});
