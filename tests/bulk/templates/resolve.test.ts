import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noNotes, textKey, type LiveRecord } from "../../../server/dns/record.ts";
import { expandTemplate } from "../../../server/bulk/templates/applying/expand.ts";
import { resolve, type Situation, type WrittenRecord } from "../../../server/bulk/templates/applying/resolve.ts";
import type { TemplateRecord } from "../../../server/bulk/templates/form/template.ts";

/** A live record from `name type value`. */
function live(line: string, more: Partial<LiveRecord> = {}): LiveRecord {
  const [name = "", recordType = "", ...value] = line.split(" ");
  const at = new Date(0);
  const fields = { strings: null, ttl: 3600, priority: null, proxied: false, version: 1, ...noNotes };
  return {
    id: line,
    recordType,
    name,
    value: value.join(" "),
    status: "active",
    createdAt: at,
    updatedAt: at,
    ...fields,
    ...more,
  };
}

/** What a template wrote, from `name type value`. */
function written(line: string, more: Partial<WrittenRecord> = {}): WrittenRecord {
  const { name, recordType: type, value } = live(line);
  return { type, name, value, group: null, essential: "Always", ...more };
}

interface At extends Partial<Omit<Situation, "live">> {
  host?: string;
  live?: (string | LiveRecord)[];
}

function resolved(records: TemplateRecord[], { host = "@", live: lines = [], ...situation }: At = {}) {
  const template = { providerId: "p", providerName: "P", serviceId: "s", serviceName: "S", records };
  const expanded = expandTemplate(template, {
    zone: "example.com",
    host,
    variables: {},
    groups: null,
    apexAlias: "ALIAS",
  });
  const present = lines.map((line) => (typeof line === "string" ? live(line) : line));
  return resolve(expanded, { live: present, mayDelete: () => true, ttlAt: (ttl) => ttl, ...situation });
}

/** The deleted records. */
function gone(...args: Parameters<typeof resolved>): string[] {
  return resolved(...args)
    .conflicts.map(({ record }) => record.id)
    .toSorted();
}

const a = (host: string): TemplateRecord => ({ type: "A", host, pointsTo: "192.0.2.1" });
const aaaa: TemplateRecord = { type: "AAAA", host: "x", pointsTo: "2001:db8::1" };
const mx: TemplateRecord = { type: "MX", host: "x", pointsTo: "mx.example.net", priority: 10 };
const txt = (more: Partial<TemplateRecord> = {}): TemplateRecord => ({ type: "TXT", host: "x", data: "new", ...more });
const ns: TemplateRecord = { type: "NS", host: "x", pointsTo: "ns.example.net" };
const spfm: TemplateRecord = { type: "SPFM", host: "x", spfRules: "include:new.example" };

/** One record of each type at x, around it, and at the apex. */
const everything = [
  "x A 192.0.2.9",
  "x AAAA 2001:db8::9",
  "x MX 10 old.example.net",
  "x TXT old",
  "x TXT v=spf1 a ~all",
  "x CAA 0 issue ca.example",
  "x SRV 0 0 1 old.example.net",
  "a.x A 192.0.2.9",
  "ax A 192.0.2.9",
  "@ A 192.0.2.9",
  "@ NS ns1.example.net",
  "@ SOA data",
];

