import { expect } from "vitest";
import { isZonewrightError, type ZonewrightError } from "../../client-sdk/src/index.ts";

/** The error with which a call fails; fails the test when it succeeds, or fails with anything untyped. */
export async function failure(call: Promise<unknown>): Promise<ZonewrightError> {
  const error: unknown = await call.then(
    () => new Error("the call succeeded"),
    (reason: unknown) => reason,
  );
  if (isZonewrightError(error)) return error;
  return expect.fail(`not a ZonewrightError: ${String(error)}`);
}
