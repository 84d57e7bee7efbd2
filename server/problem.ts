import type { Response } from "express";
import { toProblem, type AppError } from "./errors.ts";

/** Answers with a problem document (RFC 9457): the one place where an error becomes an HTTP response outside tRPC. */
export function sendProblem(res: Response, error: AppError, requestId: string): void {
  const problem = toProblem(error, requestId);
  if (error.retryAfterSeconds !== null) res.setHeader("Retry-After", String(error.retryAfterSeconds));
  if (problem.status === 401) res.setHeader("WWW-Authenticate", "Bearer");
  res.status(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}
