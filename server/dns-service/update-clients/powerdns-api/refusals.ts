import { MovedAway } from "../../../zones/changes/pipeline.ts";
import { AppError, errorCodes, type ErrorCode } from "../../../platform/errors.ts";

/** A refusal of what a call says, which PowerDNS answers with 422. */
export class Unprocessable extends AppError {}

/** Codes of refusals that say something about the content of a change, once the caller may change the zone at all. */
const aboutContent: ReadonlySet<ErrorCode> = new Set(["BAD_REQUEST", "FORBIDDEN", "CONFLICT", "CONFIRMATION_REQUIRED"]);

/** Only a lock asks for a confirmation of a change. */
const lockAdvice = "change it in Zonewright, or clear its lock";

/**
 * Waits for a change. @throws Unprocessable for a refusal of its content
 * @param advice what to do about a confirmation that it needs, which PowerDNS's API has no way to give
 */
export async function withinContent<T>(change: Promise<T>, advice = lockAdvice): Promise<T> {
  try {
    return await change;
  } catch (error) {
    // Nothing is wrong with the content, and the same call may succeed.
    if (error instanceof MovedAway)
      throw new AppError("UNAVAILABLE", error.message, { retryAfterSeconds: 1, cause: error });
    if (!(error instanceof AppError) || !aboutContent.has(error.code)) throw error;
    const { code, message, note, cause } = error;
    const hint = code === "CONFIRMATION_REQUIRED" ? ` PowerDNS's API cannot say so: ${advice}.` : "";
    throw new Unprocessable(code, message + hint, { ...(note ? { note } : {}), cause });
  }
}

/** Returns the status for an error. */
export function statusOf(error: AppError): number {
  return error instanceof Unprocessable ? 422 : errorCodes[error.code].status;
}
