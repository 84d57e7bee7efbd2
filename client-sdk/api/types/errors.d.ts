import { TRPCClientError } from "@trpc/client";
import type { ErrorCode, Issue } from "./server/platform/errors.js";
import type { AppRouter } from "./app-router.js";
export type { Issue };
export type ZonewrightErrorCode = ErrorCode | "NETWORK_ERROR" | "ABORTED" | "TIMEOUT" | "UNEXPECTED_ANSWER";
export interface ZonewrightError extends Error {
    readonly code: ZonewrightErrorCode;
    readonly status: number | null;
    readonly issues: Issue[] | null;
    readonly requestId: string | null;
    readonly retryAfterSeconds?: number;
}
export declare function isZonewrightError(error: unknown): error is ZonewrightError;
export type ClientError = TRPCClientError<AppRouter> & ZonewrightError;
export declare function zonewrightError(error: TRPCClientError<AppRouter>, fields: Omit<ZonewrightError, keyof Error>): ClientError;
export declare function networkError(url: string, cause: unknown): ClientError;
export declare function brokenStreamError(cause: unknown): ClientError;
export declare function abortedError(cause: unknown): ClientError;
export declare function timeoutError(url: string, seconds: number, cause: unknown): ClientError;
export declare function notServedError(code: "TIMEOUT" | "CONFLICT", message: string): ClientError;
export declare function signedOutError(): ClientError;
