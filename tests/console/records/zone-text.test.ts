import type { DnsRecord } from "@zonewright/client";
import { describe, expect, test } from "vitest";
import { changesOf, emptyDraft, fieldsOf, type Draft, type Fields } from "../../../web/src/zone/draft/draft.ts";
import { compared, namingNew, textOf } from "../../../web/src/records/text/compare.ts";
import { listedRecord } from "./listed-record.ts";

/** A zone printed for people who edit it, and what their text makes of it. */

const zone = "example.com";
const { signal } = new AbortController();

const records: DnsRecord[] = [
  listedRecord("ns", { recordType: "NS", name: "@", value: "ns1.example.net" }),
  listedRecord("mx", { recordType: "MX", name: "@", value: "10 Mail.example.net", comment: "the old one" }),
  listedRecord("www"),
  listedRecord("Upper", { value: "192.0.2.2" }),
  listedRecord("star", { name: "*.shop" }),
  listedRecord("off", { status: "disabled" }),
  listedRecord("alias", { recordType: "ALIAS", value: "www.example.org" }),
  listedRecord("text", { recordType: "TXT", value: `${'a; "b" '.repeat(40)}end` }),
  listedRecord("split", { recordType: "TXT", value: "onetwo", strings: ["one", "two"] }),
  listedRecord("caa", { recordType: "CAA", value: "0 issue letsencrypt.org" }),
  listedRecord("srv", { recordType: "SRV", name: "_sip._tcp", value: "10 20 5060 sip.example.net" }),
  listedRecord("https", { recordType: "HTTPS", value: "1 . alpn=h2,h3" }),
  listedRecord("unknown", { recordType: "TYPE65280", value: "\\# 2 0102" }),
  listedRecord("bad", { recordType: "SSHFP", value: 'an open " quote' }),
  listedRecord("signed", { recordType: "DNSKEY", name: "@", value: "256 3 13 AA==", serverManaged: true }),
];

interface Options {
  draft?: Draft;
  /** The draft that the text began with, if it is not the present one. */
  base?: Draft;
  present?: readonly DnsRecord[] | null;
  of?: readonly DnsRecord[];
}