describe("conflicts at a host", () => {
  test.each<[promise: string, record: TemplateRecord, gone: string[]]>([
    ["A replaces A and AAAA", a("x"), ["x A 192.0.2.9", "x AAAA 2001:db8::9"]],
    ["AAAA replaces A and AAAA", aaaa, ["x A 192.0.2.9", "x AAAA 2001:db8::9"]],
    ["MX replaces MX", mx, ["x MX 10 old.example.net"]],
    ["TXT replaces nothing by default", txt(), []],
    ["TXT with None replaces nothing", txt({ txtConflictMatchingMode: "None" }), []],
    ["TXT with All replaces every text", txt({ txtConflictMatchingMode: "All" }), ["x TXT old", "x TXT v=spf1 a ~all"]],
    [
      "TXT with Prefix replaces texts that begin so",
      txt({ txtConflictMatchingMode: "Prefix", txtConflictMatchingPrefix: "ol" }),
      ["x TXT old"],
    ],
    ["a prefix counts capitals", txt({ txtConflictMatchingMode: "Prefix", txtConflictMatchingPrefix: "OL" }), []],
    ["Prefix without a prefix replaces nothing", txt({ txtConflictMatchingMode: "Prefix" }), []],
    ["an unknown mode replaces nothing", txt({ txtConflictMatchingMode: "Some" }), []],
    ["CAA replaces nothing", { type: "CAA", host: "x", data: "0 issue b.example" }, []],
    ["CNAME replaces everything", { type: "CNAME", host: "x", pointsTo: "t.example.net" }, everything.slice(0, 7)],
    ["NS replaces everything at and below", ns, everything.slice(0, 8)],
    ["SPFM replaces nothing", spfm, []],
  ])("%s", (_promise, record, expected) => {
    expect(gone([record], { live: everything })).toEqual(expected.toSorted());
  });

  test("SRV replaces SRV of the same service only", () => {
    const srv = {
      type: "SRV",
      name: "@",
      service: "_sip",
      protocol: "_tcp",
      priority: 0,
      weight: 0,
      port: 1,
      target: "t.example",
    };
    const present = [
      "_sip._tcp SRV 0 0 1 old.example",
      "_sip._udp SRV 0 0 1 old.example",
      "_x._tcp SRV 0 0 1 old.example",
    ];
    expect(gone([srv], { live: present })).toEqual(["_sip._tcp SRV 0 0 1 old.example"]);
  });

  test.each([
    ["A", a("x")],
    ["MX", mx],
    ["TXT", txt()],
    ["CAA", { type: "CAA", host: "x", data: "0 issue b.example" }],
    ["SPFM", spfm],
    ["NS", ns],
  ])("a CNAME goes for %s", (_type, record) => {
    expect(gone([record], { live: ["x CNAME old.example.net"] })).toEqual(["x CNAME old.example.net"]);
  });

  test("an alias at the apex replaces addresses, and leaves mail and texts", () => {
    const alias = { type: "APEXCNAME", pointsTo: "t.example.net" };
    const present = ["@ A 192.0.2.9", "@ AAAA 2001:db8::9", "@ MX 0 m.example", "@ TXT t", "@ NS ns1.example.net"];
    expect(gone([alias], { live: present })).toEqual(["@ A 192.0.2.9", "@ AAAA 2001:db8::9"]);
  });

  test("a record goes for a delegation at its name or above, but never for the zone's own name servers", () => {
    const present = ["x NS old.example.net", "b.x NS old.example.net", "y NS old.example.net", "@ NS ns1.example.net"];
    expect(gone([a("a.b.x")], { live: present })).toEqual(["b.x NS old.example.net", "x NS old.example.net"]);
  });

  test("a DS leaves the delegation that it belongs to", () => {
    const ds = { type: "DS", host: "x", data: `1 13 2 ${"ab".repeat(32)}` };
    expect(gone([ds], { live: ["x NS old.example.net"] })).toEqual([]);
  });

  test("glue and delegation of one template stand together", () => {
    const glue = { type: "A", host: "ns.x", pointsTo: "192.0.2.1" };
    expect(gone([ns, glue], { live: ["x NS ns.example.net", "ns.x A 192.0.2.1", "y.x A 192.0.2.9"] })).toEqual([
      "y.x A 192.0.2.9",
    ]);
  });

  test("records of the template stay if they are there, with their split and their proxy", () => {
    const present = [
      live("x A 192.0.2.1", { proxied: true, ttl: 1 }),
      live("x TXT new", { strings: ["ne", "w"] }),
      "x A 192.0.2.9",
    ];
    const { changes } = resolved([{ ...a("x"), ttl: 300 }, txt({ txtConflictMatchingMode: "All" })], { live: present });
    expect(changes).toEqual([{ action: "delete", recordId: "x A 192.0.2.9" }]);
  });

  test("what the caller may not delete stays", () => {
    expect(gone([a("x")], { live: everything, mayDelete: ({ recordType }) => recordType === "A" })).toEqual([
      "x A 192.0.2.9",
    ]);
  });
});

