import { TRPCClientError } from "@trpc/client";
import type { ErrorCode, Issue } from "../../server/platform/errors.ts";
import type { AppRouter } from "./app-router.ts";

export type { Issue };

/**
 * The server's error code, or one of the client's own. `NETWORK_ERROR`: there was no response. `ABORTED`: the call's signal was aborted.
 * `TIMEOUT`: there was no response within `timeoutSeconds`, or `waitUntilServed` gave up. `UNEXPECTED_ANSWER`: something other than Zonewright responded, such as a proxy.
 */
export type ZonewrightErrorCode = ErrorCode | "NETWORK_ERROR" | "ABORTED" | "TIMEOUT" | "UNEXPECTED_ANSWER";

/** The error of every failed call. The message is a sentence for people. */
export interface ZonewrightError extends Error {
  /** The code, for programs. Messages may change; codes do not. */
  readonly code: ZonewrightErrorCode;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The problems of the input, with their paths; null for other errors. */
  readonly issues: Issue[] | null;
  /** The `X-Request-Id` of the call, as in the server's log. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry, if the response has `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

const errorName = "ZonewrightError";

/** Returns whether a caught value is an error of this client, and narrows it to {@link ZonewrightError}. */
export function isZonewrightError(error: unknown): error is ZonewrightError {
  return error instanceof Error && error.name === errorName;
}

/** Also a `TRPCClientError`, which libraries built on tRPC expect. */
export type ClientError = TRPCClientError<AppRouter> & ZonewrightError;

/** Converts a tRPC error. Its `data`, `shape` and `meta` stay, but are not printed. */
export function zonewrightError(
  error: TRPCClientError<AppRouter>,
  fields: Omit<ZonewrightError, keyof Error>,
): ClientError {
  for (const key of ["data", "shape", "meta", "cause"]) Object.defineProperty(error, key, { enumerable: false });
  if (error.cause === undefined) Reflect.deleteProperty(error, "cause");
  Object.defineProperty(error, "name", { value: errorName });
  return Object.assign(error, fields) as ClientError;
}

/** Returns whether no answer of Zonewright came: whether the call was carried out is unknown. */
export function isUnanswered(error: unknown): boolean {
  return isZonewrightError(error) && /NETWORK|TIMEOUT|UNEXPECTED/.test(error.code);
}

export function networkError(url: string, cause: unknown): ClientError {
  return unanswered("NETWORK_ERROR", `No response from ${url}. Check the address and the connection.`, cause);
}

export function brokenStreamError(cause: unknown): ClientError {
  return unanswered("NETWORK_ERROR", "The stream lost its connection.", cause);
}

export function abortedError(cause: unknown): ClientError {
  return unanswered("ABORTED", "The call was aborted.", cause);
}

export function timeoutError(url: string, seconds: number, cause: unknown): ClientError {
  const message = `No response from ${url} within ${seconds} seconds. Check the connection, or raise timeoutSeconds.`;
  return unanswered("TIMEOUT", message, cause);
}

/** Returns the error of a wait for name servers. */
export function notServedError(code: "TIMEOUT" | "CONFLICT", message: string): ClientError {
  return unanswered(code, message, null);
}

/** Returns the error for a call whose user has signed out in the meantime. */
export function signedOutError(): ClientError {
  const message = "You were signed out. Sign in and try again.";
  return unanswered("UNAUTHORIZED", message, null);
}

function unanswered(code: ZonewrightErrorCode, message: string, cause: unknown): ClientError {
  const error = new TRPCClientError<AppRouter>(message, cause instanceof Error ? { cause } : {});
  return zonewrightError(error, { code, status: null, issues: null, requestId: null });
}
