import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { zoneId } from "../../../../server/dns-providers/powerdns/client.ts";
import { noNotes, recordKey, type LiveRecord } from "../../../../server/dns/record.ts";
import type { AppError } from "../../../../server/platform/errors.ts";
import { atOnce } from "../../../../server/platform/slices.ts";
import { rrsetEdits } from "../../../../server/dns-service/update-clients/powerdns-api/zones.ts";
import { statusOf, withinContent } from "../../../../server/dns-service/update-clients/powerdns-api/refusals.ts";
import { settingsIn } from "../../../../server/dns-service/update-clients/powerdns-api/zone-settings.ts";
import { MovedAway } from "../../../../server/zones/changes/pipeline.ts";
import { wildcardMatcher } from "../../../../server/dns-service/update-clients/powerdns-api/search.ts";
import { wantedRrsets, shownRrsets } from "../../../../server/dns-service/update-clients/powerdns-api/rrsets.ts";
import { zoneOfId } from "../../../../server/dns-service/update-clients/powerdns-api/calls.ts";

const zone = "quay.example";

let ids = 0;
function live(recordType: string, name: string, value: string, strings: string[] | null = null): LiveRecord {
  const at = new Date(0);
  const data = { recordType, name, value, strings, ttl: 300, priority: null, proxied: false };
  return { ...data, ...noNotes, id: String(++ids), version: 1, status: "active", createdAt: at, updatedAt: at };
}

const address = fc.nat(255).map((octet) => ["A", `192.0.2.${octet}`] as const);
/** A provider's proxy answers for some addresses, with a TTL of its own. */
const behindProxy = ({ recordType, value }: LiveRecord) =>
  recordType === "A" && Number(value.split(".")[3]) % 2 === 1 ? { proxied: true, ttl: 1 } : {};
const text = fc
  .string({ unit: "grapheme", maxLength: 300 })
  .filter((value) => !/\p{Cc}/u.test(value) && value.isWellFormed() && !value.startsWith("\\#"))
  .map((value) => ["TXT", value] as const);
const mail = fc.nat(65_535).map((priority) => ["MX", `${priority} mail.example.net`] as const);
const data = fc.tuple(fc.constantFrom("@", "www", "*.dev"), fc.oneof(address, text, mail));
/** Active records are distinct; a disabled one may be there beside any other. */
const records = fc
  .array(data.chain((one) => fc.tuple(fc.constant(one), fc.subarray([true, false, true], { minLength: 1 }))))
  .map((some) => {
    const each = some.flatMap(([[name, [type, value]], disabled]) =>
      disabled.map((isDisabled) => {
        const record = live(type, name, value);
        return { ...record, ...behindProxy(record), ...(isDisabled && { status: "disabled" as const }) };
      }),
    );
    const active = each.filter(({ status }) => status === "active");
    const firsts = new Map(active.toReversed().map((record) => [recordKey(record), record]));
    return each.filter((record) => record.status === "disabled" || firsts.get(recordKey(record)) === record);
  });

const stateOf = ({ value, status }: Pick<LiveRecord, "value" | "status">) => ({ value, status });
const texts = (states: readonly object[]) => states.map((state) => JSON.stringify(state)).toSorted();

function sent(shown: readonly object[]): unknown {
  return JSON.parse(JSON.stringify(shown.map((rrset) => ({ ...rrset, changetype: "Replace" }))));
}

function replacement(type: string, content: string): unknown {
  return [{ name: "x.quay.example.", type, changetype: "REPLACE", ttl: 300, records: [{ content }] }];
}

function actions(type: string, content: string, before: string): string[] {
  const wanted = atOnce(wantedRrsets(replacement(type, content), zone, true));
  return atOnce(rrsetEdits(wanted, [live(type, "x", before)])).map(({ edit }) => edit.action);
}

const eachAlone = (changetype: string, contents: readonly string[]) =>
  contents.map((content) => ({ name: "x.quay.example.", type: "A", changetype, ttl: 300, records: [{ content }] }));
const together = (contents: readonly string[]) => [
  {
    name: "x.quay.example.",
    type: "A",
    changetype: "REPLACE",
    ttl: 300,
    records: contents.map((content) => ({ content })),
  },
];

