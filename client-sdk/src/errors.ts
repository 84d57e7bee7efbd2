import { TRPCClientError } from "@trpc/client";
import type { ErrorCode, Issue } from "../../server/platform/errors.ts";
import type { AppRouter } from "./app-router.ts";

export type { Issue };

/**
 * What went wrong: the server's code, or one of the client's own. `NETWORK_ERROR`: no answer came. `ABORTED`: the call's
 * signal was aborted. `TIMEOUT`: no answer came within `timeoutSeconds`. `UNEXPECTED_ANSWER`: something other than Zonewright answered, such as a proxy.
 */
export type ZonewrightErrorCode = ErrorCode | "NETWORK_ERROR" | "ABORTED" | "TIMEOUT" | "UNEXPECTED_ANSWER";

/** What every call of the client fails with. The message is a sentence for people. */
export interface ZonewrightError extends Error {
  /** What went wrong, for programs; the message may get better words. */
  readonly code: ZonewrightErrorCode;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** What is wrong with the input, and where; null where the input is not the trouble. */
  readonly issues: Issue[] | null;
  /** The `X-Request-Id` under which the server's log has the call. */
  readonly requestId: string | null;
  /** Seconds after which to try again, where the answer said so. */
  readonly retryAfterSeconds?: number;
}

const errorName = "ZonewrightError";

/** Whether a caught value is an error of this client; narrows it to {@link ZonewrightError}. */
export function isZonewrightError(error: unknown): error is ZonewrightError {
  return error instanceof Error && error.name === errorName;
}

/** What is thrown is a `TRPCClientError` too: libraries built on tRPC look for one. */
export type ClientError = TRPCClientError<AppRouter> & ZonewrightError;

/** Makes a tRPC error one of ours; its `data`, `shape` and `meta` stay, but say nothing more when it is printed. */
export function zonewrightError(
  error: TRPCClientError<AppRouter>,
  fields: Omit<ZonewrightError, keyof Error>,
): ClientError {
  for (const key of ["data", "shape", "meta", "cause"]) Object.defineProperty(error, key, { enumerable: false });
  if (error.cause === undefined) Reflect.deleteProperty(error, "cause");
  Object.defineProperty(error, "name", { value: errorName });
  return Object.assign(error, fields) as ClientError;
}

export function networkError(url: string, cause: unknown): ClientError {
  return unanswered("NETWORK_ERROR", `No answer came from ${url}; check the address and the connection.`, cause);
}

export function brokenStreamError(cause: unknown): ClientError {
  return unanswered("NETWORK_ERROR", "The connection of the stream broke.", cause);
}

export function abortedError(cause: unknown): ClientError {
  return unanswered("ABORTED", "The call was aborted.", cause);
}

export function timeoutError(url: string, seconds: number, cause: unknown): ClientError {
  const message = `No answer came from ${url} within ${seconds} seconds; raise timeoutSeconds, or check the connection.`;
  return unanswered("TIMEOUT", message, cause);
}

/** For what went on as somebody who is not signed in any more. */
export function signedOutError(): ClientError {
  const message = "You were signed out meanwhile: sign in and start again.";
  return unanswered("UNAUTHORIZED", message, null);
}

function unanswered(code: ZonewrightErrorCode, message: string, cause: unknown): ClientError {
  const error = new TRPCClientError<AppRouter>(message, cause instanceof Error ? { cause } : {});
  return zonewrightError(error, { code, status: null, issues: null, requestId: null });
}
