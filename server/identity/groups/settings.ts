import type { EntityManager } from "../../database/database.ts";
import { IdentityConfig, type ProviderId } from "../../database/tables/identity.ts";
import { notFound } from "../../platform/errors.ts";
import { shownAssignment, type IdentityConfigPatch } from "../config-fields.ts";
import { groupsAfter } from "./checked-rules.ts";
import type { Claims } from "./claim-path.ts";
import { outcomeOf, type GroupSettings } from "./rules.ts";

/** Settings to try instead of the stored ones. */
type GroupPatch = Pick<IdentityConfigPatch, "groupsClaim" | "groupRules" | "defaultDeny">;

const mostShownGroups = 1_000;

/** Returns how a configured provider's groups are used. */
export async function groupSettings(tx: EntityManager, providerId: ProviderId): Promise<GroupSettings> {
  const { groupsClaim, groupRules, defaultDeny } = await tx.findOneOrFail(IdentityConfig, { providerId });
  return { groupsClaim: groupsClaim ?? null, groupRules, defaultDeny };
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
