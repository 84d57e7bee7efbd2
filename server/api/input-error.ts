import { z, type ZodError } from "zod";
import { AppError, shownPath, type Issue, badField } from "../platform/errors.ts";

/** Error message for a field that is already in the path. */
export const alsoInPath = "This is already in the path. Remove it here.";

/** Names of types for messages. */
const kinds: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Returns the message for an issue whose schema has none. Undefined: zod's default. */
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

/** Sets the default error messages of all schemas in the process. */
export function setSchemaMessages(): void {
  z.config({ customError: sentence });
}

/** Maximum issues reported for an input. */
const mostIssues = 20;

/**
 * Converts zod's issues into an error with the first 20 and the number of further ones. Reports each unknown key separately.
 * @param kind what the keys of the input are: fields of a body, or parameters of a query
 */
export function inputError(error: ZodError, kind: "field" | "parameter" = "field"): AppError {
  const issues: Issue[] = [];
  let count = 0;
  const add = (path: Issue["path"], message: string) => {
    if (count++ < mostIssues) issues.push({ path: shownPath(path), message });
  };
  for (const issue of error.issues) {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code !== "unrecognized_keys") add(path, issue.message);
    else for (const key of issue.keys) add([...path, key], `This ${kind} is unknown. Check its spelling or remove it.`);
  }
  const [first] = issues;
  const where = first && first.path.length > 0 ? `${first.path.join(".")}: ` : "";
  const more = count > 1 ? ` (and ${count - 1} more, see issues)` : "";
  if (count > mostIssues) issues.push({ path: [], message: `and ${count - mostIssues} more` });
  return new AppError("BAD_REQUEST", `${where}${first?.message ?? "The input is invalid."}${more}`, {
    issues,
    cause: error,
  });
}

/** Like {@link inputError}, for the field `config` with settings specific to a kind. @param label the kind's display name */
export function configError(label: string, error: ZodError): AppError {
  const { message, issues } = inputError(error);
  return new AppError("BAD_REQUEST", `${label}: ${message}`, {
    issues: (issues ?? []).map((issue) => ({ path: ["config", ...issue.path], message: issue.message })),
    cause: error,
  });
}

/**
 * Returns the value of a field with an alias, and the name under which the caller gave it.
 * @param names values by name, the field's own name first
 * @throws AppError BAD_REQUEST for no value, or two different values
 */
export function resolveAlias(names: Readonly<Record<string, string | undefined>>): { given: string; field: string } {
  const [own = ""] = Object.keys(names);
  const [first, other] = Object.entries(names).filter(([, value]) => value !== undefined);
  if (first?.[1] === undefined) throw badField([own], `${own} is required.`);
  const [field, given] = first;
  if (other && other[1] !== given) throw badField([other[0]], `This differs from ${field}. Send only one of them.`);
  return { given, field };
}