describe("TTLs", () => {
  test("an RRset gets the shortest TTL that the template states", () => {
    const { changes } = resolved(
      [
        { ...txt(), ttl: 600 },
        { ...txt({ data: "other" }), ttl: 300 },
      ],
      { live: ["x TXT new"] },
    );
    expect(changes).toMatchObject([
      { action: "update", record: { ttl: 300 } },
      { action: "create", record: { value: "other", ttl: 300 } },
    ]);
  });

  test("a TTL that the provider refuses becomes the nearest, with a warning", () => {
    const { changes, warnings } = resolved([{ ...a("x"), ttl: 1 }], { ttlAt: (ttl) => Math.max(60, ttl) });
    expect(changes).toMatchObject([{ record: { ttl: 60 } }]);
    expect(warnings).toEqual([expect.stringMatching(/TTL 1; 60/)]);
  });

  test("a TTL that the provider may have raised stays while the RRset is asked for the same, and no longer", () => {
    const asked = [{ ...txt(), ttl: 300 }, txt({ data: "other" })];
    const raised = [live("x TXT new", { ttl: 600 }), live("x TXT other", { ttl: 600 })];
    const changesAfter = (ttl: number | undefined) => {
      const previous = [written("x TXT new", { ttl }), written("x TXT other")];
      return resolved(asked, { live: raised, previous, mayBeRaised: () => true }).changes;
    };
    expect(changesAfter(300)).toEqual([]);
    for (const before of [undefined, 500])
      expect(changesAfter(before)).toMatchObject([{ record: { ttl: 300 } }, { record: { ttl: 300 } }]);
  });
});

describe("SPF", () => {
  test("rules are merged into the record that is there, which keeps its TTL", () => {
    const { changes } = resolved([{ ...spfm, ttl: 60 }], { live: ["x TXT v=spf1 a ~all", "x TXT other"] });
    expect(changes).toEqual([
      { action: "update", recordId: "x TXT v=spf1 a ~all", record: { value: "v=spf1 a include:new.example ~all" } },
    ]);
  });

  test("several SPF records become one, and a text with All leaves the merged one", () => {
    const { changes, conflicts } = resolved([spfm, txt({ txtConflictMatchingMode: "All" })], {
      live: ["x TXT v=spf1 a ~all", "x TXT v=spf1 mx ~all", "x TXT old"],
    });
    expect(changes).toContainEqual({
      action: "update",
      recordId: "x TXT v=spf1 a ~all",
      record: { value: "v=spf1 a mx include:new.example ~all" },
    });
    expect(conflicts.map(({ record }) => record.id)).toEqual(["x TXT old", "x TXT v=spf1 mx ~all"]);
  });

  test("a second SPF record, written as TXT, is warned of", () => {
    const raw = txt({ data: "v=spf1 mx -all" });
    expect(resolved([raw], { live: ["x TXT v=spf1 a ~all"] }).warnings).toEqual([
      expect.stringMatching(/several SPF records/),
    ]);
    expect(resolved([raw]).warnings).toEqual([]);
  });
});