describe("mapping", () => {
  test.each([
    ["replaces its records by others", together, "192.0.3"],
    ["sends its records again", together, "192.0.2"],
    ["adds records to it one by one", (contents: readonly string[]) => eachAlone("EXTEND", contents), "192.0.3"],
    ["removes its records one by one", (contents: readonly string[]) => eachAlone("PRUNE", contents), "192.0.2"],
  ])("a call that %s reads few of a large RRset's records in each step", (_, changes, network) => {
    let reads = 0;
    const counted = <Some extends { value: string }>(record: Some): Some => {
      const { value } = record;
      return Object.defineProperty(record, "value", { enumerable: true, get: () => (reads++, value) });
    };
    const octets = Array.from({ length: 250 }, (_each, index) => index);
    const present = octets.map((octet) => counted(live("A", "x", `192.0.2.${octet}`)));
    const wanted = atOnce(wantedRrsets(changes(octets.map((octet) => `${network}.${octet}`)), zone, true));
    for (const rrset of wanted) {
      for (const some of [rrset.records ?? [], rrset.added, rrset.removed]) some.forEach(counted);
    }
    let most = 0;
    const steps = rrsetEdits(wanted, present);
    for (let isDone = false; !isDone; most = Math.max(most, reads)) {
      reads = 0;
      isDone = steps.next().done === true;
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10);
  });

  test("an RRset that is sent back as it is shown changes nothing", () => {
    fc.assert(
      fc.property(records, (present) => {
        const shown = atOnce(shownRrsets(zone, present));
        const wanted = atOnce(wantedRrsets(sent(shown), zone, true));
        expect(atOnce(rrsetEdits(wanted, present))).toEqual([]);
      }),
    );
  });

  test("what was shown of one state leads from any other state to it", () => {
    fc.assert(
      fc.property(records, records, (target, present) => {
        const wanted = atOnce(wantedRrsets(sent(atOnce(shownRrsets(zone, target))), zone, true));
        const touched = new Set(wanted.map(({ name, recordType }) => `${name} ${recordType}`));
        const after = new Map(present.map((record) => [record.id, stateOf(record)]));
        for (const { edit } of atOnce(rrsetEdits(wanted, present))) {
          if (edit.action === "delete") after.delete(edit.recordId);
          else {
            const id = edit.action === "update" ? edit.recordId : `new ${++ids}`;
            const before = after.get(id) ?? { value: "", status: "active" };
            const { value = before.value, status = before.status } = edit.action === "update" ? edit.patch : edit.input;
            after.set(id, { value, status });
          }
        }
        const untouched = present.filter(({ name, recordType }) => !touched.has(`${name} ${recordType}`));
        expect(texts([...after.values()])).toEqual(texts([...target, ...untouched].map(stateOf)));
      }),
    );
  });

  test("if a call deletes and replaces the same RRset, the later entry counts", () => {
    const name = "www.quay.example.";
    const [gone, put] = [
      { name, type: "A", changetype: "DELETE" },
      { name, type: "A", changetype: "REPLACE", ttl: 60, records: [{ content: "192.0.2.1" }] },
    ];
    expect(atOnce(wantedRrsets([gone, put], zone, true))[0]?.records).toHaveLength(1);
    expect(atOnce(wantedRrsets([put, gone], zone, true))[0]?.records).toEqual([]);
  });

  test("a record of a type that name servers make is deleted and created, others are updated", () => {
    expect(actions("A", "192.0.2.2", "192.0.2.1")).toEqual(["update"]);
    expect(actions("HINFO", '"a" "b"', '"c" "d"')).toEqual(["update"]);
    expect(actions("TYPE65534", String.raw`\# 1 00`, String.raw`\# 1 01`)).toEqual(["create", "delete"]);
  });
});

test("a change that a move of its domain overtook is answered as one to repeat", async () => {
  const error: unknown = await withinContent(Promise.reject(new MovedAway())).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: 1 });
  expect(statusOf(error as AppError)).toBe(503);
});

test.each([
  [true, false, "Turn signing on"],
  [false, true, "Turn signing off"],
])(
  "`dnssec: %s` for a zone that is signed: %s is refused, and the same as it is is taken",
  (dnssec, signed, advice) => {
    expect(() => settingsIn({ dnssec }, { signed })).toThrow(advice);
    expect(settingsIn({ dnssec }, { signed: dnssec })).toEqual({});
  },
);

describe("ids of zones", () => {
  test.each([
    ["example.com", "example.com."],
    ["0/25.2.0.192.in-addr.arpa", "0=2F25.2.0.192.in-addr.arpa."],
    ["_tenant.example.com", "=5Ftenant.example.com."],
  ])("%s has the id %s, and back", (name, id) => {
    expect([zoneId(name), zoneOfId(id)]).toEqual([id, name]);
  });

  test.each(["", ".", "com.", "a..b.", "=ZZ.example.", "exa mple.com.", "192.0.2.1"])("%s is no zone", (id) => {
    expect(zoneOfId(id)).toBeNull();
  });
});

test.each([
  ["www.example", "www.example", true],
  ["www.example", "www.example.com", false],
  ["*.example", "a.b.example", true],
  ["w?w*", "www.example", true],
  ["*a*b*c", "xxaxxbxxc", true],
  ["*a*b*c", "xxaxxcxxb", false],
  ["?", "", false],
  ["a?c", "a?c", true],
  ["a??", "ab", false],
  ["**", "", true],
  [`*${"a".repeat(240)}b*`, `${"a".repeat(500)}b!`, true],
  [`${"*a".repeat(100)}b`, "a".repeat(2_000), false],
])("the pattern %s matches %s: %s", (pattern, given, matches) => {
  expect(atOnce(wildcardMatcher(pattern)(given))).toBe(matches);
});

test("a pattern matches what the regular expression of the same meaning does", () => {
  const patterns = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "?"), maxLength: 8 });
  fc.assert(
    fc.property(patterns, texts, (pattern, given) => {
      const expression = new RegExp(`^${pattern.replaceAll(/[*?]/g, (sign) => (sign === "*" ? ".*" : "."))}$`);
      expect(atOnce(wildcardMatcher(pattern)(given))).toBe(expression.test(given));
    }),
  );
});

test.each([`*${"a".repeat(240)}b*`, `*${"a?".repeat(100)}b`, "*aaab", "nothing*"])(
  "the pattern %s takes no more steps for a text of 60,000 characters than any other pattern",
  (pattern) => {
    const given = "a".repeat(60_000);
    expect([...wildcardMatcher(pattern)(given)]).toHaveLength(Math.ceil(given.length / 1_024));
  },
);
