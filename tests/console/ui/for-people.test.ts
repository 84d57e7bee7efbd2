import { expect, test } from "vitest";
import { forPeople } from "../../../web/src/ui/for-people.ts";

test.each([
  ["www A 192.0.2.1 is locked. To change it, repeat the call with unlock: true.", "www A 192.0.2.1 is locked."],
  [
    "This would delete 8 records in a zone of 12, more than 30 %. Review the plan, then repeat the call with force: true.",
    "This would delete 8 records in a zone of 12, more than 30 %.",
  ],
  [
    "This domain requires a review of each change. Request one with POST /api/domains/01a1/change-requests.",
    "This domain requires a review of each change.",
  ],
  [
    "It has 3 records that were never this domain's. Reconcile it with force: true to delete them, or set `onDrift` to `report`.",
    "It has 3 records that were never this domain's.",
  ],
  [
    "The domain is in the catalog zone c.example: its secondaries will drop this zone. Confirm with `force: true`.",
    "The domain is in the catalog zone c.example: its secondaries will drop this zone.",
  ],
  ["The provider refused it: REFUSED. Try again later.", "The provider refused it: REFUSED. Try again later."],
  ["Repeat the call with POST /api/v1.", "Repeat the call with POST /api/v1."],
])("of “%s” people read “%s”", (message, read) => {
  expect(forPeople(message)).toBe(read);
});
