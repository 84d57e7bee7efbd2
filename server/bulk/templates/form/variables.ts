import { ok, refuse, type Result } from "../../../platform/result.ts";
import { groupOf, type Template, type TemplateRecord } from "./template.ts";

/**
 * Matches a variable. Its name begins with a letter or digit, after one underscore at most, so that the macros of SPF (`%{i}`, `%_`, `%-`,
 * `%%`, RFC 7208 §7) remain text.
 */
const variable = /%(_?[A-Za-z0-9][A-Za-z0-9_-]*)%/g;

/** The variables that the domain and host give. */
const givenVariables = ["domain", "host", "fqdn"] as const;

/** Maximum length of a field after its variables are replaced: more than the longest TXT value has in UTF-16 units. */
const longestField = 8_192;

/** Returns the variables of a text, in order. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(variable)].map(([, name = ""]) => name);
}

/** The fields that may hold variables. `groupId` and `txtConflictMatchingPrefix` must not. */
const expandedFields = [
  "host",
  "name",
  "pointsTo",
  "target",
  "data",
  "rdata",
  "ttl",
  "priority",
  "weight",
  "port",
  "protocol",
  "service",
  "spfRules",
] as const satisfies (keyof TemplateRecord)[];

/** Returns the variables that a caller gives for some records, in order. */
function variablesOfRecords(records: readonly TemplateRecord[]): string[] {
  const names = new Set<string>();
  for (const record of records)
    for (const field of expandedFields) for (const name of variablesIn(String(record[field] ?? ""))) names.add(name);
  for (const given of givenVariables) names.delete(given);
  return [...names];
}

/** Returns a template's variables that a caller gives. @param groups only those of these groups; null: of all */
export function variablesOf({ records }: Template, groups: readonly string[] | null = null): string[] {
  return variablesOfRecords(records.filter((record) => isInGroups(record, groups)));
}

/** Returns whether a record is applied with some groups. Null means all groups; a record without one is always applied. */
export function isInGroups(record: TemplateRecord, groups: readonly string[] | null): boolean {
  const group = groupOf(record);
  return group === null || groups === null || groups.includes(group);
}

/**
 * Replaces the variables of a text, each once: a value is not expanded again. Stops as soon as the text is too long. Refusals end a sentence
 * about the field.
 */
export function expandText(text: string, values: ReadonlyMap<string, string>): Result<string> {
  const parts: string[] = [];
  let length = 0;
  let from = 0;
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (const match of text.matchAll(variable)) {
    const [whole, name = ""] = match;
    const value = values.get(name);
    if (value === undefined) return refuse(`needs a value for the variable ${name}`);
    add(text.slice(from, match.index));
    add(value);
    if (length > longestField) return refuse(tooLong);
    from = match.index + whole.length;
  }
  add(text.slice(from));
  return length > longestField ? refuse(tooLong) : ok(parts.join(""));
}

const tooLong = `is longer than ${longestField} characters once its variables are replaced`;
