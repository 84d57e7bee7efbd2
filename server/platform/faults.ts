import { AppError } from "./errors.ts";

/** Socket errors, and PostgreSQL errors that are temporary rather than caused by the statement. */
const awayCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "57014",
  // The database was dropped or renamed.
  "3D000",
]);
/** Serialization failure, deadlock, lock timeout: others had the same rows, and a retry can succeed. */
const lockCodes = new Set(["40001", "40P01", "55P03"]);
/** Classes: connection, authorization, resources, operator intervention, system (PostgreSQL documentation, appendix A). */
const awayClasses = /^(?:08|28|53|57P|58)/;
/** Read-only transaction or disk full, from PostgreSQL or the embedded database's file system. */
const unwritableCodes = new Set(["25006", "53100", "ENOSPC", "EDQUOT", "EROFS"]);
const tlsCodes = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL)|CERT|UNABLE_TO_/;
/** Broken or closed connections, for which the drivers have no code. */
const awayText =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|PGlite is clos|after calling end on the pool|driver has already been destroyed|connection error/i;
/** Values that PostgreSQL cannot store. A safety net, because schemas refuse them first. */
const badTextCodes = new Set(["22021", "22P05", "22P02", "22003", "22008"]);

function codeOf(fault: unknown): string | undefined {
  if (typeof fault !== "object" || fault === null) return undefined;
  if ("code" in fault && typeof fault.code === "string") return fault.code;
  return "cause" in fault ? codeOf(fault.cause) : undefined;
}

function isAway(code: string): boolean {
  return awayCodes.has(code) || awayClasses.test(code) || tlsCodes.test(code);
}

/** The response to an unexpected error, which is its `cause`. */
export class Fault extends AppError {}

/** Returns whether the database refused a write because it is read-only or full. */
export function isUnwritable(fault: unknown): boolean {
  return unwritableCodes.has(codeOf(fault) ?? "");
}

/** Returns whether a transaction ended because others had the rows that it needs. */
export function isLockConflict(fault: unknown): boolean {
  return lockCodes.has(codeOf(fault) ?? "");
}

/** Converts an unexpected error into a response that reveals no internals. Returns an AppError unchanged. */
export function faultToAppError(fault: unknown): AppError {
  if (fault instanceof AppError) return fault;
  const code = codeOf(fault);
  const text = fault instanceof Error ? fault.message : "";
  if (isUnwritable(fault)) {
    return new Fault("UNAVAILABLE", "The database does not accept changes at the moment. Try again later.", {
      retryAfterSeconds: 30,
      cause: fault,
    });
  }
  if (isLockConflict(fault)) {
    return new Fault("UNAVAILABLE", "Other changes of the same data are in progress. Try again shortly.", {
      retryAfterSeconds: 2,
      cause: fault,
    });
  }
  if ((code !== undefined && isAway(code)) || awayText.test(text)) {
    return new Fault("UNAVAILABLE", "The database is unreachable at the moment. Try again shortly.", {
      retryAfterSeconds: 2,
      cause: fault,
    });
  }
  if (code === "23505") {
    return new Fault(
      "CONFLICT",
      "Another request created an object with the same name at the same time. Read the current state and try again.",
      { cause: fault },
    );
  }
  if (code === "23503") {
    return new Fault(
      "CONFLICT",
      "Another request deleted an object that this one depends on. Read the current state and try again.",
      { cause: fault },
    );
  }
  if (code !== undefined && badTextCodes.has(code)) {
    return new Fault("BAD_REQUEST", "A value contains characters or numbers that cannot be stored. Correct it.", {
      cause: fault,
    });
  }
  return new Fault(
    "INTERNAL_SERVER_ERROR",
    "An internal error occurred. Report it with the request id, which identifies it in the log.",
    {
      cause: fault,
    },
  );
}
