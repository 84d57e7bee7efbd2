import { expect, test } from "vitest";
import { MovedAway } from "../../../server/zones/changes/pipeline.ts";
import { refusalOf, UpdateRefused } from "../../../server/dns-service/updates/dynamic-updates.ts";
import { AppError } from "../../../server/platform/errors.ts";

test.each([
  ["the domain was moved meanwhile", new MovedAway(), 2],
  ["the provider failed", new AppError("PROVIDER_ERROR", "It is away."), 2],
  ["the zone is busy", new AppError("UNAVAILABLE", "Another change is in progress."), 2],
  ["nobody expected it", new TypeError("x is undefined"), 2],
  ["a rule of records forbids it", new AppError("CONFLICT", "A CNAME must be alone."), 5],
  ["a review is required", new AppError("REVIEW_REQUIRED", "The domain requires reviews."), 5],
  ["the message is for another zone", new UpdateRefused(9, "This key is for the zone a."), 9],
])("an update that fails because %s gets the RCODE that has its client do the right thing", (_, error, rcode) => {
  expect(refusalOf(error).rcode).toBe(rcode);
});
