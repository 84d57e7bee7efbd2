import { sql } from "kysely";
import type { Actor } from "../../../access/caller.ts";
import type { Authenticator } from "../../../access/authenticator.ts";
import type { AdministratorNotices } from "../../users/administrator-notices.ts";
import type { AccessRevocation } from "../../users/access/revocation.ts";
import { endInvitations } from "../../users/invitations/service.ts";
import {
  lockWithAdministrators,
  endOutstanding,
  isLastAdministrator,
  recomputeRoles,
  type ChangedRole,
} from "../../users/account.ts";
import type { Audit } from "../../../notifications/audit/audit.ts";
import { afterCommit } from "../../../database/after-commit.ts";
import { jsonTexts, queries, type EntityManager } from "../../../database/database.ts";
import type { ProviderId } from "../../../database/tables/identity.ts";
import type { Role } from "../../../database/tables/users.ts";
import { newId } from "../../../platform/ids.ts";
import { assignmentKey, type GroupAssignment, type GroupOutcome, type GroupSettings } from "./rules.ts";

interface Parts {
  authenticator: Authenticator;
  revocation: AccessRevocation;
  administratorNotices: AdministratorNotices;
  audit: Audit;
  now: () => Date;
}

/** An identity that signs a user in. */
interface Signing {
  userId: string;
  providerId: ProviderId;
  bindingId: string;
}

/** Gives users what their groups at a provider give, and takes away what they no longer give. What was given by hand stays. */
export class GroupGrants {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Applies the outcome of a sign-in, effective with the user's next call.
   * @returns whether the user may sign in. If not, their sessions have ended, and their personal tokens too if this was their only way in
   */
  async apply(tx: EntityManager, actor: Actor, signing: Signing, outcome: GroupOutcome): Promise<boolean> {
    const { userId, providerId } = signing;
    const { role, assignments, allowed, matched, groups } = outcome;
    // Domains are locked before users.
    const wanted = allowed ? await onLivingDomains(tx, assignments) : [];
    const wasAdministrator = await lockWithAdministrators(tx, userId);
    const stays = wasAdministrator && role !== "admin" && (await this.#isLastByGroup(tx, signing, allowed));
    const changedRole = stays ? null : await this.#setRole(tx, signing, role);
    const moved = await this.#setAssignments(tx, signing, wanted);
    const isRefused = !allowed && !stays;
    const ended = isRefused ? await this.#endAccess(tx, actor, userId) : {};
    if (changedRole) await this.#roleChanged(tx, actor, changedRole);
    if (changedRole || isRefused || moved.gained.length + moved.lost.length > 0)
      await this.#parts.audit.record(tx, actor, {
        action: "identity.groups",
        targetType: "user",
        targetId: userId,
        ...(changedRole ? { before: { role: changedRole.before } } : {}),
        after: {
          providerId,
          rules: matched,
          groups: groups.size,
          ...(changedRole ? { role: changedRole.role } : {}),
          ...(moved.gained.length > 0 ? { assignmentsGained: moved.gained } : {}),
          ...(moved.lost.length > 0 ? { assignmentsLost: moved.lost } : {}),
          ...(stays ? { lastAdministratorStays: true } : {}),
          ...(isRefused ? { signInRefused: true, ...ended } : {}),
        },
      });
    afterCommit(tx, () => this.#parts.authenticator.forget(userId));
    return !isRefused;
  }

