import type { Caller } from "../access/caller.ts";
import { AppError } from "../platform/errors.ts";
import type { RouteMeta } from "./context.ts";

/** The namespaces of procedures that change only the caller's own account. */
const ownAccount: ReadonlySet<string> = new Set([
  "auth",
  "identity",
  "notifications",
  "profile",
  "sessions",
  "tokens",
  "tsigKeys",
  "twoFactor",
]);

/**
 * Refuses whatever an auditor may not change. Reads pass, also those that are sent by POST and need only a permission to read.
 * @throws AppError FORBIDDEN
 */
export function refuseAuditor(
  { role }: Pick<Caller, "role">,
  { procedure, type, permission }: Pick<RouteMeta, "permission"> & { procedure: string; type: string },
): void {
  if (role !== "auditor" || type !== "mutation" || permission?.endsWith(":read") === true) return;
  const [namespace = ""] = procedure.split(".");
  if (ownAccount.has(namespace)) return;
  throw new AppError("FORBIDDEN", "Auditors can change only their own account. Ask an administrator.");
}
