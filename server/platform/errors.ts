/** One thing wrong with an input, and where: `["records", 0, "value"]`. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

interface ErrorKind {
  status: number;
  title: string;
  /** When it comes. */
  when: string;
  /** What whoever calls can do. */
  advice: string;
}

/** Every code that an answer can carry (contract §1); docs/reference/errors.md is made of it. */
export const errorCodes = {
  BAD_REQUEST: {
    status: 400,
    title: "Bad request",
    when: "Malformed JSON, an unknown or missing field, or a value that breaks a rule. `issues` names the fields.",
    advice: "Correct what `issues` names. The same call fails again.",
  },
  UNAUTHORIZED: {
    status: 401,
    title: "Sign-in required",
    when: "No credentials, or such that are expired, revoked, or of another kind than the call takes.",
    advice: "Refresh the session with `POST /api/auth/refresh`; where that is 401 as well, sign in again.",
  },
  FORBIDDEN: {
    status: 403,
    title: "Not allowed",
    when: "Signed in, but the role, the token's permissions or the assignment does not allow it; or a current password is wrong.",
    advice: "Ask an administrator, or use a token with the permission that the call names. Repeating it does not help.",
  },
  REAUTHENTICATION_REQUIRED: {
    status: 403,
    title: "Confirmation of the session required",
    when: "The call changes a way into the account, and the session was last confirmed more than ten minutes ago.",
    advice: "Confirm the session with `POST /api/auth/me/confirm`, or sign in again, then repeat the call.",
  },
  NOT_FOUND: {
    status: 404,
    title: "Not found",
    when: "An unknown path or id, or one that the caller may not see: the answer does not tell which.",
    advice: "Check the id, and who owns what it names.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "Method not allowed",
    when: "The path is known, and does not take this method. The header `Allow` lists the methods that it takes.",
    advice: "Use one of the methods in `Allow`.",
  },
  CONFLICT: {
    status: 409,
    title: "Conflict",
    when: "It does not fit what is there: a duplicate, a CNAME beside other records, a plan whose zone has changed, the last way to sign in.",
    advice: "Read the present state, and decide anew; `detail` says what is in the way.",
  },
  CONFIRMATION_REQUIRED: {
    status: 409,
    title: "Confirmation required",
    when: "More would be lost than is usual: over 30 % of a zone of ten or more records, or what other users are bound to.",
    advice:
      "Look at it first (`dryRun`), then repeat the call with `force: true`, or with the header `x-confirm-delete: true`.",
  },
  REVIEW_REQUIRED: {
    status: 409,
    title: "Review required",
    when: "Reserved: the domain takes changes only after a review. No call answers it yet.",
    advice: "Ask for a review of the change.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: "Precondition failed",
    when: "`If-Match` names another version than the record has by now.",
    advice: "Read the record again, and repeat the change with its present `ETag`.",
  },
  HISTORY_GONE: {
    status: 410,
    title: "History deleted",
    when: "The state at that revision is no longer stored: it is older than `SNAPSHOT_RETENTION`, and no snapshot keeps it.",
    advice: "Use a revision from the domain's `historyFrom` on, or one that has a snapshot.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: "Body too large",
    when:
      "The body, inflated, has more than 1 MiB; without sign-in, more than 64 KiB; for plans, applied plans and zone-file imports, more " +
      "than 16 MiB.",
    advice: "Send it in parts, sign in first, or import larger zones from the provider.",
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
    when: "A limit of calls, of wrong passwords or codes, or of open streams is reached; `detail` names it.",
    advice: "Wait as many seconds as `Retry-After` says, then repeat the call.",
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    title: "Internal error",
    when: "A fault of the service.",
    advice: "Report it with `requestId`, by which the log tells what happened.",
  },
  PROVIDER_ERROR: {
    status: 502,
    title: "DNS provider error",
    when: "The DNS provider refused, failed or did not answer; `detail` has its words, without secrets.",
    advice: "Look at the provider's words; try its configuration with `POST /api/provider-configs/{id}/test`.",
  },
  UNAVAILABLE: {
    status: 503,
    title: "Unavailable",
    when: "The database is away, the service is stopping, too many sign-ins wait, or another change to the zone is under way.",
    advice: "Wait as many seconds as `Retry-After` says, then repeat the call.",
  },
} satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorCodes;

/** What the log should say of a refusal, for whoever runs the service. Never a secret, and no text of the caller's. */
export interface LogNote {
  text: string;
  [field: string]: string | null;
}

/** What services throw. The message is for the person who made the call: what is wrong and what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | null;
  /** Seconds after which a repeated call may succeed. */
  readonly retryAfterSeconds: number | null;
  /** Null: the refusal is the caller's business alone. */
  readonly note: LogNote | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: { issues?: Issue[]; retryAfterSeconds?: number; note?: LogNote; cause?: unknown } = {},
  ) {
    super(notEndless(message), { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.issues = options.issues?.map((issue) => ({ ...issue, message: notEndless(issue.message) })) ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.note = options.note ?? null;
  }
}

/** Room for two names of 253 characters and what is said of them. */
const longestMessage = 1000;

/** A message that repeats what was given is cut, should nobody have done that before. */
function notEndless(message: string): string {
  return message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message;
}

/** How much of a client's own text a message or a path repeats. */
const shownCharacters = 64;

/** A path of an input, for messages and issues: keys that a client made up are not repeated endlessly. */
export function shownPath(path: Issue["path"]): Issue["path"] {
  return path.map((part) =>
    typeof part === "string" && part.length > shownCharacters ? `${part.slice(0, shownCharacters)}…` : part,
  );
}

/** A refused field of the input. */
export function badField(path: (string | number)[], message: string): AppError {
  return new AppError("BAD_REQUEST", message, { issues: [{ path: shownPath(path), message }] });
}

export function notFound(what: string): AppError {
  return new AppError("NOT_FOUND", `There is no such ${what}, or you may not see it.`);
}

/** For calls and streams that come while the service ends. */
export function stopping(): AppError {
  return new AppError("UNAVAILABLE", "The service is stopping; try again shortly.", { retryAfterSeconds: 5 });
}

/** A name that another thing of its kind has. */
export function nameTaken(what: string, name: string, cause: Error): AppError {
  const issues = [{ path: ["name"], message: "This name is taken." }];
  return new AppError("CONFLICT", `There is a ${what} named ${name} already.`, { issues, cause });
}

/** An error answer (RFC 9457), the same from every layer. */
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
