import { expect, test } from "vitest";
import { noNotes } from "../../../server/dns/record.ts";
import { knownKind, providerKinds } from "../../../server/dns-providers/kinds.ts";
import { ttlFor } from "../../../server/dns-service/update-clients/acme-challenges.ts";
import { planState } from "../../../server/dns/desired-state.ts";
import { limitIssues, storedTtl, withoutReadOnly } from "../../../server/zones/records/provider-limits.ts";
import { lineOf } from "../../support/zones.ts";

const ns = (value: string) => ({
  recordType: "NS",
  name: "@",
  value,
  ttl: 3600,
  strings: null,
  priority: null,
  proxied: false,
});
const at = new Date(0);
const live = (id: string, value: string) => ({
  ...ns(value),
  id,
  version: 1,
  status: "active" as const,
  ...noNotes,
  createdAt: at,
  updatedAt: at,
});

test("a read-only record is never replaced by another, and the other record is still added or deleted", () => {
  const own = live("01", "f1g1ns1.dnspod.net");
  const other = live("02", "ns.example.net");
  const dnspod = knownKind("dnspod");
  const coming = withoutReadOnly(planState([own], [ns("ns.example.net")]).changes, dnspod);
  expect(coming.changes.map(({ action, after }) => [action, after && lineOf(after)])).toEqual([
    ["create", "@ NS ns.example.net"],
  ]);
  expect(coming.readOnly.map(({ record }) => lineOf(record))).toEqual(["@ NS f1g1ns1.dnspod.net"]);
  const going = withoutReadOnly(planState([other], [ns("f1g1ns1.dnspod.net")]).changes, dnspod);
  expect(going.changes.map(({ action, id }) => [action, id])).toEqual([["delete", "02"]]);
  expect(going.readOnly.map(({ reason }) => reason)).toEqual(["DNSPod manages its own name servers at the apex."]);
});

test.each(providerKinds)(
  "the TTL of challenges and of hosts with dynamic addresses is one that $kind takes",
  (kind) => {
    for (const [recordType, value] of [
      ["TXT", "challenge"],
      ["A", "192.0.2.1"],
    ] as const) {
      const record = { ...ns(value), recordType, name: "_acme-challenge", ttl: ttlFor(kind) };
      expect(limitIssues(record, kind, "example.com")).toEqual([]);
    }
  },
);

const stored = (kind: string, ttls: readonly number[]) => ttls.map((ttl) => storedTtl(knownKind(kind), ttl));

test("a TTL that a provider does not store becomes the next higher one that it does", () => {
  expect(stored("linode", [1, 30, 60, 3_600, 3_601, 9_999_999])).toEqual([30, 30, 120, 3_600, 7_200, 9_999_999]);
  expect(stored("gandi", [60, 301])).toEqual([300, 301]);
  expect(stored("cloudflare", [1, 5])).toEqual([1, 30]);
  // The vendor's reference says from 300, so only people may try lower ones.
  expect(stored("huaweicloud", [1, 60, 301])).toEqual([300, 300, 301]);
  expect(ttlFor(knownKind("huaweicloud"))).toBe(300);
});
