import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "./app-router.js";
import { type ClientError } from "./errors.js";
export interface AnswerHead {
    readonly status: number;
    readonly headers: Headers;
}
export declare function trpcAnswerError(error: TRPCClientError<AppRouter>, head: AnswerHead): ClientError;
export declare function problemError(head: AnswerHead, problem: Readonly<Record<string, unknown>>): ClientError;
export declare function unexpectedAnswer(url: string, head: AnswerHead, cause?: unknown): ClientError;
export declare function retryAfterSeconds(headers: Headers): number | null;
