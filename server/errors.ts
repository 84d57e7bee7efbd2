/** One thing wrong with an input, and where: `["records", 0, "value"]`. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

/** Every code that an answer can carry, with its HTTP status and title (contract §1). */
export const errorCodes = {
  BAD_REQUEST: { status: 400, title: "Bad request" },
  UNAUTHORIZED: { status: 401, title: "Sign-in required" },
  FORBIDDEN: { status: 403, title: "Not allowed" },
  NOT_FOUND: { status: 404, title: "Not found" },
  CONFLICT: { status: 409, title: "Conflict" },
  CONFIRMATION_REQUIRED: { status: 409, title: "Confirmation required" },
  PRECONDITION_FAILED: { status: 412, title: "Precondition failed" },
  PAYLOAD_TOO_LARGE: { status: 413, title: "Body too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: "Unsupported media type" },
  TOO_MANY_REQUESTS: { status: 429, title: "Too many requests" },
  INTERNAL_SERVER_ERROR: { status: 500, title: "Internal error" },
  PROVIDER_ERROR: { status: 502, title: "DNS provider error" },
  UNAVAILABLE: { status: 503, title: "Unavailable" },
} as const;

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
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.issues = options.issues ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.note = options.note ?? null;
  }
}

/** A refused field of the input. */
export function badField(path: (string | number)[], message: string): AppError {
  return new AppError("BAD_REQUEST", message, { issues: [{ path, message }] });
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
