import { TRPCClientError } from "@trpc/client";
import type { ErrorCode } from "../../server/platform/errors.ts";
import type { AppRouter } from "./app-router.ts";
import { zonewrightError, type ClientError, type Issue } from "./errors.ts";

/** Status and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
}

const serverCodes: Record<ErrorCode, true> = {
  BAD_REQUEST: true,
  UNAUTHORIZED: true,
  FORBIDDEN: true,
  REAUTHENTICATION_REQUIRED: true,
  NOT_FOUND: true,
  METHOD_NOT_ALLOWED: true,
  REQUEST_TIMEOUT: true,
  CONFLICT: true,
  CONFIRMATION_REQUIRED: true,
  REVIEW_REQUIRED: true,
  PRECONDITION_FAILED: true,
  HISTORY_GONE: true,
  PAYLOAD_TOO_LARGE: true,
  UNSUPPORTED_MEDIA_TYPE: true,
  TOO_MANY_REQUESTS: true,
  INTERNAL_SERVER_ERROR: true,
  PROVIDER_ERROR: true,
  UNAVAILABLE: true,
};

/** Returns the error that a tRPC response carries in `error.data`. */
export function trpcAnswerError(error: TRPCClientError<AppRouter>, head: AnswerHead): ClientError {
  return describedError(error, head, { ...error.data });
}

/** Returns the error for a problem document (RFC 9457), the service's or a proxy's. */
export function problemError(head: AnswerHead, problem: Readonly<Record<string, unknown>>): ClientError {
  const { detail, title } = problem;
  const message = [detail, title].find((text): text is string => typeof text === "string" && text !== "");
  return describedError(new TRPCClientError(message ?? `HTTP ${head.status}`), head, problem);
}

/** Returns the error for a response that did not come from Zonewright. */
export function unexpectedAnswer(url: string, head: AnswerHead, cause?: unknown): ClientError {
  const message = `HTTP ${head.status} from ${url} is not a response from Zonewright. Check the address and any proxy in front of it.`;
  return describedError(new TRPCClientError(message, cause instanceof Error ? { cause } : {}), head, {});
}

function describedError(
  error: TRPCClientError<AppRouter>,
  { status, headers }: AnswerHead,
  { code, issues, requestId }: Readonly<Record<string, unknown>>,
): ClientError {
  const seconds = retryAfterSeconds(headers);
  return zonewrightError(error, {
    code: isServerCode(code) ? code : "UNEXPECTED_ANSWER",
    status,
    issues: Array.isArray(issues) ? (issues as Issue[]) : null,
    requestId: typeof requestId === "string" ? requestId : headers.get("x-request-id"),
    ...(seconds === null ? {} : { retryAfterSeconds: seconds }),
  });
}

function isServerCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(serverCodes, code);
}

/** Returns the seconds of `Retry-After`, given as seconds or a date (RFC 9110 §10.2.3), or null without it. */
export function retryAfterSeconds(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
