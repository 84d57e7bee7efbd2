import type { ZodError } from "zod";
import { AppError, type Issue } from "./errors.ts";

/** Zod's issues as ours: unknown keys are named one by one, at the place where they stand. */
export function inputError(error: ZodError): AppError {
  const issues = error.issues.flatMap((issue): Issue[] => {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: "There is no such field; remove it or check its spelling.",
    }));
  });
  const [first] = issues;
  const where = first && first.path.length > 0 ? `${first.path.join(".")}: ` : "";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more, see issues)` : "";
  return new AppError("BAD_REQUEST", `${where}${first?.message ?? "The input is not valid."}${more}`, {
    issues,
    cause: error,
  });
}