  /** Records a sign-in that was refused because its groups were not sent. Nothing is given or taken away. */
  async withheld(tx: EntityManager, actor: Actor, { userId, providerId }: Signing): Promise<void> {
    await this.#parts.audit.record(tx, actor, {
      action: "identity.groups",
      targetType: "user",
      targetId: userId,
      after: { providerId, groupsWithheld: true, signInRefused: true },
    });
  }

  /** Ends the roles that came from identities which were just unlinked; their assignments ended with them. @throws AppError CONFLICT */
  async unlinked(tx: EntityManager, actor: Actor, userIds: readonly string[]): Promise<void> {
    await this.#parts.revocation.groupsEnded(tx, actor, userIds, "identityUnlinked");
  }

  /**
   * Takes away what no rule of a provider gives any more, without waiting for the next sign-ins. What another rule gives as well stays until
   * then, because groups are not stored: nobody knows here which of the rules applied.
   * @returns how much, for the audit trail
   * @throws AppError CONFLICT if no administrator would remain
   */
  async narrow(
    tx: EntityManager,
    actor: Actor,
    providerId: ProviderId,
    { groupsClaim, groupRules }: GroupSettings,
  ): Promise<{ groupAssignmentsEnded?: number; groupRolesEnded?: number }> {
    const rules = groupsClaim === null ? [] : groupRules;
    const roles = rules.flatMap(({ role }) => role ?? []);
    const bindings = sql`(select id from identity_bindings where provider_id = ${providerId})`;
    const kept = new Set(rules.flatMap(({ assignment }) => (assignment ? [assignmentKey(assignment)] : [])));
    const given = await queries(tx)
      .selectFrom("assignments")
      .selectAll()
      .where(sql<boolean>`identity_binding_id in ${bindings}`)
      .execute();
    const lost = given.filter((row) => !kept.has(assignmentKey(assignmentOf(row)))).map(({ id }) => id);
    await queries(tx)
      .deleteFrom("assignments")
      .where("id", "in", sql<string>`(select value::uuid from ${jsonTexts(lost)})`)
      .execute();
    const ended = await queries(tx)
      .deleteFrom("group_roles")
      .where(sql<boolean>`identity_binding_id in ${bindings}`)
      .where("role", "not in", sql<Role>`(select value from ${jsonTexts(roles)})`)
      .returning("user_id")
      .execute();
    const users = ended.map(({ user_id: id }) => id);
    await this.#parts.revocation.groupsEnded(tx, actor, users, "ruleRemoved");
    return {
      ...(lost.length > 0 ? { groupAssignmentsEnded: lost.length } : {}),
      ...(ended.length > 0 ? { groupRolesEnded: ended.length } : {}),
    };
  }

  /** Returns whether the last administrator would lose the role, or the way in, by this sign-in. */
  async #isLastByGroup(tx: EntityManager, { userId, bindingId }: Signing, allowed: boolean): Promise<boolean> {
    if (!(await isLastAdministrator(tx, userId))) return false;
    if (!allowed) return true;
    const byOthers = await queries(tx)
      .selectFrom("users")
      .select("own_role")
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom("group_roles")
              .select("role")
              .whereRef("user_id", "=", "users.id")
              .where("identity_binding_id", "<>", bindingId)
              .where("role", "=", "admin"),
          )
          .as("elsewhere"),
      )
      .where("id", "=", userId)
      .executeTakeFirstOrThrow();
    return byOthers.own_role !== null && byOthers.own_role !== "admin" && !byOthers.elsewhere;
  }

  async #setRole(tx: EntityManager, { userId, bindingId }: Signing, role: Role | null): Promise<ChangedRole | null> {
    const stored = queries(tx);
    if (role === null) await stored.deleteFrom("group_roles").where("identity_binding_id", "=", bindingId).execute();
    else
      await stored
        .insertInto("group_roles")
        .values({ identity_binding_id: bindingId, user_id: userId, role })
        .onConflict((conflict) => conflict.column("identity_binding_id").doUpdateSet({ role }))
        .execute();
    const [changed = null] = await recomputeRoles(tx, [userId]);
    return changed;
  }

  async #setAssignments(tx: EntityManager, { userId, bindingId }: Signing, wanted: readonly GroupAssignment[]) {
    const present = await queries(tx)
      .selectFrom("assignments")
      .selectAll()
      .where("identity_binding_id", "=", bindingId)
      .execute();
    const wantedKeys = new Set(wanted.map(assignmentKey));
    const presentKeys = new Set(present.map((row) => assignmentKey(assignmentOf(row))));
    const lost = present.filter((row) => !wantedKeys.has(assignmentKey(assignmentOf(row))));
    if (lost.length > 0)
      await queries(tx)
        .deleteFrom("assignments")
        .where(
          "id",
          "in",
          lost.map(({ id }) => id),
        )
        .execute();
    const missing = wanted.filter((assignment) => !presentKeys.has(assignmentKey(assignment)));
    if (missing.length > 0)
      await queries(tx)
        .insertInto("assignments")
        .values(
          missing.map((assignment) => ({
            id: newId(),
            user_id: userId,
            domain_id: assignment.domainId ?? null,
            group_name: assignment.groupName ?? null,
            tag: assignment.tag ?? null,
            subdomain_pattern: assignment.subdomainPattern,
            access: assignment.access,
            record_types: assignment.recordTypes,
            review: false,
            identity_binding_id: bindingId,
            created_at: this.#parts.now(),
          })),
        )
        .execute();
    return { gained: missing, lost: lost.map(assignmentOf) };
  }

  async #endAccess(tx: EntityManager, actor: Actor, userId: string) {
    await endOutstanding(tx, userId);
    const hasOther = await hasOtherWayIn(tx, userId);
    const kinds = hasOther ? (["sessions"] as const) : (["sessions", "tokens", "keys"] as const);
    const { sessions, tokens, keys } = await this.#parts.revocation.revoke(tx, actor, userId, { kinds });
    return { sessionsEnded: sessions, tokensEnded: tokens, keysEnded: keys };
  }

  async #roleChanged(tx: EntityManager, actor: Actor, { id, username, before, role }: ChangedRole): Promise<void> {
    await endOutstanding(tx, id);
    if (before === "admin") await endInvitations(tx, id, this.#parts.now());
    if (role === "admin")
      await this.#parts.administratorNotices.added(tx, actor, {
        userId: id,
        username,
        how: "promoted",
        invitationId: null,
      });
  }
}

