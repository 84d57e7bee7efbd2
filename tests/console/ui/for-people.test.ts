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
  [
    "3 users sign in through this provider and could no longer do so. To continue, repeat the call with the header x-confirm-delete: true.",
    "3 users sign in through this provider and could no longer do so.",
  ],
  [
    "This domain requires reviews, so only an administrator can move it, with a reason. To override it, send `override: true` and a reason in `message`. Records are changed by a request: POST /api/domains/01a1/change-requests.",
    "This domain requires reviews, so only an administrator can move it, with a reason.",
  ],
  [
    "If this provider is gone for good, ask an administrator to move the domain to another configuration. Moving it with force: true abandons the change.",
    "If this provider is gone for good, ask an administrator to move the domain to another configuration.",
  ],
  [
    "The zone has changed since you read the request, and so has what it would do. Read it again, then approve its new `changesHash`.",
    "The zone has changed since you read the request, and so has what it would do.",
  ],
])("of “%s” people read “%s”", (message, read) => {
  expect(forPeople(message)).toBe(read);
});

test.each([
  'docs TXT "see /api/docs" is published to everybody.',
  "1 changes were refused. docs TXT /api/: The provider refused it.",
  'www TXT "repeat the call" is locked.',
  'The value "Confirm with `force: true`. " of www is too long.',
  "www TXT To change it, repeat the call with unlock: true. is locked.",
  'www TXT "x. Request one with POST /api/domains/1/change-requests. And this" is locked.',
  "www TXT x. To change it, repeat the call with force: true. is locked. The zone has 3 more of them.",
])("“%s”, which quotes what somebody wrote, is shown whole", (message) => {
  expect(forPeople(message)).toBe(message);
});