describe("applying a template again", () => {
  test("what it wrote before and no longer asks for goes, and nothing else", () => {
    const found = resolved([a("x")], {
      live: ["x A 192.0.2.1", "y A 192.0.2.1", "z A 192.0.2.1", "y TXT mine"],
      previous: [written("x A 192.0.2.1"), written("y A 192.0.2.1"), written("gone A 192.0.2.1")],
    });
    expect(found.changes).toEqual([{ action: "delete", recordId: "y A 192.0.2.1" }]);
    expect(found.conflicts).toMatchObject([{ index: null }]);
  });

  test("what another template wrote, too, stays", () => {
    expect(
      gone([a("x")], {
        live: ["y A 192.0.2.1"],
        previous: [written("y A 192.0.2.1")],
        others: [written("y A 192.0.2.1")],
      }),
    ).toEqual([]);
  });

  test("an SPF record that it created goes with its last rule, and another one that is left empty is warned of", () => {
    const record = "x TXT v=spf1 include:new.example ~all";
    const previous = resolved([spfm]).written;
    expect(gone([], { live: [record], previous })).toEqual([record]);
    expect(gone([], { live: ["x TXT v=spf1 include:new.example mx ~all"], previous })).toEqual([]);
    const merged = resolved([spfm], { live: ["x TXT v=spf1 ~all"] }).written;
    const left = resolved([], { live: [record], previous: merged });
    expect(left).toMatchObject({ changes: [{ action: "update", record: { value: "v=spf1 ~all" } }] });
    expect(left.warnings).toEqual([expect.stringMatching(/lets no server send mail/)]);
  });

  test("an SPF record that it created stays when it asks for the same text as TXT, also beside others", () => {
    const record = "x TXT v=spf1 include:new.example ~all";
    const previous = resolved([spfm]).written;
    const asText = txt({ data: "v=spf1 include:new.example ~all" });
    expect(resolved([asText], { live: [record], previous }).changes).toEqual([]);
    for (const live of [
      [record, "x TXT v=spf1 mx ~all"],
      ["x TXT v=spf1 mx ~all", record],
    ])
      expect(resolved([asText], { live, previous }).changes).toEqual([]);
    expect(gone([txt({ data: "v=spf1 mx ~all" })], { live: [record], previous })).toEqual([record]);
  });

  test("an SPF record that gives way to a record of the template is deleted once", () => {
    const previous = resolved([spfm]).written;
    const alias: TemplateRecord = { type: "CNAME", host: "x", pointsTo: "t.example.net" };
    for (const record of ["x TXT v=spf1 include:new.example ~all", "x TXT v=spf1 include:new.example mx ~all"])
      for (const next of [alias, txt({ data: "v=spf1 a ~all", txtConflictMatchingMode: "All" })]) {
        const { changes } = resolved([next], { live: [record], previous });
        expect(changes).toMatchObject([{ action: "delete", recordId: record }, { action: "create" }]);
      }
  });

  test("what was there before the template stays, until another one wrote it", () => {
    const first = resolved([a("x")], { live: ["x A 192.0.2.1"] }).written;
    expect(gone([], { live: ["x A 192.0.2.1"], previous: first })).toEqual([]);
    const again = resolved([a("x")], { live: ["x A 192.0.2.1"], previous: first }).written;
    expect(gone([], { live: ["x A 192.0.2.1"], previous: again })).toEqual([]);
    const restored = resolved([a("x")], { previous: again }).written;
    expect(gone([], { live: ["x A 192.0.2.1"], previous: restored })).toEqual(["x A 192.0.2.1"]);
    const shared = resolved([a("x")], { live: ["x A 192.0.2.1"], others: restored }).written;
    expect(gone([], { live: ["x A 192.0.2.1"], previous: shared })).toEqual(["x A 192.0.2.1"]);
  });

  test("SPF rules that it no longer has go, unless another template has them", () => {
    const before = {
      type: "SPFM",
      name: "x",
      value: "include:old.example include:both.example",
      group: null,
      essential: "Always",
    } as const;
    const { changes } = resolved([spfm], {
      live: ["x TXT v=spf1 include:old.example include:both.example include:own.example ~all"],
      previous: [before],
      others: [{ ...before, value: "include:both.example" }],
    });
    expect(changes).toMatchObject([
      { record: { value: "v=spf1 include:both.example include:own.example include:new.example ~all" } },
    ]);
  });

  test("an OnApply record that was removed comes back when someone applies it, and stays away when the template changes", () => {
    const proof = txt({ essential: "OnApply" });
    const previous = [written("x TXT new", { essential: "OnApply" })];
    expect(resolved([proof], { previous }).changes).toHaveLength(1);
    expect(resolved([proof], { previous, leavesGone: true }).changes).toEqual([]);
    expect(resolved([txt()], { previous: [written("x TXT new")], leavesGone: true }).changes).toHaveLength(1);
  });

  test("what somebody put in the place of an OnApply record stays when the template changes, and goes when someone applies it", () => {
    const previous = [
      written("x CNAME t.example.net", { essential: "OnApply" }),
      written("y TXT v=spf1 a ~all", { essential: "OnApply" }),
    ];
    const alias: TemplateRecord = { type: "CNAME", host: "x", pointsTo: "t.example.net", essential: "OnApply" };
    const text = txt({ host: "y", data: "v=spf1 a ~all", essential: "OnApply", txtConflictMatchingMode: "All" });
    const at: At = { live: ["x A 192.0.2.9", "y TXT v=spf1 mx ~all"], previous };
    const followed = resolved([alias, text], { ...at, leavesGone: true });
    expect(followed).toMatchObject({ changes: [], conflicts: [], warnings: [] });
    expect(gone([alias, text], at)).toEqual(["x A 192.0.2.9", "y TXT v=spf1 mx ~all"]);
  });

  test("a record that another template needs is warned of when it gives way", () => {
    const { warnings } = resolved([a("x")], { live: ["x A 192.0.2.9"], others: [written("x A 192.0.2.9")] });
    expect(warnings).toEqual([expect.stringMatching(/another template that needs it/)]);
    const may = resolved([a("x")], {
      live: ["x A 192.0.2.9"],
      others: [written("x A 192.0.2.9", { essential: "OnApply" })],
    });
    expect(may.warnings).toEqual([]);
  });
});

