import type { TRPCClientError, TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { trpcAnswerError, unexpectedAnswer, type AnswerHead } from "./answer-errors.ts";
import type { AppRouter } from "./app-router.ts";
import { abortedError, isZonewrightError } from "./errors.ts";

/** Converts every failure of a call to a ZonewrightError. */
export function errorLink(url: string): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) =>
      observable((observer) =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error: (error) => observer.error(op.signal?.aborted ? abortedError(op.signal.reason) : typed(error, url)),
        }),
      );
}

function typed(error: TRPCClientError<AppRouter>, url: string): TRPCClientError<AppRouter> {
  const head = error.meta?.["response"] as AnswerHead | undefined;
  // Without a response, the call itself failed, such as an input that has no JSON form.
  if (isZonewrightError(error) || !head) return error;
  return error.data ? trpcAnswerError(error, head) : unexpectedAnswer(url, head, error);
}
