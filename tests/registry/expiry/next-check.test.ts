import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nextCheck } from "../../../server/registry/expiry/store-finding.ts";
import { type Finding, registrableOf } from "../../../server/registry/expiry/registration.ts";
import { day, hour } from "../../support/clock.ts";

const now = new Date("2027-03-01T12:00:00Z");
const registration = {
  registryExpiresAt: null,
  registrarExpiresAt: null,
  registrar: null,
  statuses: [],
  nameServers: null,
  ds: null,
};
const findings: Record<string, Finding> = {
  found: { kind: "found", source: "rdap", expiresAt: now, registration },
  unpublished: { kind: "unpublished", source: "whois", registration, message: "" },
  unregistered: { kind: "unregistered", message: "" },
  failed: { kind: "failed", limited: false, message: "" },
  limited: { kind: "failed", limited: true, message: "" },
  unknown: { kind: "unknown", message: "" },
};

test.each<[keyof typeof findings, number, number]>([
  ["found", 0, day],
  ["unpublished", 0, day],
  ["failed", 1, 2 * hour],
  ["failed", 2, 5 * hour],
  ["failed", 3, day],
  ["failed", 100, day],
  ["unregistered", 1, 2 * hour],
  ["limited", 0, 2 * hour],
  ["unknown", 0, 7 * day],
])(
  "after %s, %i times in a row, the next lookup comes within %i ms and in the last hour of that",
  (kind, failures, pause) => {
    const finding = findings[kind] as Finding;
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (chance) => {
        const wait = nextCheck(finding, failures, now, chance).getTime() - now.getTime();
        expect(wait).toBeLessThanOrEqual(pause);
        expect(wait).toBeGreaterThanOrEqual(pause - hour);
      }),
    );
  },
);

test("a registration that ends before the next lookup is looked up when it ends", () => {
  const found = (milliseconds: number) =>
    ({ kind: "found", source: "rdap", expiresAt: new Date(now.getTime() + milliseconds), registration }) as const;
  expect(nextCheck(found(5 * hour), 0, now, 0)).toEqual(new Date(now.getTime() + 5 * hour));
  expect(nextCheck(found(-hour), 0, now, 0)).toEqual(new Date(now.getTime() + day));
  expect(nextCheck(found(30 * day), 0, now, 0)).toEqual(new Date(now.getTime() + day));
});

test.each([
  ["example.com", "example.com", ["com"]],
  ["a.b.example.co.uk", "example.co.uk", ["co.uk", "uk"]],
  ["xn--bcher-kva.xn--55qx5d.cn", "xn--bcher-kva.xn--55qx5d.cn", ["xn--55qx5d.cn", "cn"]],
  ["project.github.io", "github.io", ["io"]],
  ["_dmarc.example.org", "example.org", ["org"]],
  ["printer.internal", "printer.internal", ["internal"]],
])("the registrable name of %s is %s", (zone, name, suffixes) => {
  expect(registrableOf(zone)).toEqual({ name, suffixes });
});

test.each(["com", "co.uk", "xn--p1ai", "kobe.jp"])("%s is a public suffix and has no registrable name", (zone) => {
  expect(registrableOf(zone)).toBeNull();
});
