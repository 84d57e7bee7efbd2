import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editsFor, failedPrerequisite } from "../../../server/dns-service/updates/operations.ts";
import { isApexNs, noNotes, recordKey, textKey, type LiveRecord, type RecordData } from "../../../server/dns/record.ts";
import { rcodes } from "../../../server/dns/wire/messages.ts";
import type { Prerequisite, UpdateOperation, UpdateRecord } from "../../../server/dns/wire/updates.ts";
import { atOnce } from "../../../server/platform/slices.ts";

/** What stored records and those of updates share. */
type Content = Pick<RecordData, "recordType" | "name" | "value" | "strings" | "ttl">;

const any: Content = { recordType: "TXT", name: "x", value: "text", strings: null, ttl: 300 };
const stored = (id: string, content: Partial<LiveRecord>): LiveRecord => ({
  ...any,
  ...noNotes,
  id,
  version: 1,
  priority: null,
  proxied: false,
  status: "active",
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...content,
});

const edits = (operations: readonly UpdateOperation[], present: readonly LiveRecord[]) =>
  atOnce(editsFor(operations, { name: "example.com", present, signed: false, serial: null }));
const failed = (prerequisites: readonly Prerequisite[], present: readonly LiveRecord[]) =>
  atOnce(failedPrerequisite(prerequisites, present));

const each = (records: readonly UpdateRecord[], kind: "add" | "deleteRecord") =>
  records.map((record): UpdateOperation => ({ kind, record }));
const wanted = (records: readonly UpdateRecord[]) =>
  records.map((record): Prerequisite => ({ kind: "rrsetHas", record }));

describe("the work of an update", () => {
  let reads = 0;

  /** Counts how often the fields are read that records are compared by. */
  function counted<Some extends Content>(record: Some): Some {
    const { name, value } = record;
    return Object.defineProperties(record, {
      name: { enumerable: true, get: () => (reads++, name) },
      value: { enumerable: true, get: () => (reads++, value) },
    });
  }

  const given = (count: number, prefix: string, names?: string) =>
    Array.from({ length: count }, (_, index): UpdateRecord => {
      const record = { ...any, value: `${prefix} ${index}`, ttl: 300 + (index % 7) };
      return counted(names === undefined ? record : { ...record, name: `${names}${index}` });
    });
  const there = (count: number, names?: string) =>
    given(count, "stored", names).map((text, index) => counted(stored(`id${index}`, { ...text })));

  test.each<[string, (count: number) => unknown]>([
    ["adds to a full name", (count) => edits(each(given(count, "new"), "add"), there(count))],
    ["adds to an empty name", (count) => edits(each(given(count, "new"), "add"), [])],
    ["adds what is there", (count) => edits(each(given(count, "stored"), "add"), there(count))],
    ["adds to as many names", (count) => edits(each(given(count, "new", "n"), "add"), there(count, "n"))],
    ["deletes what is there", (count) => edits(each(given(count, "stored"), "deleteRecord"), there(count))],
    ["deletes what is not there", (count) => edits(each(given(count, "none"), "deleteRecord"), there(count))],
    ["asks for a whole RRset", (count) => failed(wanted(given(count, "stored")), there(count).toReversed())],
    ["asks for another RRset", (count) => failed(wanted(given(count, "other")), there(count))],
  ])("of one that %s grows with its size, and not with the square of it", (_, run) => {
    const work = (count: number) => {
      reads = 0;
      run(count);
      return reads;
    };
    expect(work(400)).toBeLessThanOrEqual(5 * work(100));
  });
});

/** A record while operations are carried out plainly. */
interface Held extends Content {
  splitUnread?: true;
  proxied: boolean;
  before: LiveRecord | null;
}

const isUnread = ({ splitUnread }: Held) => splitUnread === true;
const isExact = (one: Held, record: Content) => !isUnread(one) && recordKey(one) === recordKey(record);
const isSame = (one: Held, record: Content) =>
  isExact(one, record) || (isUnread(one) && textKey(one) === textKey(record));
const find = (all: readonly Held[], record: Content) =>
  all.find((one) => isExact(one, record)) ?? all.find((one) => isSame(one, record));

