import type { AppError } from "../platform/errors.ts";
import { Fault } from "../platform/faults.ts";
import type { Health } from "../database/health.ts";
import type { Logger } from "../platform/log.ts";

/** An error passes several layers on its way out; the first one that tells of it is enough. */
const told = new WeakSet<AppError>();

/**
 * Tells the operator of a failed call, once: faults and what a DNS provider did, with their cause, and refusals that carry a
 * note. What a caller did wrong is told to the caller only.
 */
export function logFailure(
  { log, health }: { log: Logger; health: Pick<Health, "note"> },
  error: AppError,
  fields: { requestId: string; procedure?: string; zone?: string },
): void {
  if (told.has(error)) return;
  told.add(error);
  if (error instanceof Fault) health.note(error.cause);
  const { code } = error;
  if (code === "INTERNAL_SERVER_ERROR") log.error({ ...fields, code, err: error.cause ?? error }, "a call failed");
  else if (error instanceof Fault || code === "PROVIDER_ERROR")
    log.warn({ ...fields, code, err: error.cause ?? error }, "a call could not be carried out");
  else if (error.note) {
    const { text, ...details } = error.note;
    log.warn({ ...fields, code, ...details }, text);
  }
}
