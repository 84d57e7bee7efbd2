import type { AppError } from "../platform/errors.ts";
import { Fault } from "../platform/faults.ts";
import type { Health } from "../database/health.ts";
import type { Logger } from "../platform/log.ts";

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
