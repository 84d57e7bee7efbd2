import { expect, test } from "vitest";
import { stepGroups, type StepGroup } from "../../../server/dns-providers/digitalocean/steps.ts";
import type { ServedRecord } from "../../../server/dns-providers/digitalocean/wire-records.ts";
import { applyToRecords } from "../../../server/dns-providers/applying/apply-to-records.ts";
import type { RecordChange } from "../../../server/dns-providers/provider.ts";
import type { RecordData } from "../../../server/dns/record.ts";
import { create, record, remove, update } from "../zone-folder.ts";

const store = { place: "the domain", refusal: () => null };

function groupsFor(records: readonly RecordData[], changes: readonly RecordChange[], together = false): StepGroup[] {
  const present = records.map((data, index): ServedRecord => ({ id: index + 1, data }));
  return stepGroups(present, applyToRecords(records, changes, store).records, changes, together);
}

/** `delete 1`, `update 2 → 192.0.2.9 60`, `create 192.0.2.9 300`. */
function shown({ steps }: StepGroup): string[] {
  return steps.map(({ kind, before, after }) =>
    [kind, before?.id, before && after ? "→" : "", after && `${after.value} ${after.ttl}`].filter(Boolean).join(" "),
  );
}

const a = (value: string, ttl = 300) => record("www", "A", value, ttl);
const ftp = (value: string) => record("ftp", "A", value);
const cname = record("www", "CNAME", "cdn.example");

test("a value that gives way to another one of its RRset is one call, and the record keeps its id", () => {
  const [group] = groupsFor([a("192.0.2.1"), a("192.0.2.2")], [update(a("192.0.2.1"), a("192.0.2.9"))]);
  expect(group && shown(group)).toEqual(["update 1 → 192.0.2.9 300"]);
});

test("what goes, goes before what comes, where a CNAME takes the place of addresses", () => {
  const changes = [create(cname), remove(a("192.0.2.1")), remove(a("192.0.2.2"))];
  const groups = groupsFor([a("192.0.2.1"), a("192.0.2.2")], changes);
  expect(groups.map(shown)).toEqual([["delete 1", "delete 2", "create cdn.example 300"]]);
});

test("records that exchange their values need no call, and names that do need one each", () => {
  const same = [update(a("192.0.2.1"), a("192.0.2.2")), update(a("192.0.2.2"), a("192.0.2.1"))];
  expect(groupsFor([a("192.0.2.1"), a("192.0.2.2")], same).map(shown)).toEqual([[]]);
  const other = [update(a("192.0.2.1"), a("192.0.2.2")), update(ftp("192.0.2.2"), ftp("192.0.2.1"))];
  expect(groupsFor([a("192.0.2.1"), ftp("192.0.2.2")], other).map(shown)).toEqual([
    ["update 1 → 192.0.2.2 300"],
    ["update 2 → 192.0.2.1 300"],
  ]);
});

test("the rest of an RRset follows the TTL of what changes in it", () => {
  const [group] = groupsFor([a("192.0.2.1"), a("192.0.2.2")], [create(a("192.0.2.3", 60))]);
  expect(group && shown(group)).toEqual(["update 1 → 192.0.2.1 60", "update 2 → 192.0.2.2 60", "create 192.0.2.3 60"]);
});

test("changes of one name are apart, unless a CNAME is among them or all belong together", () => {
  const changes = [create(a("192.0.2.1")), create(record("www", "TXT", "x")), create(record("ftp", "A", "192.0.2.2"))];
  expect(groupsFor([], changes)).toHaveLength(3);
  expect(groupsFor([], changes, true)).toHaveLength(1);
  expect(groupsFor([cname], [remove(cname), ...changes])).toHaveLength(2);
});