test("applying a template to its own result changes nothing", () => {
  const host = fc.constantFrom("@", "x", "a.x", "y");
  const ttl = fc.constantFrom(undefined, 60, 300, "3600");
  const text = fc.constantFrom("new", "v=spf1 a -all", "old");
  const record: fc.Arbitrary<TemplateRecord> = fc.oneof(
    fc.record({ type: fc.constant("A"), host, pointsTo: fc.constantFrom("192.0.2.1", "192.0.2.2"), ttl }),
    fc.record({
      type: fc.constant("MX"),
      host,
      pointsTo: fc.constant("mx.example.net"),
      priority: fc.constantFrom(1, 2),
      ttl,
    }),
    fc.record({
      type: fc.constant("TXT"),
      host,
      data: text,
      ttl,
      txtConflictMatchingMode: fc.constantFrom("None", "All"),
    }),
    fc.record({
      type: fc.constant("CNAME"),
      host: fc.constantFrom("c", "d.x"),
      pointsTo: fc.constantFrom("@", "t.example.net"),
      ttl,
    }),
    fc.record({
      type: fc.constant("SPFM"),
      host: fc.constantFrom("x", "s"),
      spfRules: fc.constantFrom("a", "include:a.example mx"),
      ttl,
    }),
  );
  const present = fc.array(
    fc.constantFrom(...everything, "c A 192.0.2.9", "s TXT v=spf1 -all", "a.x CNAME old.example"),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(fc.array(record, { maxLength: 6 }), present, (records, before) => {
      const start = [...new Set(before)].map((line) => live(line));
      const once = resolved(records, { live: start });
      const zone = new Map(start.map((one) => [one.id, one]));
      const aligned: LiveRecord[] = [];
      for (const [index, change] of once.changes.entries()) {
        if (change.action === "delete") zone.delete(change.recordId);
        else if (change.action === "update") {
          const old = zone.get(change.recordId);
          if (!old) throw new Error("The template changes a record that it deletes.");
          const after = { ...old, value: change.record.value ?? old.value, ttl: change.record.ttl ?? old.ttl };
          zone.set(old.id, after);
          if (change.record.ttl !== undefined) aligned.push(after);
        } else {
          const { recordType, name, value = "", ttl = 3600 } = change.record;
          const made = live(`${name} ${recordType} ${value}`, { id: `new ${index}`, ttl });
          zone.set(made.id, made);
          if (change.record.ttl !== undefined) aligned.push(made);
        }
      }
      // An RRset has one TTL: the last that was written.
      for (const { name, recordType, ttl: last } of aligned)
        for (const [id, one] of zone)
          if (one.name === name && one.recordType === recordType) zone.set(id, { ...one, ttl: last });
      expect(new Set([...zone.values()].map(textKey)).size).toBe(zone.size);
      expect(resolved(records, { live: [...zone.values()] }).changes).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
