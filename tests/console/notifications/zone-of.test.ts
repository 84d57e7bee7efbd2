import { expect, test } from "vitest";
import { staleAfter } from "../../../web/src/live/stale-after.ts";
import { requestOf, zoneOf } from "../../../web/src/notifications/zone-of.ts";

type About = Parameters<typeof zoneOf>[0];
const about = (event: string, metadata: object) => ({ event, metadata }) as About;

test.each([
  ["zone.drift", { domainId: "1", domainName: "example.com" }, "example.com"],
  ["domain.expiring", { domainName: "example.com!internal" }, "example.com!internal"],
  ["assignment.delete", { domainName: "example.com" }, null],
  ["security.new_sign_in", { ip: "192.0.2.1" }, null],
  ["zone.drift", { domainName: null }, null],
])("%s about %j leads to %j", (event, metadata, name) => {
  expect(zoneOf(about(event, metadata))).toBe(name);
});

test.each([
  ["zone.drift", ["zone", "domains"]],
  [
    "assignment.create",
    [
      "own-rights",
      "records",
      "record-types",
      "plan",
      "history",
      "requests",
      "zone",
      "domains",
      "assignments",
      "assignment-requests",
    ],
  ],
  ["change.approved", ["requests"]],
  ["security.new_sign_in", []],
])("%s refreshes %j", (event, keys) => {
  expect(staleAfter(about(event, {})).map(([key]) => key)).toEqual(keys);
});

test("a notification about a change request leads to it", () => {
  expect(requestOf(about("change.requested", { changeRequestId: "7", number: 12 }))).toEqual({ id: "7", number: 12 });
  expect(requestOf(about("zone.drift", { domainId: "1" }))).toBeNull();
});
