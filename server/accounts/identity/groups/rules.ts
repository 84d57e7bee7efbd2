import { type GroupRule, IdentityConfig, type ProviderId } from "../../../database/tables/identity.ts";
import { roles, type Role } from "../../../database/tables/users.ts";
import { ok, refuse, type Result } from "../../../platform/result.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { notFound, badField } from "../../../platform/errors.ts";
import { shownAssignment, type IdentityConfigPatch, type GroupRuleInput } from "../config-fields.ts";
import { parseHostPattern } from "../../../access/host-pattern.ts";

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
function groupsWithheld(claims: Claims, steps: readonly string[]): boolean {
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

export type GroupAssignment = NonNullable<GroupRule["assignment"]>;

/** How a sign-in provider's groups are used. */
export interface GroupSettings {
  /** Null: groups mean nothing. */
  groupsClaim: string | null;
  groupRules: readonly GroupRule[];
  defaultDeny: boolean;
}

/** What a user's groups give them. */
export interface GroupOutcome {
  /** Every group in the claim. */
  groups: ReadonlySet<string>;
  /** The positions of the rules that apply. */
  matched: number[];
  /** The highest role of these rules; null: none gives one. */
  role: Role | null;
  /** Each once. */
  assignments: GroupAssignment[];
  /** Whether the user may sign in. */
  allowed: boolean;
  /** Whether the rules need groups that the provider did not send. What the user's groups gave before must then stay as it is. */
  withheld: boolean;
}

/** Evaluates the rules over a user's claims, in a time proportional to both. */
export function outcomeOf(settings: GroupSettings, claims: Claims): GroupOutcome {
  const { groupsClaim } = settings;
  const path = groupsClaim === null ? null : parseClaimPath(groupsClaim);
  if (!path?.ok) return outcomeOfGroups(settings, new Set());
  const outcome = outcomeOfGroups(settings, groupsAt(claims, path.value));
  const matter = settings.groupRules.length > 0 || settings.defaultDeny;
  return matter && groupsWithheld(claims, path.value) ? { ...outcome, allowed: false, withheld: true } : outcome;
}

/** Like {@link outcomeOf}, of groups that are known. */
export function outcomeOfGroups(
  { groupsClaim, groupRules, defaultDeny }: GroupSettings,
  groups: ReadonlySet<string>,
): GroupOutcome {
  const matched =
    groupsClaim === null ? [] : groupRules.flatMap(({ group }, index) => (groups.has(group) ? [index] : []));
  const applied = matched.flatMap((index) => groupRules[index] ?? []);
  const assignments = new Map(
    applied.flatMap(({ assignment }) => (assignment ? [[assignmentKey(assignment), assignment] as const] : [])),
  );
  return {
    groups,
    matched,
    role: roles.find((role) => applied.some((rule) => rule.role === role)) ?? null,
    assignments: [...assignments.values()],
    allowed: !defaultDeny || groupsClaim === null || matched.length > 0,
    withheld: false,
  };
}

/** Returns a text that two assignments share only if they give the same. */
export function assignmentKey(assignment: GroupAssignment): string {
  const { domainId = null, groupName = null, tag = null, subdomainPattern, access, recordTypes } = assignment;
  return JSON.stringify([domainId, groupName, tag, subdomainPattern, access, recordTypes]);
}

/** Settings to try instead of the stored ones. */
type GroupPatch = Pick<IdentityConfigPatch, "groupsClaim" | "groupRules" | "defaultDeny">;

const mostShownGroups = 1_000;

/** Returns how a configured provider's groups are used. */
export async function groupSettings(tx: EntityManager, providerId: ProviderId): Promise<GroupSettings> {
  const { groupsClaim, groupRules, defaultDeny } = await tx.findOneOrFail(IdentityConfig, { providerId });
  return { groupsClaim: groupsClaim ?? null, groupRules, defaultDeny };
}

/** Returns how groups are used after a change. @throws AppError BAD_REQUEST */
export async function groupsAfter(
  em: EntityManager,
  { groupsClaim, groupRules, defaultDeny }: Pick<IdentityConfig, "groupsClaim" | "groupRules" | "defaultDeny">,
  patch: Pick<IdentityConfigPatch, "groupsClaim" | "groupRules" | "defaultDeny">,
) {
  return {
    groupsClaim: patch.groupsClaim === undefined ? (groupsClaim ?? null) : patch.groupsClaim,
    groupRules: patch.groupRules === undefined ? groupRules : await checkedRules(em, patch.groupRules),
    defaultDeny: patch.defaultDeny ?? defaultDeny,
  };
}

/** Tries rules for groups. */
export class GroupTests {
  /** Returns what a user with some claims would get, without signing in. @throws AppError NOT_FOUND, BAD_REQUEST */
  async test(em: EntityManager, { id, claims, ...patch }: { id: string; claims: Claims } & GroupPatch) {
    const config = await em.findOne(IdentityConfig, { id });
    if (!config) throw notFound("identity provider configuration");
    const settings = await groupsAfter(em, config, patch);
    const { groups, matched, role, assignments, allowed, withheld } = outcomeOf(settings, claims);
    return {
      groups: [...groups].slice(0, mostShownGroups),
      groupCount: groups.size,
      matchedRules: matched,
      role,
      assignments: assignments.map(shownAssignment),
      allowed,
      withheld,
    };
  }
}

/** Returns rules as they are stored, with canonical host patterns. @throws AppError BAD_REQUEST */
async function checkedRules(em: EntityManager, rules: readonly GroupRuleInput[]): Promise<GroupRule[]> {
  const ids = [...new Set(rules.flatMap(({ assignment }) => assignment?.domainId ?? []))];
  const domains =
    ids.length === 0
      ? []
      : await queries(em).selectFrom("domains").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(domains.map(({ id, name }) => [id, name]));
  return rules.map(({ group, role, assignment }, index) => ({
    group,
    ...(role === undefined ? {} : { role }),
    ...(assignment === undefined ? {} : { assignment: checkedAssignment(assignment, names, index) }),
  }));
}

function checkedAssignment(
  { domainId, groupName, tag, subdomainPattern, access, recordTypes }: NonNullable<GroupRuleInput["assignment"]>,
  names: ReadonlyMap<string, string>,
  index: number,
): NonNullable<GroupRule["assignment"]> {
  const at = ["groupRules", index, "assignment"];
  const targets = [domainId, groupName, tag].filter((target) => target !== undefined);
  if (targets.length !== 1) throw badField(at, "Send exactly one of `domainId`, `groupName` and `tag`.");
  const zone = domainId === undefined ? null : names.get(domainId);
  if (zone === undefined) throw badField([...at, "domainId"], "No domain has this ID. Choose an existing domain.");
  const pattern = parseHostPattern(subdomainPattern, zone);
  if (!pattern.ok) throw badField([...at, "subdomainPattern"], pattern.message);
  const target = {
    ...(domainId === undefined ? {} : { domainId }),
    ...(groupName === undefined ? {} : { groupName }),
    ...(tag === undefined ? {} : { tag }),
  };
  return { ...target, subdomainPattern: pattern.value, access, recordTypes };
}
