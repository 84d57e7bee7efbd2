import { expect, test } from "vitest";
import { kindByName } from "../../server/dns-providers/kinds.ts";
import type { ProviderKind } from "../../server/dns-providers/provider.ts";
import { planMove } from "../../server/domains/move-plan.ts";
import { recordKey, type LiveRecord, type RecordData } from "../../server/dns/record.ts";

const manual = kindByName("manual");
if (!manual) throw new Error("The kind manual is missing.");
/** A vendor whose name servers at the apex are its own. */
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

test("what the target keeps is neither sent nor in the way, and takes the place of ours of that kind", () => {
  const move = plan([www, ...ourNs], theirNs);
  expect([values(move.sent), move.others, move.same]).toEqual([["192.0.2.1"], [], false]);
  expect(shown(move)).toEqual([
    ["delete", "ns1.example.net", null],
    ["update", "ns3.example.net", "ns1.vendor.example"],
    ["update", "ns2.example.net", "ns2.vendor.example"],
  ]);
});

test("a zone that has the same records beside those is taken as it is", () => {
  const move = plan([www], [...theirNs, www]);
  expect([move.same, values(move.others)]).toEqual([true, ["192.0.2.1"]]);
  expect(shown(move)).toEqual([
    ["create", null, "ns1.vendor.example"],
    ["create", null, "ns2.vendor.example"],
  ]);
});

test("name servers that a provider gives a new zone take the place of ours where it would let them be changed too", () => {
  const move = planMove(manual, new Map(), both([www, ...ourNs]), theirNs);
  expect([values(move.sent), move.others, move.changes]).toEqual([["192.0.2.1"], [], expect.any(Array)]);
  expect(shown(move).map(([action]) => action)).toEqual(["delete", "update", "update"]);
  const again = planMove(manual, new Map(), both([www, ...theirNs]), [www, ...theirNs]);
  expect([again.same, again.changes]).toEqual([true, []]);
  const empty = planMove(manual, new Map(), both([www, ...ourNs]), []);
  expect([empty.sent.length, empty.changes]).toEqual([4, []]);
});

test("ours give way too where the target keeps its own and would take others beside them", () => {
  const beside = planMove(
    manual,
    new Map(theirNs.map((record) => [recordKey(record), "is its own."])),
    both([www, ...ourNs]),
    theirNs,
  );
  expect([values(beside.sent), beside.others]).toEqual([["192.0.2.1"], []]);
});

test("a record of another kind there is in the way", () => {
  const move = plan([www], [...theirNs, parking]);
  expect([move.same, values(move.others)]).toEqual([false, ["203.0.113.9"]]);
});

test("records that only the target knows to be its own are in nobody's way either, and are ours afterwards", () => {
  const mail = data("@", "MX", "5 route.vendor.example");
  const move = plan([www], [mail], [mail]);
  expect([values(move.sent), move.others, move.same]).toEqual([["192.0.2.1"], [], false]);
  expect(shown(move)).toEqual([["create", null, "5 route.vendor.example"]]);
  const again = plan([www, mail], [mail], [mail]);
  expect([values(again.sent), shown(again)]).toEqual([["192.0.2.1"], []]);
});

test("where there is nothing of the target's own, our records stay all as they are", () => {
  const move = plan([www, data("ftp", "A", "192.0.2.2")], []);
  expect([values(move.sent), move.changes]).toEqual([["192.0.2.1", "192.0.2.2"], []]);
});

test("where a part of ours is there already, the rest is to be written", () => {
  const ftp = data("ftp", "A", "192.0.2.2");
  const move = plan([www, ftp], [...theirNs, www]);
  expect([values(move.missing), move.foreign]).toEqual([["192.0.2.2"], []]);
});

test("name servers of ours beside other records of ours are those that were written when the move was cut, and not the target's", () => {
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

test("name servers at the apex are written last", () => {
  expect(values(plan([], []).missing)).toEqual([]);
  expect(values(planMove(manual, new Map(), both([...ourNs, www]), []).missing)).toEqual([
    "192.0.2.1",
    ...values(ourNs),
  ]);
});
