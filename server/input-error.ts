import { z, type ZodError } from "zod";
import { AppError, type Issue } from "./errors.ts";

/** What a value of each kind must be, as people say it. */
const kinds: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** The sentence for what a schema says nothing of itself; undefined: the library's own. */
function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_value") {
    const values = issue.values.map(String);
    return `This must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}.`;
  }
  if (issue.code !== "invalid_type") return undefined;
  if (issue.input === undefined) return "This is required.";
  const kind = kinds[issue.expected];
  return kind && `This must be ${kind}.`;
}

z.config({ customError: sentence });

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

/** The same for the field `config` of what has settings of its kind's own. @param label the kind, for people */
export function configError(label: string, error: ZodError): AppError {
  const { message, issues } = inputError(error);
  return new AppError("BAD_REQUEST", `${label}: ${message}`, {
    issues: (issues ?? []).map((issue) => ({ path: ["config", ...issue.path], message: issue.message })),
    cause: error,
  });
}
