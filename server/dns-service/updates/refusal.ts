import { MovedAway } from "../../changes/pipeline.ts";
import { rcodes } from "../../dns/wire/messages.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";

/** Thrown to answer with an RCODE. Nothing is changed. */
export class UpdateRefused extends Error {
  readonly rcode: number;

  constructor(rcode: number, reason: string) {
    super(reason);
    this.rcode = rcode;
  }
}

/** Failures that are not the client's. */
const serverFailures: ReadonlySet<ErrorCode> = new Set(["PROVIDER_ERROR", "UNAVAILABLE", "INTERNAL_SERVER_ERROR"]);

/** Returns the RCODE for an update that was not made, and why it was not. Clients repeat an update after SERVFAIL. */
export function refusalOf(error: unknown): { rcode: number; reason: string } {
  if (error instanceof UpdateRefused) return { rcode: error.rcode, reason: error.message };
  if (!(error instanceof AppError)) return { rcode: rcodes.servFail, reason: "The service failed. Its log says why." };
  const isTransient = serverFailures.has(error.code) || error instanceof MovedAway;
  return { rcode: isTransient ? rcodes.servFail : rcodes.refused, reason: error.message };
}
