import { expect, test } from "vitest";
import { kindByName } from "../../../server/dns-providers/kinds.ts";
import type { ProviderKind } from "../../../server/dns-providers/provider.ts";
import { planMove } from "../../../server/zones/domains/move-plan.ts";
import { noNotes, recordKey, type LiveRecord, type RecordData } from "../../../server/dns/record.ts";

const manual = kindByName("manual");
if (!manual) throw new Error("The kind manual is missing.");
/** A vendor that chooses the name servers at the apex. */
const vendor: ProviderKind = {
  ...manual,
  name: "Vendor",
  readOnlyReason: ({ recordType, name }) =>
    recordType === "NS" && name === "@" ? "chooses the name servers of its zones." : null,
};

const data = (name: string, recordType: string, value: string): RecordData => ({
  name,
  recordType,
  value,
  ttl: 300,
  priority: null,
  strings: null,
  proxied: false,
});
const live = (record: RecordData): LiveRecord => ({
  ...record,
  id: `${record.name} ${record.recordType} ${record.value}`,
  version: 1,
  status: "active",
  ...noNotes,
  comment: "ours",
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

const www = data("www", "A", "192.0.2.1");
const ourNs = ["ns1.example.net", "ns2.example.net", "ns3.example.net"].map((value) => data("@", "NS", value));
const theirNs = ["ns1.vendor.example", "ns2.vendor.example"].map((value) => data("@", "NS", value));
const parking = data("www", "A", "203.0.113.9");

const both = (ours: readonly RecordData[]) => ({ records: ours.map(live), wanted: ours.map(live) });
const plan = (ours: readonly RecordData[], present: readonly RecordData[], kept: readonly RecordData[] = []) =>
  planMove(vendor, new Map(kept.map((record) => [recordKey(record), "is its own."])), both(ours), present);
const values = (records: readonly RecordData[]) => records.map(({ value }) => value);
const shown = ({ changes }: ReturnType<typeof plan>) =>
  changes.map(({ action, before, after }) => [action, before?.value ?? null, after?.value ?? null]);

test("a target's read-only records are neither sent nor conflicts, and replace ours of that kind", () => {
  const move = plan([www, ...ourNs], theirNs);
  expect([values(move.sent), move.others, move.same]).toEqual([["192.0.2.1"], [], false]);
  expect(shown(move)).toEqual([
    ["delete", "ns1.example.net", null],
    ["update", "ns3.example.net", "ns1.vendor.example"],
    ["update", "ns2.example.net", "ns2.vendor.example"],
  ]);
});

test("a target zone that has the same records beside its read-only ones is taken over unchanged", () => {
  const move = plan([www], [...theirNs, www]);
  expect([move.same, values(move.others)]).toEqual([true, ["192.0.2.1"]]);
  expect(shown(move)).toEqual([
    ["create", null, "ns1.vendor.example"],
    ["create", null, "ns2.vendor.example"],
  ]);
});

test("name servers that a provider assigns to a new zone replace ours even if they could be changed", () => {
  const move = planMove(manual, new Map(), both([www, ...ourNs]), theirNs);
  expect([values(move.sent), move.others, move.changes]).toEqual([["192.0.2.1"], [], expect.any(Array)]);
  expect(shown(move).map(([action]) => action)).toEqual(["delete", "update", "update"]);
  const again = planMove(manual, new Map(), both([www, ...theirNs]), [www, ...theirNs]);
  expect([again.same, again.changes]).toEqual([true, []]);
  const empty = planMove(manual, new Map(), both([www, ...ourNs]), []);
  expect([empty.sent.length, empty.changes]).toEqual([4, []]);
});

test("the target's own name servers replace ours even if it would accept others beside them", () => {
  const beside = planMove(
    manual,
    new Map(theirNs.map((record) => [recordKey(record), "is its own."])),
    both([www, ...ourNs]),
    theirNs,
  );
  expect([values(beside.sent), beside.others]).toEqual([["192.0.2.1"], []]);
});

test("a record of another kind at the target is a conflict", () => {
  const move = plan([www], [...theirNs, parking]);
  expect([move.same, values(move.others), values(move.foreign)]).toEqual([false, ["203.0.113.9"], ["203.0.113.9"]]);
});

test("our record with another TTL at the target is a conflict", () => {
  const move = plan([www], [{ ...www, ttl: 60 }]);
  expect([move.same, values(move.foreign), values(move.missing)]).toEqual([false, ["192.0.2.1"], ["192.0.2.1"]]);
});

test("records of a kind that is read-only at the target are its own, whatever their type", () => {
  const mail = data("@", "MX", "5 route.vendor.example");
  const relay: ProviderKind = {
    ...vendor,
    readOnlyReason: ({ recordType }) => (recordType === "MX" ? "routes mail itself." : null),
  };
  const move = planMove(relay, new Map(), both([www, data("@", "MX", "10 mail.example.net")]), [mail]);
  expect([values(move.sent), move.others, move.foreign]).toEqual([["192.0.2.1"], [], []]);
});

test("our name servers beside a conflict are the target's own, and no sign of an interrupted move", () => {
  const move = planMove(manual, new Map(), both([www, ...ourNs]), [parking, ...ourNs.slice(0, 1)]);
  expect([values(move.sent), values(move.foreign)]).toEqual([["192.0.2.1"], ["203.0.113.9"]]);
});

test("records that only the target knows to be its own are no conflict, and are imported by the move", () => {
  const mail = data("@", "MX", "5 route.vendor.example");
  const move = plan([www], [mail], [mail]);
  expect([values(move.sent), move.others, move.same]).toEqual([["192.0.2.1"], [], false]);
  expect(shown(move)).toEqual([["create", null, "5 route.vendor.example"]]);
  const again = plan([www, mail], [mail], [mail]);
  expect([values(again.sent), shown(again)]).toEqual([["192.0.2.1"], []]);
});

test("our records all stay unchanged if the target has none of its own", () => {
  const move = plan([www, data("ftp", "A", "192.0.2.2")], []);
  expect([values(move.sent), move.changes]).toEqual([["192.0.2.1", "192.0.2.2"], []]);
});

test("if part of our records exist at the target, only the rest is written", () => {
  const ftp = data("ftp", "A", "192.0.2.2");
  const move = plan([www, ftp], [...theirNs, www]);
  expect([values(move.missing), move.foreign]).toEqual([["192.0.2.2"], []]);
});

test("our name servers beside other records of ours count as written by an interrupted move", () => {
  const [first, ...rest] = ourNs;
  const cut = planMove(manual, new Map(), both([www, data("ftp", "A", "192.0.2.2"), ...ourNs]), [
    www,
    ...(first ? [first] : []),
  ]);
  expect([values(cut.missing), cut.foreign, cut.changes]).toEqual([["192.0.2.2", ...values(rest)], [], []]);
  const fresh = planMove(manual, new Map(), both([www, ...ourNs]), ourNs.slice(0, 1));
  expect([values(fresh.missing), shown(fresh).map(([action]) => action)]).toEqual([
    ["192.0.2.1"],
    ["delete", "delete"],
  ]);
});

test("a move writes name servers at the apex last", () => {
  expect(values(plan([], []).missing)).toEqual([]);
  expect(values(planMove(manual, new Map(), both([...ourNs, www]), []).missing)).toEqual([
    "192.0.2.1",
    ...values(ourNs),
  ]);
});
