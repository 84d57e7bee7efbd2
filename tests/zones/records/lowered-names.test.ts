import { expect, test } from "vitest";
import { noNotes, type PlannedChange, type Spelling } from "../../../server/dns/record.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { loweredNames } from "../../../server/zones/records/warnings.ts";

const create = (spelling: Spelling): PlannedChange => ({
  action: "create",
  id: "1",
  before: null,
  after: {
    recordType: "CNAME",
    name: "web",
    value: "www.example.net",
    ...spelling,
    strings: null,
    ttl: 300,
    priority: null,
    proxied: false,
    status: "active",
    ...noNotes,
  },
});

const both = create({ writtenName: "Web", writtenValue: "Www.Example.net" });

test.each([
  ["keeps names", undefined, []],
  ["folds owners", "owners", ["Vendor stores record names in lower case: Web. "]],
  ["folds all names", "names", ["Vendor stores names in lower case: Web, Www.Example.net. "]],
] as const)("a plan for a provider that %s warns of the capitals that it loses", (_, lowersCase, warnings) => {
  const kind = { name: "Vendor", ...(lowersCase ? { lowersCase } : {}) };
  const found = atOnce(loweredNames(kind, [both, create({})]));
  expect(found).toEqual(warnings.map((warning) => `${warning}They stay as written here. DNS ignores the difference.`));
});
