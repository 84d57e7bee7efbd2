import { z, type ZodError } from "zod";
import { AppError, shownPath, type Issue } from "../platform/errors.ts";

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

/** Has every schema of the process say what is wrong in our words where it has none of its own. */
export function saySchemaErrors(): void {
  z.config({ customError: sentence });
}

/** An input can break every rule at once; nobody reads all of it. */
const mostIssues = 20;

/** Zod's issues as ours, the first 20 and how many there are beyond: unknown keys are named one by one, at the place where they stand. */
export function inputError(error: ZodError): AppError {
  const issues: Issue[] = [];
  let count = 0;
  const add = (path: Issue["path"], message: string) => {
    if (count++ < mostIssues) issues.push({ path: shownPath(path), message });
  };
  for (const issue of error.issues) {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code !== "unrecognized_keys") add(path, issue.message);
    else for (const key of issue.keys) add([...path, key], "There is no such field; remove it or check its spelling.");
  }
  const [first] = issues;
  const where = first && first.path.length > 0 ? `${first.path.join(".")}: ` : "";
  const more = count > 1 ? ` (and ${count - 1} more, see issues)` : "";
  if (count > mostIssues) issues.push({ path: [], message: `and ${count - mostIssues} more` });
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
