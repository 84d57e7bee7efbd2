import { randomUUID } from "node:crypto";
import type { Response } from "express";
import { toProblem, type AppError } from "../platform/errors.ts";

/** Sends an error as a problem document (RFC 9457). All error responses outside tRPC use it. */
export function sendProblem(res: Response, error: AppError, requestId: string): void {
  const problem = toProblem(error, requestId);
  if (error.retryAfterSeconds !== null) res.setHeader("Retry-After", String(error.retryAfterSeconds));
  res.setHeader("Cache-Control", "no-store");
  if (problem.status === 401) res.setHeader("WWW-Authenticate", "Bearer");
  res.status(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}

/** Returns a complete HTTP response with a problem document, for a request that the HTTP parser refused. */
export function rawProblem(error: AppError): string {
  const requestId = randomUUID();
  const problem = toProblem(error, requestId);
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    "Content-Type: application/problem+json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
