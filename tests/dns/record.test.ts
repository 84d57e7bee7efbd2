import { describe, expect, test } from "vitest";
import {
  asWritten,
  changedFields,
  changedNotes,
  countActions,
  isApexNs,
  isChallenge,
  isCommonType,
  isEditableType,
  isUnchanged,
  type LiveRecord,
  noNotes,
  notesOf,
  parseTtl,
  type PlannedChange,
  recordKey,
  recordLabel,
  type RecordDraft,
  rrsetKey,
  sameAsWritten,
  sameData,
  sameRecord,
  servedChange,
  servedChanges,
  shortValue,
  spellingOf,
  statedDataOf,
  storedStrings,
  textKey,
  ttlKey,
} from "../../server/dns/record.ts";

const base: RecordDraft = {
  recordType: "TXT",
  name: "www",
  value: "ab",
  strings: null,
  ttl: 300,
  priority: null,
  proxied: false,
  status: "active",
  ...noNotes,
};
const live = (more: Partial<LiveRecord> = {}): LiveRecord => ({
  ...base,
  id: "id",
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...more,
});

describe("equal records", () => {
  test.each<Partial<RecordDraft>>([
    { recordType: "SPF" },
    { name: "w" },
    { value: "b" },
    { ttl: 60 },
    { priority: 0 },
    { proxied: true },
    { strings: ["a", "b"] },
    { strings: [] },
  ])("records that differ in %j are not the same in DNS", (more) => {
    const other = { ...base, ...more };
    expect([sameData(base, other), sameData(other, base)]).toEqual([false, false]);
    expect([sameRecord(base, other), sameAsWritten(base, other), isUnchanged(live(), other)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(changedFields(base, other)).toEqual(
      Object.fromEntries(
        Object.entries(more).map(([field, value]) => [field, [base[field as keyof RecordDraft], value]]),
      ),
    );
  });

  test.each([
    [["a", "b"], ["a", "b"], true],
    [["a", "b"], ["a"], false],
    [["a"], ["a", "b"], false],
    [["a", "b"], ["a", "c"], false],
    [["a", "b"], ["c", "b"], false],
    [[], [], true],
  ])("the strings %j and %j are the same: %s", (one, other, expected) => {
    expect(sameData({ ...base, strings: one }, { ...base, strings: other })).toBe(expected);
  });

  test("the status, the spelling and the notes of a record count where they are meant, and nowhere else", () => {
    const disabled = { ...base, status: "disabled" as const };
    expect([sameData(base, disabled), sameRecord(base, disabled)]).toEqual([true, false]);
    expect(changedFields(base, disabled)).toEqual({ status: ["active", "disabled"] });
    for (const spelled of [
      { ...base, writtenName: "WWW" },
      { ...base, writtenValue: "AB" },
    ]) {
      expect([sameData(base, spelled), sameRecord(base, spelled)]).toEqual([true, true]);
      expect([sameAsWritten(base, spelled), isUnchanged(live(), spelled)]).toEqual([false, false]);
    }
    for (const noted of [{ comment: "c" }, { locked: true }, { ownerId: "u" }, { reviewAt: new Date(1) }]) {
      const other = { ...base, ...noted };
      expect([sameAsWritten(base, other), isUnchanged(live(), other)]).toEqual([true, false]);
      expect(isUnchanged(live(noted), other)).toBe(true);
      const [[field, value] = []] = Object.entries(noted);
      expect(changedNotes(base, other)).toEqual({ [field ?? ""]: [base[field as keyof RecordDraft], value] });
      expect(notesOf(other)).toEqual({ ...noNotes, ...noted });
    }
    expect(isUnchanged(live({ reviewAt: new Date(1) }), { ...base, reviewAt: new Date(2) })).toBe(false);
    expect(isUnchanged(live({ reviewAt: new Date(1) }), { ...base, reviewAt: new Date(1) })).toBe(true);
  });
});

describe("keys of records", () => {
  test.each<[Partial<RecordDraft>, string[]]>([
    [{}, []],
    [{ ttl: 60 }, []],
    [{ strings: ["a", "b"] }, ["record"]],
    [{ value: "b" }, ["record", "text"]],
    [{ proxied: true }, ["ttl"]],
    [{ recordType: "A" }, ["record", "text", "rrset", "ttl"]],
    [{ name: "w" }, ["record", "text", "rrset", "ttl"]],
  ])("%j changes exactly these keys: %j", (more, keys) => {
    const other = { ...base, ...more };
    const all = { record: recordKey, text: textKey, rrset: rrsetKey, ttl: ttlKey };
    expect(Object.entries(all).flatMap(([name, key]) => (key(base) === key(other) ? [] : [name]))).toEqual(keys);
  });

  test("two splits of one text are two records", () => {
    const [one, other] = [
      ["a", "b"],
      ["", "ab"],
    ].map((strings) => recordKey({ ...base, strings }));
    expect(one).not.toBe(other);
  });

  test.each(["RRSIG", "SIG"])(
    "%s records share a TTL only with those of the same covered type (RFC 4034 §3)",
    (recordType) => {
      const key = (value: string) => ttlKey({ ...base, recordType, value });
      expect(key("A 13 2 300")).toBe(key("A 8 2 300"));
      expect(key("A 13 2 300")).not.toBe(key("TXT 13 2 300"));
      expect(ttlKey({ ...base, value: "A x" })).toBe(ttlKey({ ...base, value: "TXT x" }));
    },
  );
});

const change = (before: LiveRecord | null, after: RecordDraft | null) =>
  ({ action: before ? (after ? "update" : "delete") : "create", id: "id", before, after }) as PlannedChange;

describe("what DNS sees of a change", () => {
  const off = live({ status: "disabled" });
  test.each<[string, PlannedChange, string | null]>([
    ["a creation", change(null, base), "create"],
    ["a creation of a disabled record", change(null, off), null],
    ["an update", change(live(), { ...base, ttl: 60 }), "update"],
    ["a deletion", change(live(), null), "delete"],
    ["a deletion of a disabled record", change(off, null), null],
    ["an update of a disabled record", change(off, { ...off, ttl: 60 }), null],
    ["enabling a record", change(off, base), "create"],
    ["disabling a record", change(live(), off), "delete"],
  ])("%s is this to DNS (%#)", (_what, planned, action) => {
    const served = servedChange(planned);
    expect(served?.action ?? null).toBe(action);
    expect(servedChanges([planned])).toEqual(served ? [served] : []);
    if (served === null) return;
    expect(served.before).toBe(action === "create" ? null : planned.before);
    expect(served.after).toBe(action === "delete" ? null : planned.after);
  });

  test("changes are counted by action", () => {
    const changes = [change(null, base), change(live(), base), change(live(), base), change(live(), null)];
    expect(countActions(changes)).toEqual({ creates: 1, updates: 2, deletes: 1 });
  });
});

describe("records as they are shown", () => {
  test("a record is shown as written, and octets that are no text as strings", () => {
    const spelled = { ...base, writtenName: "WWW", writtenValue: "AB" };
    expect(statedDataOf(spelled)).toEqual({
      recordType: "TXT",
      name: "WWW",
      value: "AB",
      strings: null,
      ttl: 300,
      priority: null,
      proxied: false,
      status: "active",
    });
    expect([spellingOf(spelled), spellingOf(base)]).toEqual([{ writtenName: "WWW", writtenValue: "AB" }, {}]);
    expect(Object.keys(spellingOf(base))).toEqual([]);
    const generic = { ...base, value: "\\# 2 01ff" };
    expect(asWritten(generic)).toMatchObject({ value: "\\# 2 01ff", strings: ["\\255"] });
    expect(asWritten({ ...generic, recordType: "A" }).strings).toBeNull();
    expect(asWritten({ ...generic, strings: ["x"] }).strings).toEqual(["x"]);
  });

  test("a label shows the name and the value as written, cut after 60 characters", () => {
    expect(recordLabel({ ...base, writtenName: "WWW" })).toBe("WWW TXT ab");
    expect(shortValue("a".repeat(60))).toBe("a".repeat(60));
    expect(shortValue("a".repeat(61))).toBe(`${"a".repeat(60)}…`);
  });

  test("the strings of a record are stored as JSON, the default split as null", () => {
    expect([storedStrings(null), storedStrings(["a", "b"])]).toEqual([null, '["a","b"]']);
  });
});

describe("kinds of records", () => {
  test("only NS records at the apex are the zone's own", () => {
    const records = ["NS @", "NS sub", "A @", "A www"].map((text) => text.split(" "));
    const own = records.map(([recordType = "", name = ""]) => isApexNs({ recordType, name }));
    expect(own).toEqual([true, false, false, false]);
  });

  test.each([
    ["TXT", "_acme-challenge", true],
    ["TXT", "_acme-challenge.www", true],
    ["TXT", "_ACME-Challenge.www", true],
    ["TXT", "x._acme-challenge", false],
    ["TXT", "x_acme-challenge", false],
    ["TXT", "_acme-challengex", false],
    ["CNAME", "_acme-challenge", false],
  ])("a %s record at %s may be an ACME challenge: %s", (recordType, name, expected) => {
    expect(isChallenge({ recordType, name })).toBe(expected);
  });

  test("common types are a part of those with a form", () => {
    expect([isCommonType("A"), isCommonType("PTR"), isEditableType("PTR"), isEditableType("WKS")]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test("a time is at most 30 characters long, and one over 2^31-1 seconds is refused (RFC 2181 §8)", () => {
    expect(parseTtl("1s".repeat(15))).toEqual({ ok: true, value: 15 });
    expect(parseTtl("1s".repeat(16)).ok).toBe(false);
    expect(parseTtl("2147483647")).toEqual({ ok: true, value: 2_147_483_647 });
    expect(parseTtl("2147483648").ok).toBe(false);
  });
});