async function compare(text: string, { draft = emptyDraft, base = draft, present = null, of = records }: Options = {}) {
  const options = { zone, records: of, present, base, draft, edits: () => true, unlocks: true, naming: namingNew() };
  const found = await compared(text, options, signal);
  if (!found.ok) throw new Error(found.errors.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  return found;
}

const print = async (of: readonly DnsRecord[] = records, draft = emptyDraft) => await textOf(zone, of, draft, signal);

test("a zone that is printed and not edited has no changes, whatever its records are", async () => {
  const { draft, refused } = await compare(await print());
  expect({ draft: changesOf(draft), refused }).toEqual({ draft: [], refused: [] });
});

test("a record that a zone file cannot hold is not deleted by a text without it", async () => {
  const { draft } = await compare("www 300 A 192.0.2.1\n");
  const deleted = draft.edits.map(({ key }) => key);
  expect(deleted).not.toContain("bad");
  expect(deleted).not.toContain("alias");
  expect(deleted).not.toContain("signed");
  // A text of others says nothing of disabled records.
  expect(deleted).not.toContain("off");
  expect(deleted).toContain("mx");
});

test("a line of a disabled record that goes deletes it, and one without its mark enables it", async () => {
  const text = await print();
  const gone = await compare(text.replace(/^; disabled: off.*\n/m, ""));
  expect(changesOf(gone.draft)).toEqual([{ action: "delete", recordId: "off" }]);
  const enabled = await compare(text.replace("; disabled: off", "off"));
  expect(changesOf(enabled.draft)).toEqual([{ action: "update", recordId: "off", record: { status: "active" } }]);
  const disabled = await compare(text.replace(/^www/m, "; disabled: www"));
  expect(changesOf(disabled.draft)).toEqual([{ action: "update", recordId: "www", record: { status: "disabled" } }]);
});

test("a proxied record that gets another name or value stays proxied", async () => {
  const of = [listedRecord("www", { proxied: true, ttl: 1 }), listedRecord("direct", { value: "192.0.2.2" })];
  const text = await print(of);
  const renamed = await compare(text.replace(/^www/m, "web"), { of });
  expect(changesOf(renamed.draft)).toMatchObject([
    { action: "delete", recordId: "www" },
    { action: "create", record: { name: "web", ttl: 1, proxied: true } },
  ]);
  const moved = await compare(text.replace("192.0.2.1", "192.0.2.9"), { of });
  expect(changesOf(moved.draft)).toEqual([{ action: "update", recordId: "www", record: { value: "192.0.2.9" } }]);
});

test("another value is a change of the same record, which keeps its note", async () => {
  const { draft, lines } = await compare((await print()).replace("10 Mail.example.net.", "20 mx.example.net."));
  expect(changesOf(draft)).toEqual([{ action: "update", recordId: "mx", record: { value: "20 mx.example.net" } }]);
  expect(lines.get("mx")).toBe(5);
});

test("a text with the edits of a draft keeps them, and one without them takes them back", async () => {
  const started = await compare(`${await print()}new 300 A 192.0.2.9\n`.replace(/^www .*\n/m, ""));
  const printed = await print(records, started.draft);
  expect(printed).toMatch(/^new /m);
  expect(printed).not.toMatch(/^www /m);
  const kept = await compare(printed, { draft: started.draft });
  expect(changesOf(kept.draft)).toEqual(changesOf(started.draft));
  const back = await compare(await print(), { draft: started.draft });
  expect(back.draft.edits).toEqual([]);
});

describe("a draft that was edited elsewhere while somebody typed", () => {
  const fields: Fields = { recordType: "A", name: "new", value: "192.0.2.9", strings: null, ttl: 300, comment: null };
  const www = listedRecord("www");
  const newRecord: Draft = { edits: [{ kind: "create", key: "new:1", fields }] };
  const changed: Draft = {
    edits: [{ kind: "update", key: "www", before: www, fields: { ...fieldsOf(www), value: "192.0.2.3" } }],
  };

  test("keeps its own edits, and gets what was typed", async () => {
    const draft: Draft = { edits: [...newRecord.edits, { kind: "delete", key: "star", before: listedRecord("star") }] };
    const typed = await compare(`${await print()}shop 300 A 192.0.2.7\n`, { base: emptyDraft, draft });
    expect(typed.draft.edits.slice(0, 2)).toEqual(draft.edits);
    expect(changesOf(typed.draft).slice(2)).toMatchObject([{ action: "create", record: { name: "shop" } }]);
  });

  test("that was discarded does not return, except for what was typed on it", async () => {
    const base: Draft = { edits: [...newRecord.edits, ...changed.edits] };
    const text = `${await print(records, base)}shop 300 A 192.0.2.7\n`;
    const typed = await compare(text, { base, draft: emptyDraft });
    expect(changesOf(typed.draft)).toMatchObject([{ action: "create", record: { name: "shop" } }]);
    const again = await compare(text.replace("192.0.2.9", "192.0.2.99"), { base, draft: emptyDraft });
    expect(changesOf(again.draft)).toMatchObject([
      { action: "create", record: { name: "new", value: "192.0.2.99" } },
      { action: "create", record: { name: "shop" } },
    ]);
  });

  test("keeps the fields that the text leaves alone", async () => {
    const draft: Draft = {
      edits: [{ kind: "update", key: "www", before: www, fields: { ...fieldsOf(www), ttl: 7200 } }],
    };
    const text = (await print(records, changed)).replace("192.0.2.3", "192.0.2.4");
    const typed = await compare(text, { base: changed, draft });
    expect(changesOf(typed.draft)).toEqual([
      { action: "update", recordId: "www", record: { value: "192.0.2.4", ttl: 7200 } },
    ]);
  });

  test("has nothing twice that was typed as well, and nothing returns that both deleted", async () => {
    const draft: Draft = { edits: [...newRecord.edits, { kind: "delete", key: "star", before: listedRecord("star") }] };
    const text = `${await print()}new 300 A 192.0.2.9\n`.replace(/^\*\.shop .*\n/m, "");
    const typed = await compare(text, { base: emptyDraft, draft });
    expect(typed.draft.edits).toEqual(draft.edits);
    expect(typed.lines.has("new:1")).toBe(true);
  });
});

test("what others made in the same way is no change any more", async () => {
  const text = `${await print()}new 300 A 192.0.2.9\n`.replace(/^www .*192.*\n/m, "").replace("10 Mail", "20 Mail");
  const present = [
    ...records.filter(({ id }) => id !== "www" && id !== "mx"),
    listedRecord("theirs", { name: "new", value: "192.0.2.9" }),
    listedRecord("mx", { ...records[1], value: "20 Mail.example.net" }),
  ];
  const { draft } = await compare(text, { present });
  expect(changesOf(draft)).toEqual([]);
});

test("a new record has the same key each time the text is read, but not that of another edit", async () => {
  const naming = namingNew();
  const options = { zone, records, present: null, edits: () => true, unlocks: true, naming };
  const text = `${await print()}new 300 A 192.0.2.9\n`;
  const one = await compared(text, { ...options, base: emptyDraft, draft: emptyDraft }, signal);
  const two = await compared(text, { ...options, base: emptyDraft, draft: emptyDraft }, signal);
  if (!one.ok || !two.ok) throw new Error("unreadable");
  expect(two.draft).toEqual(one.draft);
  const [edit] = one.draft.edits;
  if (edit?.kind !== "create") throw new Error("no new record");
  const edited: Draft = { edits: [{ ...edit, fields: { ...edit.fields, name: "other" } }] };
  const three = await compared(`${text}other 300 A 192.0.2.9\n`, { ...options, base: edited, draft: edited }, signal);
  if (!three.ok) throw new Error("unreadable");
  expect(new Set(three.draft.edits.map(({ key }) => key)).size).toBe(2);
});
