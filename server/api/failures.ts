import { type AppError, toProblem, Fault } from "../platform/errors.ts";
import type { Health } from "../database/health.ts";
import type { Logger } from "../platform/log.ts";
import { randomUUID } from "node:crypto";
import type { Response } from "express";

/** Errors already logged, because an error passes several layers. */
const logged = new WeakSet<AppError>();

/**
 * Logs a failed call once: faults and provider errors with their cause, and refusals with a note. Mistakes of the caller are not logged.
 */
export function logFailure(
  { log, health }: { log: Logger; health: Pick<Health, "note"> },
  error: AppError,
  fields: { requestId: string; procedure?: string; zone?: string },
): void {
  if (logged.has(error)) return;
  logged.add(error);
  if (error instanceof Fault) health.note(error.cause);
  const { code } = error;
  if (code === "INTERNAL_SERVER_ERROR") log.error({ ...fields, code, err: error.cause ?? error }, "call failed");
  else if (error instanceof Fault || code === "PROVIDER_ERROR")
    log.warn(
      { ...fields, code, err: error.cause ?? error },
      "call failed because a dependency was unavailable or refused it",
    );
  else if (error.note) {
    const { text, ...details } = error.note;
    log.warn({ ...fields, code, ...details }, text);
  }
}

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