interface AssignmentRow {
  domain_id: string | null;
  group_name: string | null;
  tag: string | null;
  subdomain_pattern: string;
  access: GroupAssignment["access"];
  record_types: string[];
}

function assignmentOf(row: AssignmentRow): GroupAssignment {
  return {
    ...(row.domain_id === null ? {} : { domainId: row.domain_id }),
    ...(row.group_name === null ? {} : { groupName: row.group_name }),
    ...(row.tag === null ? {} : { tag: row.tag }),
    subdomainPattern: row.subdomain_pattern,
    access: row.access,
    recordTypes: row.record_types,
  };
}

/** Leaves out assignments of domains that were deleted since the rule was made, and locks the others. */
async function onLivingDomains(tx: EntityManager, assignments: readonly GroupAssignment[]): Promise<GroupAssignment[]> {
  const ids = assignments.flatMap(({ domainId }) => domainId ?? []);
  if (ids.length === 0) return [...assignments];
  const rows = await queries(tx)
    .selectFrom("domains")
    .select("id")
    .where("id", "in", ids)
    .orderBy("id")
    .forKeyShare()
    .execute();
  const living = new Set(rows.map(({ id }) => id));
  return assignments.filter(({ domainId }) => domainId === undefined || living.has(domainId));
}

/** Returns whether a user can sign in with a password, a passkey or the identity of another provider. */
async function hasOtherWayIn(tx: EntityManager, userId: string): Promise<boolean> {
  const {
    rows: [found],
  } = await sql<{ open: boolean }>`select (
    exists (select from users where id = ${userId} and password_hash is not null)
    or exists (select from passkeys where user_id = ${userId})
    or (select count(*) from identity_bindings where user_id = ${userId}) > 1
  ) as open`.execute(queries(tx));
  return found?.open === true;
}
