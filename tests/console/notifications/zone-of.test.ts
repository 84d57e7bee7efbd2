import { expect, test } from "vitest";
import { staleAfter } from "../../../web/src/live/stale-after.ts";
import { zoneOf } from "../../../web/src/notifications/zone-of.ts";

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
  ["assignment.create", ["zone", "domains", "assignments", "assignment-requests"]],
  ["security.new_sign_in", []],
])("%s refreshes %j", (event, keys) => {
  expect(staleAfter(about(event, {})).map(([key]) => key)).toEqual(keys);
});
