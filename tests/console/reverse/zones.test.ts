import { expect, test } from "vitest";
import { changesOf, zonesOf, type Change } from "../../../web/src/reverse/zones.ts";

const zone = { domainId: "z", domainName: "2.0.192.in-addr.arpa" };
const finding = (problem: "missing" | "stale", name: string, recordId: string | null) => ({
  ...zone,
  problem,
  address: `192.0.2.${name}`,
  name,
  recordId,
  value: null,
  expected: null,
  sourceId: null,
});
const create: Change = { action: "create", record: { recordType: "PTR", name: "1", value: "www.example" } };
const remove: Change = { action: "delete", recordId: "r" };

test("the pages of a report are one list per zone, and a change that comes with two pages is made once", () => {
  const [first, second] = [finding("missing", "1", null), finding("stale", "9", "r")];
  const pages = [
    { findings: [first], plan: [{ ...zone, changes: [create] }] },
    { findings: [second], plan: [{ ...zone, changes: [{ ...create }, remove] }] },
  ];
  expect(zonesOf(pages)).toEqual([{ ...zone, findings: [first, second], changes: [create, remove] }]);
});

test("each finding is mended by its own change alone", () => {
  const changes = [create, remove];
  expect(changesOf(finding("missing", "1", null), changes)).toEqual([create]);
  expect(changesOf(finding("stale", "9", "r"), changes)).toEqual([remove]);
  expect(changesOf(finding("missing", "2", null), changes)).toEqual([]);
});
