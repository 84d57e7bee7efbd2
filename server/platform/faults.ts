import { AppError } from "./errors.ts";

/** Socket errors, and PostgreSQL errors that mean "not at this moment", not "the statement is wrong". */
const awayCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  // Serialization failure and deadlock: the same call works when it is repeated.
  "40001",
  "40P01",
  "55P03",
  "57014",
  // The database was dropped or renamed.
  "3D000",
]);
/** Classes: connection, authorization, resources, operator intervention, system (PostgreSQL documentation, appendix A). */
const awayClasses = /^(?:08|28|53|57P|58)/;
/** Read-only transaction, disk full; the same from the file system below the embedded database. */
const unwritableCodes = new Set(["25006", "53100", "ENOSPC", "EDQUOT", "EROFS"]);
const tlsCodes = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL)|CERT|UNABLE_TO_/;
/** Connections that broke or were closed, for which the drivers give no code. */
const awayText =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|PGlite is clos|after calling end on the pool|driver has already been destroyed|connection error/i;
/** Text that PostgreSQL cannot store; schemas refuse it before, this is the net below them. */
const badTextCodes = new Set(["22021", "22P05", "22P02", "22003", "22008"]);

function codeOf(fault: unknown): string | undefined {
  if (typeof fault !== "object" || fault === null) return undefined;
  if ("code" in fault && typeof fault.code === "string") return fault.code;
  return "cause" in fault ? codeOf(fault.cause) : undefined;
}

function isAway(code: string): boolean {
  return awayCodes.has(code) || awayClasses.test(code) || tlsCodes.test(code);
}

/** An answer to what nobody threw on purpose; `cause` is what happened. */
export class Fault extends AppError {}

/** Whether the database refused to store anything: it is read-only or has no space left. */
export function isUnwritable(fault: unknown): boolean {
  return unwritableCodes.has(codeOf(fault) ?? "");
}

/** Turns what nobody threw on purpose into an answer that gives nothing away. */
export function faultToAppError(fault: unknown): AppError {
  if (fault instanceof AppError) return fault;
  const code = codeOf(fault);
  const text = fault instanceof Error ? fault.message : "";
  if (isUnwritable(fault)) {
    return new Fault("UNAVAILABLE", "The database accepts no changes at the moment. Try again later.", {
      retryAfterSeconds: 30,
      cause: fault,
    });
  }
  if ((code !== undefined && isAway(code)) || awayText.test(text)) {
    return new Fault("UNAVAILABLE", "The database cannot be reached at the moment; try again shortly.", {
      retryAfterSeconds: 2,
      cause: fault,
    });
  }
  if (code === "23505") {
    return new Fault("CONFLICT", "Something with the same name was made at the same time.", { cause: fault });
  }
  if (code === "23503") {
    return new Fault("CONFLICT", "Something that this belongs to was deleted at the same time.", { cause: fault });
  }
  if (code !== undefined && badTextCodes.has(code)) {
    return new Fault("BAD_REQUEST", "A value holds characters or numbers that cannot be stored.", { cause: fault });
  }
  return new Fault("INTERNAL_SERVER_ERROR", "Something went wrong on our side; the request id finds it in the log.", {
    cause: fault,
  });
}
