/** A fault in the input and its location, such as `["records", 0, "value"]`. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

interface ErrorKind {
  status: number;
  title: string;
  /** When it occurs. */
  when: string;
  /** What the caller can do. */
  advice: string;
}

/** Every error code of the API (contract §1). Source of docs/reference/errors.md. */
export const errorCodes = {
  BAD_REQUEST: {
    status: 400,
    title: "Bad request",
    when: "Malformed JSON, an unknown or missing field, or an invalid value. `issues` names the fields.",
    advice: "Correct the fields in `issues`. Do not retry the same call.",
  },
  UNAUTHORIZED: {
    status: 401,
    title: "Sign-in required",
    when: "Credentials are missing, expired, revoked, or of a kind that the call does not accept.",
    advice: "Refresh the session with `POST /api/auth/refresh`. If that also returns 401, sign in again.",
  },
  FORBIDDEN: {
    status: 403,
    title: "Not allowed",
    when: "The role, the token's permissions or the assignment does not allow the call, or the current password is wrong.",
    advice: "Ask an administrator, or use a token with the required permission. Do not retry the same call.",
  },
  REAUTHENTICATION_REQUIRED: {
    status: 403,
    title: "Confirmation of the session required",
    when: "The call changes how the account can be accessed, and the session was last confirmed more than ten minutes ago.",
    advice: "Confirm the session with `POST /api/auth/me/confirm`, or sign in again, then repeat the call.",
  },
  NOT_FOUND: {
    status: 404,
    title: "Not found",
    when: "The path or id is unknown, or the caller may not see it. The response does not reveal which.",
    advice: "Check the id and the object's owner.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "Method not allowed",
    when: "The path does not support this method. The `Allow` header lists the supported ones.",
    advice: "Use one of the methods in `Allow`.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: "Request too slow",
    when: "The headers did not arrive within 10 seconds, or the body within 30. The connection is closed.",
    advice: "Repeat the call on a new connection.",
  },
  CONFLICT: {
    status: 409,
    title: "Conflict",
    when: "The call conflicts with the current state: a duplicate, a CNAME beside other records, an outdated plan, or the last sign-in method.",
    advice: "Read the current state and decide again. `detail` names the conflict.",
  },
  CONFIRMATION_REQUIRED: {
    status: 409,
    title: "Confirmation required",
    when: "The call would delete over 30 % of a zone of ten or more records, change a locked record, or delete something that other users depend on.",
    advice:
      "Review the effect with `dryRun`, then repeat the call with `force: true`, `unlock: true` or the header `x-confirm-delete: true`, as `detail` says.",
  },
  REVIEW_REQUIRED: {
    status: 409,
    title: "Review required",
    when: "The domain requires a review of each change, and this change has none.",
    advice:
      "Request the change with `POST /api/domains/{id}/change-requests`. Administrators may pass `override: true` and say why in `message`.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: "Precondition failed",
    when: "`If-Match` does not match the record's current version.",
    advice: "Read the record again and repeat the change with its current `ETag`.",
  },
  HISTORY_GONE: {
    status: 410,
    title: "History deleted",
    when: "The state at that revision is no longer stored: it is older than `SNAPSHOT_RETENTION` and not part of a snapshot.",
    advice: "Use a revision at or after the domain's `historyFrom`, or one with a snapshot.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: "Body too large",
    when: "The decompressed body exceeds 1 MiB (64 KiB for unauthenticated calls, 16 MiB for plans, applied plans, change requests, zone-file and portfolio imports).",
    advice: "Split the request, sign in first, or import larger zones from the provider.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: "Unsupported media type",
    when: "The body is not JSON in UTF-8, plain or compressed with gzip, deflate or br.",
    advice: "Send JSON with `Content-Type: application/json`.",
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: "Too many requests",
    when: "A limit of calls, wrong passwords or codes, or open streams is reached. `detail` names the limit.",
    advice: "Wait the number of seconds in `Retry-After`, then retry.",
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    title: "Internal error",
    when: "An unexpected error in the service.",
    advice: "Report it with `requestId`, which identifies the error in the log.",
  },
  PROVIDER_ERROR: {
    status: 502,
    title: "DNS provider error",
    when: "The DNS provider refused the call, failed or did not respond. `detail` has its message, without secrets.",
    advice: "Read the provider's message, and test its configuration with `POST /api/provider-configs/{id}/test`.",
  },
  UNAVAILABLE: {
    status: 503,
    title: "Unavailable",
    when: "The database is unreachable, the service is stopping, too many sign-ins are waiting, or another change to the zone is in progress.",
    advice: "Wait the number of seconds in `Retry-After`, then retry.",
  },
} satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

/** A log entry about a refusal, for the operator. Contains no secrets and no text from the caller. */
export interface LogNote {
  text: string;
  [field: string]: string | null;
}

/** The error that services throw. The message is for the caller: what is wrong and what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | null;
  /** Seconds after which a repeated call may succeed. */
  readonly retryAfterSeconds: number | null;
  /** Null: nothing to log. */
  readonly note: LogNote | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { issues?: Issue[]; retryAfterSeconds?: number; note?: LogNote; cause?: unknown } = {},
  ) {
    super(truncated(message), { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.issues = options.issues?.map((issue) => ({ ...issue, message: truncated(issue.message) })) ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.note = options.note ?? null;
  }
}

/** Room for two names of 253 characters and the text around them. */
const longestMessage = 1000;

/** Truncates a message, which may repeat the caller's input. */
function truncated(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message;
}

/** Maximum characters of a client's text in a message or path. */
const shownCharacters = 64;

/** Returns an input path for messages and issues, with long client-defined keys truncated. */
export function shownPath(path: Issue["path"]): Issue["path"] {
  return path.map((part) =>
    typeof part === "string" && part.length > shownCharacters ? `${part.slice(0, shownCharacters)}…` : part,
  );
}

/** Returns the error for an invalid field of the input. */
export function badField(path: (string | number)[], message: string): AppError {
  return new AppError("BAD_REQUEST", message, { issues: [{ path: shownPath(path), message }] });
}

export function notFound(what: string): AppError {
  return new AppError("NOT_FOUND", `The ${what} does not exist, or you do not have access to it.`);
}

/** Returns the error for calls and streams during shutdown. */
export function stopping(): AppError {
  return new AppError("UNAVAILABLE", "The service is stopping. Try again shortly.", { retryAfterSeconds: 5 });
}

/** Returns the error for a duplicate name. */
export function nameTaken(what: string, name: string, cause: Error): AppError {
  const issues = [{ path: ["name"], message: "This name is already taken. Choose another." }];
  return new AppError("CONFLICT", `A ${what} named ${name} already exists. Choose another name.`, { issues, cause });
}

/** An error response (RFC 9457), identical across layers. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  message: string;
  issues: Issue[] | null;
  requestId: string;
}

export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = errorCodes[error.code];
  return {
    type: "about:blank",
    title,
    status,
    detail: error.message,
    code: error.code,
    message: error.message,
    issues: error.issues,
    requestId,
  };
}

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