/** Carries operations out as RFC 2136 §3.4.2 describes them, one after another on a list of all records. */
function plainly(operations: readonly UpdateOperation[], present: readonly LiveRecord[]) {
  const original = present.map((before): Held => ({ ...before, before }));
  let held = original.map((one) => ({ ...one }));
  for (const operation of operations) {
    if (operation.kind === "deleteName") {
      held = held.filter((one) => one.name !== operation.name || isApexNs(one));
    } else if (operation.kind === "deleteRrset") {
      const { name, recordType } = operation;
      held = held.filter((one) => one.name !== name || one.recordType !== recordType || isApexNs(one));
    } else if (operation.kind === "deleteRecord") {
      const isLast = isApexNs(operation.record) && held.filter(isApexNs).length === 1;
      if (!isLast) held = held.filter((one) => !isSame(one, operation.record));
    } else add(operation.record);
  }
  // A text whose split nobody has read is the same as several others, and stays as it is for the last of them.
  const last = new Map(held.map((one) => [one.before, one]));
  held = held.filter((one) => one.before === null || last.get(one.before) === one);
  return stateOf(
    held.map((one) => {
      const { strings } = one.before ?? one;
      return { ...one, strings, id: one.before?.id ?? replacedBy(one)?.id, ...proxyOf(one) };
    }),
  );

  /** A new record takes the place of one of its RRset that goes, first of those that are proxied. */
  function replacedBy(one: Held): LiveRecord | undefined {
    const isOfRrset = ({ name, recordType }: Content) => name === one.name && recordType === one.recordType;
    const going = present.filter((each) => isOfRrset(each) && !held.some(({ before }) => before?.id === each.id));
    const coming = held.filter((each) => each.before === null && isOfRrset(each));
    return going.toSorted((a, b) => Number(b.proxied) - Number(a.proxied))[coming.indexOf(one)];
  }

  function proxyOf(one: Held): { proxied: boolean } {
    const model = one.before ?? replacedBy(one);
    if (model) return { proxied: model.proxied };
    const ofName = present.filter(({ name, recordType }) => name === one.name && ["A", "CNAME"].includes(recordType));
    const ofType = ofName.filter(({ recordType }) => recordType === one.recordType);
    const models = ofType.length > 0 ? ofType : ofName;
    const isProxiable = ["A", "CNAME"].includes(one.recordType);
    return { proxied: isProxiable && models.length > 0 && models.every(({ proxied }) => proxied) };
  }

  function add(record: UpdateRecord): void {
    const { name, recordType, ttl } = record;
    const isCname = recordType === "CNAME";
    const beside = held.filter((one) => one.name === name);
    if (isCname && name === "@") return;
    if (beside.some((one) => (one.recordType === "CNAME") !== isCname)) return;
    if (isCname) held = held.filter((one) => one.name !== name || isSame(one, record));
    const same = find(held, record);
    if (same?.ttl === ttl) return;
    const before = find(original, record)?.before ?? null;
    const one = same ?? { ...record, proxied: before?.proxied ?? false, before };
    if (!same) held.push(one);
    // RFC 2181 §5.2: an RRset has one TTL. What a proxy answers for has the proxy's.
    for (const other of held) {
      if (other.name === name && other.recordType === recordType && other.proxied === one.proxied) other.ttl = ttl;
    }
  }
}

/** What edits leave of a zone. */
function leftBy(made: ReturnType<typeof edits>, present: readonly LiveRecord[]) {
  const left = new Map<string, Left>(present.map((record) => [record.id, record]));
  const created: Left[] = [];
  for (const edit of made) {
    if (edit.action === "delete") left.delete(edit.recordId);
    else if (edit.action === "update") {
      const before = left.get(edit.recordId);
      if (!before) throw new Error("An update names a record that is not there.");
      const { value = before.value, ttl = before.ttl, strings = before.strings } = edit.patch;
      left.set(edit.recordId, { ...before, value, ttl, strings: strings && [...strings] });
    } else {
      const { recordType, name, value = "", strings = null, ttl = 0, proxied = false } = edit.input;
      const relative = name.replace(/\.?example\.com\.$/, "") || "@";
      created.push({ recordType, name: relative, value, strings: strings && [...strings], ttl, proxied });
    }
  }
  return stateOf([...left.values(), ...created]);
}

/** A record after an update; new ones have no id. */
interface Left extends Content {
  id?: string | undefined;
  proxied: boolean;
}

const stateOf = (records: readonly Left[]) =>
  records
    .map(({ recordType, name, value, strings, ttl, proxied, id = null }) =>
      JSON.stringify([name, recordType, value, strings, ttl, proxied, id]),
    )
    .toSorted();

const names = fc.constantFrom("@", "x", "y");
const ttls = fc.constantFrom(60, 300, 900);
const contents: fc.Arbitrary<Content> = fc.oneof(
  fc.record({
    recordType: fc.constantFrom("A", "NS", "CNAME"),
    name: names,
    value: fc.constantFrom("a", "b", "c"),
    strings: fc.constant(null),
    ttl: ttls,
  }),
  fc.record({
    recordType: fc.constant("TXT"),
    name: names,
    value: fc.constantFrom("ab", "cd"),
    strings: fc.constantFrom<(string[] | null)[]>(null, ["a", "b"], ["", "ab"]),
    ttl: ttls,
  }),
);
const mayBeUnread = ({ recordType, strings }: Content) => recordType === "TXT" && strings === null;
const mayBeProxied = ({ recordType }: Content) => recordType === "A" || recordType === "CNAME";
const zones = fc
  .uniqueArray(fc.tuple(contents, fc.boolean(), fc.boolean()), {
    selector: ([content, , unread]) => `${recordKey(content)} ${mayBeUnread(content) && unread}`,
    maxLength: 12,
  })
  .map((drawn) =>
    drawn.map(([content, proxied, unread], index) => {
      const split = mayBeUnread(content) && unread ? { splitUnread: true as const } : {};
      return stored(`id${index}`, { ...content, proxied: proxied && mayBeProxied(content), ...split });
    }),
  );
