import type { GroupRule } from "../../../database/tables/identity.ts";
import { roles, type Role } from "../../../database/tables/users.ts";
import { groupsAt, groupsWithheld, parseClaimPath, type Claims } from "./claim-path.ts";

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
