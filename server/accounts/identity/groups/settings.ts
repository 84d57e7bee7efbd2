import { queries, type EntityManager } from "../../../database/database.ts";
import { IdentityConfig, type ProviderId, type GroupRule } from "../../../database/tables/identity.ts";
import { notFound, badField } from "../../../platform/errors.ts";
import { shownAssignment, type IdentityConfigPatch, type GroupRuleInput } from "../config-fields.ts";
import type { Claims } from "./claim-path.ts";
import { outcomeOf, type GroupSettings } from "./rules.ts";
import { parseHostPattern } from "../../../access/host-pattern.ts";

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