const operations: fc.Arbitrary<UpdateOperation> = fc.oneof(
  { weight: 4, arbitrary: contents.map((record): UpdateOperation => ({ kind: "add", record })) },
  { weight: 3, arbitrary: contents.map((record): UpdateOperation => ({ kind: "deleteRecord", record })) },
  contents.map(({ name, recordType }): UpdateOperation => ({ kind: "deleteRrset", name, recordType })),
  names.map((name): UpdateOperation => ({ kind: "deleteName", name })),
);

test("the operations of an update leave what they leave one after another on a plain list of records", () => {
  fc.assert(
    fc.property(zones, fc.array(operations, { maxLength: 12 }), (present, some) => {
      expect(leftBy(edits(some, present), present)).toEqual(plainly(some, present));
    }),
    { numRuns: 2_000 },
  );
});

/** Evaluates prerequisites as RFC 2136 §3.2.5 describes it. */
function plainlyFailed(prerequisites: readonly Prerequisite[], present: readonly LiveRecord[]): number | null {
  const at = ({ name, recordType }: { name: string; recordType?: string }) =>
    present.filter((one) => one.name === name && (recordType ?? one.recordType) === one.recordType);
  for (const one of prerequisites) {
    if (one.kind === "nameInUse" && at(one).length === 0) return rcodes.NXDOMAIN;
    if (one.kind === "nameUnused" && at(one).length > 0) return rcodes.YXDOMAIN;
    if (one.kind === "rrsetExists" && at(one).length === 0) return rcodes.NXRRSET;
    if (one.kind === "rrsetAbsent" && at(one).length > 0) return rcodes.YXRRSET;
  }
  const wanted = prerequisites.flatMap((one) => (one.kind === "rrsetHas" ? [one.record] : []));
  for (const { name, recordType } of wanted) {
    const whole = wanted.filter((one) => one.name === name && one.recordType === recordType);
    const keysOf = (records: readonly Content[]) => [...new Set(records.map(recordKey))].toSorted().join("\n");
    if (keysOf(whole) !== keysOf(at({ name, recordType }))) return rcodes.NXRRSET;
  }
  return null;
}

const splitZones = zones.map((records) => records.filter(({ splitUnread }) => !splitUnread));
const requirements: fc.Arbitrary<Prerequisite> = fc.oneof(
  { weight: 8, arbitrary: contents.map((record): Prerequisite => ({ kind: "rrsetHas", record })) },
  names.map((name): Prerequisite => ({ kind: "nameInUse", name })),
  names.map((name): Prerequisite => ({ kind: "nameUnused", name })),
  contents.map(({ name, recordType }): Prerequisite => ({ kind: "rrsetExists", name, recordType })),
  contents.map(({ name, recordType }): Prerequisite => ({ kind: "rrsetAbsent", name, recordType })),
);

test("the prerequisites of an update fail as they do one after another on a plain list of records", () => {
  const asked = splitZones.chain((present) => {
    // Without any, whole RRsets would hardly ever be met.
    const whole = fc
      .subarray(present)
      .map((some) =>
        present
          .filter((one) => some.some(({ name, recordType }) => one.name === name && one.recordType === recordType))
          .map((record): Prerequisite => ({ kind: "rrsetHas", record })),
      );
    return fc.tuple(fc.constant(present), whole, fc.array(requirements, { maxLength: 2 }));
  });
  fc.assert(
    fc.property(asked, ([present, whole, more]) => {
      expect(failed([...whole, ...more], present)).toBe(plainlyFailed([...whole, ...more], present));
    }),
    { numRuns: 2_000 },
  );
});

const text = (value: string, strings: string[] | null = null): Prerequisite => ({
  kind: "rrsetHas",
  record: { ...any, value, strings },
});

test.each([
  ["its text, however it is split", [text("ab", ["a", "b"]), text("cd")], null],
  ["its text twice, split in two ways, in place of another", [text("ab", ["a", "b"]), text("ab")], rcodes.NXRRSET],
  ["another text", [text("ef"), text("cd")], rcodes.NXRRSET],
])("a stored TXT whose split nobody has read meets prerequisites with %s", (_, prerequisites, rcode) => {
  const present = [stored("unread", { value: "ab", splitUnread: true }), stored("read", { value: "cd" })];
  expect(failed(prerequisites, present)).toBe(rcode);
});
