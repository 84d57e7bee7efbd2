import { expect } from "vitest";
import { isZonewrightError, type ZonewrightError } from "../../client-sdk/src/index.ts";

/** The error with which a call fails; fails the test if the call succeeds or throws an untyped error. */
export async function failure(call: Promise<unknown>): Promise<ZonewrightError> {
  const error: unknown = await call.then(
    () => new Error("the call succeeded"),
    (reason: unknown) => reason,
  );
  if (isZonewrightError(error)) return error;
  return expect.fail(`not a ZonewrightError: ${String(error)}`);
}
