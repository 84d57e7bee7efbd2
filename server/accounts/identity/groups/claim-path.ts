import { ok, refuse, type Result } from "../../../platform/result.ts";

/** Claims about a user, in any form that JSON has. */
export type Claims = Readonly<Record<string, unknown>>;

/** Groups that are read. */
const mostGroups = 20_000;
const longestGroup = 256;
const mostSteps = 8;

/**
 * Parses the path of a claim: names separated by dots, such as `realm_access.roles`. A backslash makes a dot or a backslash part of a name:
 * `https://example\\.com/groups`.
 */
export function parseClaimPath(path: string): Result<string[]> {
  const steps = [""];
  for (let index = 0; index < path.length; index++) {
    let character = path.charAt(index);
    if (character === ".") {
      steps.push("");
      continue;
    }
    if (character === "\\") {
      index += 1;
      character = path.charAt(index);
      if (character !== "." && character !== "\\") return refuse("After a backslash, this takes a dot or a backslash.");
    }
    steps[steps.length - 1] += character;
  }
  if (steps.includes("")) return refuse("This must be the path of a claim, such as groups or realm_access.roles.");
  return steps.length > mostSteps ? refuse(`This must have at most ${mostSteps} names.`) : ok(steps);
}

/**
 * Returns the groups in a claim, each once: the texts of a list, a single text, or the names of an object's fields. Anything else is no
 * group. Only own fields count, so no path leads to what JavaScript adds to objects.
 */
export function groupsAt(claims: Claims, steps: readonly string[]): Set<string> {
  let value: unknown = claims;
  for (const step of steps) {
    if (!isFields(value) || !Object.hasOwn(value, step)) return new Set();
    value = value[step];
  }
  const groups = new Set<string>();
  for (const group of named(value)) {
    if (groups.size === mostGroups) break;
    if (typeof group === "string" && group !== "" && group.length <= longestGroup) groups.add(group);
  }
  return groups;
}

/**
 * Returns whether a user has groups that the provider did not send, so that an absent claim does not mean that there are none. Providers
 * name such claims in `_claim_names` (OpenID Connect Core 1.0 §5.6.2). Entra ID does so for a user of more than 200 groups, and has the
 * markers `hasgroups` and `groups:src1` as well. A list that is too long to read counts, too.
 */
export function groupsWithheld(claims: Claims, steps: readonly string[]): boolean {
  const [first = ""] = steps;
  if (Object.hasOwn(claims, first)) return groupsAt(claims, steps).size >= mostGroups;
  const { _claim_names: elsewhere, hasgroups } = claims;
  if (isFields(elsewhere) && Object.hasOwn(elsewhere, first)) return true;
  return first === "groups" && (hasgroups === true || hasgroups === "true" || Object.hasOwn(claims, "groups:src1"));
}

function named(value: unknown): readonly unknown[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value;
  return isFields(value) ? Object.keys(value) : [];
}

function isFields(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
