import { sql } from "kysely";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { Authenticator } from "../../access/authenticator.ts";
import { type Caller, theService } from "../../access/caller.ts";
import type { Confirmation } from "../auth/confirmation/service.ts";
import { assertGoodPassword } from "../../platform/password-rules.ts";
import type { PasswordHasher } from "../auth/passwords.ts";
import type { WaysIn } from "../auth/ways-in.ts";
import { removeAllFactors } from "../auth/second-factors/methods.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { onePage, escapeLike, givingWay } from "../../database/query-helpers.ts";
import { badField, notFound, AppError } from "../../platform/errors.ts";
import {
  noticeUsefulMilliseconds,
  type MailOutbox,
  type Mail,
  emailChanged,
  passwordChanged,
} from "../../notifications/mail/outbox.ts";
import { allButPassword, type AccessKind, givesAccess, refuseOwnProtection, type UserPatch } from "./access/kinds.ts";
import { auditOf, type AccessRevocation } from "./access/revocation.ts";
import type { AdministratorNotices } from "./administrator-notices.ts";
import { User, type Role } from "../../database/tables/users.ts";
import { endInvitations } from "./invitations/service.ts";
import {
  canAdministratorSignIn,
  lockAccount,
  lockAsAdministrator,
  verifiedAddress,
  endOutstanding,
  lockLosing,
  lockWithAdministrators,
  ownRoleFor,
  refuseNoAdministrator,
} from "./account.ts";
import { writeUser, type NewUser, type Users } from "./service.ts";

interface Parts {
  users: Users;
  passwords: PasswordHasher;
  revocation: AccessRevocation;
  authenticator: Authenticator;
  confirmation: Confirmation;
  waysIn: WaysIn;
  administratorNotices: AdministratorNotices;
  mail: MailOutbox;
  audit: Audit;
  /** Withdraws the open change requests of a user who is being deleted. Returns how many. */
  withdrawRequests: (tx: EntityManager, userId: string, now: Date) => Promise<number>;
  now: () => Date;
}

/** Manages other users' accounts, for administrators. */
export class UserAdministration {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(
    em: EntityManager,
    filter: { page: number; limit: number; search?: string | undefined; role?: Role | undefined },
  ) {
    const { page, limit, search, role } = filter;
    const found = usersWithDomains(em)
      .$if(role !== undefined, (query) => query.where("users.role", "=", role ?? "member"))
      .$if(search !== undefined, (query) => {
        const part = `%${escapeLike(search ?? "")}%`;
        return query.where((eb) =>
          eb.or([eb("username", "ilike", part), eb("email", "ilike", part), eb("display_name", "ilike", part)]),
        );
      });
    const { rows, total } = await onePage(found.orderBy(sql`lower(username)`), { page, limit });
    return { users: rows.map(view), total, page, limit };
  }

  async get(em: EntityManager, id: string) {
    const row = await usersWithDomains(em).where("users.id", "=", id).executeTakeFirst();
    if (!row) throw notFound("user");
    return view(row);
  }

  /** @throws AppError CONFLICT if the username or address is taken, BAD_REQUEST for a common password, REAUTHENTICATION_REQUIRED */
  async create(em: EntityManager, caller: Caller, input: NewUser) {
    if (input.password !== null) assertGoodPassword(input.password, input, "password");
    await this.#parts.confirmation.require(em, caller);
    const user = await this.#parts.users.create(em, input, caller);
    return await this.get(em.fork(), user.id);
  }

  /**
   * Changes an account. A new password revokes all other access, unless `revoke` selects less. An operator's rescue of an administrator by
   * group gives the role by hand: no one else may be left who could.
   * @param actor the caller, or the service itself when an operator runs the command
   * @throws AppError NOT_FOUND, CONFLICT if a value is taken or no administrator could sign in afterwards, FORBIDDEN for changes to the caller's own account
   * that require the current password, REAUTHENTICATION_REQUIRED if it gives access, BAD_REQUEST
   */
  async update(em: EntityManager, actor: Caller | typeof theService, patch: UserPatch) {
    const { id, disabled, password, revoke, ...fields } = patch;
    if (password !== undefined) await refuseBadPassword(em, id, { ...fields, password });
    if ("sessionId" in actor && givesAccess(patch)) await this.#parts.confirmation.require(em, actor);
    if (revoke !== undefined && password === undefined)
      throw badField(
        ["revoke"],
        "This requires `password`. To revoke access alone, call `DELETE /api/users/{id}/access`.",
      );
    // Outside the transaction: hashing is slow, and the embedded database has one connection.
    const passwordHash = password === undefined ? undefined : await this.#parts.passwords.hash(password);
    const notices = await em.transactional(async (tx) => {
      if ("sessionId" in actor) await lockAsAdministrator(tx, actor);
      const loses = disabled === true || (fields.role !== undefined && fields.role !== "admin");
      if (loses) await lockLosing(tx, id, disabled ? "disabled" : "demoted");
      else if (password !== undefined || fields.removeSecondFactors) await lockWithAdministrators(tx, id);
      else await lockAccount(tx, id);
      const couldSignIn = !fields.removeSecondFactors || (await canAdministratorSignIn(tx));
      const user = await tx.findOne(User, { id });
      if (!user) throw notFound("user");
      if (actor.userId === id) refuseOwnProtection(user, patch);
      const before = auditedFields(user);
      const oldAddress = verifiedAddress(user);
      if (fields.username !== undefined) user.username = fields.username;
      setAddress(user, fields);
      const kinds = this.#revokedBy({ disabled, password, revoke });
      // Consoles send back what they have read: such a role stays the group's, unless the call ends the identity that proves it.
      const sentBack =
        fields.role === user.role &&
        Object.values(patch).filter((value) => value !== undefined).length > 2 &&
        !kinds.includes("identities");
      if (fields.role !== undefined && !sentBack) {
        user.ownRole = await ownRoleFor(tx, id, fields.role);
        user.role = fields.role;
      }
      const givenByHand = actor === theService && user.role === "admin" ? await ownRoleFor(tx, id, "admin") : null;
      const roleGivenByHand = givenByHand !== null && user.ownRole !== "admin";
      if (roleGivenByHand) user.ownRole = givenByHand;
      if (fields.displayName !== undefined) user.displayName = fields.displayName;
      if (disabled !== undefined) user.disabledAt = disabled ? (user.disabledAt ?? this.#parts.now()) : null;
      if (password !== undefined) assertGoodPassword(password, user, "password");
      if (passwordHash !== undefined) user.passwordHash = passwordHash;
      // An intruder may have set and verified an address of their own.
      if (passwordHash !== undefined && revoke === undefined && user.emailVerifiedBy === "link")
        user.emailVerifiedBy = null;
      await writeUser(tx, user);
      const updated = auditedFields(user);
      const opensOtherwise = keysToAccess.some((key) => before[key] !== updated[key]) || passwordHash !== undefined;
      if (opensOtherwise) await endOutstanding(tx, id);
      const revocation = await this.#parts.revocation.revoke(tx, actor, id, { kinds });
      const revoked = auditOf(revocation);
      const after = { ...updated, role: revocation.role ?? updated.role };
      const lostFactors = fields.removeSecondFactors ? await removeAllFactors(tx, id) : 0;
      if (lostFactors > 0 && after.role === "admin")
        await refuseNoAdministrator(
          tx,
          "No administrator could sign in without these passkeys. Set a password for this or another administrator first.",
          couldSignIn,
        );
      const invitations = loses ? await endInvitations(tx, id, this.#parts.now()) : 0;
      await this.#parts.audit.record(tx, actor, {
        action: "user.update",
        targetType: "user",
        targetId: id,
        before: { ...before, ...(Object.keys(revoked).length > 0 ? { access: revoked } : {}) },
        after: {
          ...after,
          ...(passwordHash === undefined ? {} : { passwordChanged: true }),
          ...(roleGivenByHand ? { roleGivenByHand } : {}),
          ...(lostFactors === 0 ? {} : { secondFactorsRemoved: lostFactors }),
          ...(invitations === 0 ? {} : { invitationsEnded: invitations }),
        },
      });
      // Commands run by an operator have no background jobs, and the mail server may be unreachable.
      if (actor === theService) return [];
      const how = before.role !== "admin" ? "promoted" : before.disabled ? "enabled" : null;
      if (how !== null && after.role === "admin" && !after.disabled)
        await this.#parts.administratorNotices.added(tx, actor, {
          userId: id,
          username: user.username,
          how,
          invitationId: null,
        });
      const owner = { username: user.username, byAdministrator: true };
      const notices: Mail[] = [];
      if (lostFactors > 0) {
        const ways = ["second factors", "recovery codes"];
        await this.#parts.waysIn.changed(tx, actor, id, { event: "security.access_revoked", ways });
      }
      if (passwordHash !== undefined) {
        await this.#parts.waysIn.changed(tx, actor, id, { event: "security.password_changed" });
        if (oldAddress !== null) notices.push(passwordChanged(oldAddress, owner));
      }
      if (before.email !== after.email) {
        await this.#parts.waysIn.changed(tx, actor, id, { event: "security.email_changed" });
        if (oldAddress !== null) notices.push(emailChanged(oldAddress, owner));
      }
      return notices;
    });
    this.#parts.authenticator.forget(id);
    for (const notice of notices) this.#parts.mail.send(notice, noticeUsefulMilliseconds);
    return await this.get(em.fork(), id);
  }

  #revokedBy({
    disabled,
    password,
    revoke,
  }: Pick<UserPatch, "disabled" | "password" | "revoke">): readonly AccessKind[] {
    const sessions = ["sessions"] as const;
    if (password !== undefined) return revoke ? [...sessions, ...revoke] : allButPassword;
    return disabled === true ? sessions : [];
  }

  /** @throws AppError NOT_FOUND, CONFLICT for the last administrator, or if the user has domains and no new owner is named */
  async delete(em: EntityManager, caller: Caller, input: { id: string; reassignTo?: string | undefined }) {
    const { id, reassignTo } = input;
    // It takes rows of many tables, also such whose holders go on to notify this user.
    const ended = await givingWay(em, async (tx) => {
      await lockLosing(tx, id, "deleted");
      const user = await tx.findOne(User, { id });
      if (!user) throw notFound("user");
      const domains = await this.#reassignDomains(tx, caller, user, reassignTo);
      const sessions = await queries(tx).selectFrom("sessions").select("id").where("user_id", "=", id).execute();
      const before = auditedFields(user);
      const invitations = await endInvitations(tx, id, this.#parts.now());
      const requests = await this.#parts.withdrawRequests(tx, id, this.#parts.now());
      const records = await leaveRecords(tx, id);
      await tx.remove(user).flush();
      await this.#parts.audit.record(tx, caller, {
        action: "user.delete",
        targetType: "user",
        targetId: id,
        before,
        ...(domains + invitations + requests + records > 0
          ? {
              after: {
                ...(domains > 0 ? { domainsReassigned: domains, reassignTo } : {}),
                ...(invitations > 0 ? { invitationsEnded: invitations } : {}),
                ...(requests > 0 ? { requestsWithdrawn: requests } : {}),
                ...(records > 0 ? { recordsLeft: records } : {}),
              },
            }
          : {}),
      });
      return sessions;
    });
    for (const session of ended) this.#parts.authenticator.end(session.id);
    this.#parts.authenticator.forget(id);
  }

  /**
   * Reassigns a user's domains to another user. Each has an audit entry, so that the new owner's others can be told apart.
   * @returns how many
   * @throws AppError CONFLICT if there are some and no new owner is named
   */
  async #reassignDomains(
    tx: EntityManager,
    caller: Caller,
    user: User,
    reassignTo: string | undefined,
  ): Promise<number> {
    const owned = await queries(tx)
      .selectFrom("domains")
      .select((eb) => eb.fn.countAll<string>().as("total"))
      .where("owner_id", "=", user.id)
      .executeTakeFirstOrThrow();
    const total = Number(owned.total);
    if (total === 0) return 0;
    if (reassignTo === undefined) {
      const count = total === 1 ? "1 domain" : `${total} domains`;
      throw new AppError(
        "CONFLICT",
        `${user.username} owns ${count}. Name the new owner in \`reassignTo\`, or delete the domains first.`,
      );
    }
    const heir = reassignTo === user.id ? null : await tx.findOne(User, { id: reassignTo, disabledAt: null });
    if (!heir) throw badField(["reassignTo"], "No user has this ID. Choose an existing user.");
    const moved = await queries(tx)
      .updateTable("domains")
      .set({ owner_id: heir.id, updated_at: this.#parts.now() })
      .where("owner_id", "=", user.id)
      .returning("id")
      .execute();
    const change = { before: { ownerId: user.id }, after: { ownerId: heir.id } };
    const event = { action: "domain.update", targetType: "domain", ...change } as const;
    const entries = moved.map(({ id: targetId }) => ({ ...event, targetId }));
    await this.#parts.audit.recordAll(tx, caller, entries);
    return moved.length;
  }
}

/** Refuses a password before anything is asked of the caller. */
async function refuseBadPassword(
  em: EntityManager,
  id: string,
  { password, username, email }: { password: string; username?: string | undefined; email?: string | null | undefined },
): Promise<void> {
  const user = await em.findOne(User, { id });
  if (!user) throw notFound("user");
  assertGoodPassword(password, { username: username ?? user.username, email: email ?? user.email }, "password");
}

/** The fields that control who can sign in, through which address, and with which permissions. */
const keysToAccess = ["email", "emailVerified", "role", "disabled"] as const;

/** Sets the address. An address set by an administrator counts as verified unless they say otherwise. */
function setAddress(user: User, { email, emailVerified }: Pick<UserPatch, "email" | "emailVerified">): void {
  const other = email !== undefined && email !== (user.email ?? null);
  if (other) {
    user.email = email;
    user.emailVerifiedBy = email === null || emailVerified === false ? null : "administrator";
  } else if (emailVerified === false) user.emailVerifiedBy = null;
  else if (emailVerified === true && typeof user.email === "string") user.emailVerifiedBy ??= "administrator";
}

/** Takes a user who is being deleted from the records that name them as owner, in all versions. @returns how many live records did */
async function leaveRecords(tx: EntityManager, userId: string): Promise<number> {
  const live = await queries(tx)
    .selectFrom("records")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("owner_id", "=", userId)
    .where("until", "is", null)
    .executeTakeFirstOrThrow();
  await queries(tx).updateTable("records").set({ owner_id: null }).where("owner_id", "=", userId).execute();
  return Number(live.total);
}

function usersWithDomains(em: EntityManager) {
  return queries(em)
    .selectFrom("users")
    .select([
      "users.id",
      "username",
      "email",
      "email_verified_by",
      "role",
      "display_name",
      "disabled_at",
      "users.created_at",
      "last_login_at",
      (eb) => eb("password_hash", "is not", null).as("has_password"),
      (eb) =>
        eb
          .selectFrom("domains")
          .select((count) => count.fn.countAll<string>().as("total"))
          .whereRef("domains.owner_id", "=", "users.id")
          .as("domain_count"),
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof usersWithDomains>["executeTakeFirstOrThrow"]>>;

function view(row: Row) {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    emailVerified: row.email_verified_by !== null,
    role: row.role,
    displayName: row.display_name,
    disabled: row.disabled_at !== null,
    hasPassword: Boolean(row.has_password),
    domainCount: Number(row.domain_count),
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
  };
}

/** Returns the fields of an account that the audit trail records. */
function auditedFields(user: User) {
  const { username, email, role, displayName, disabledAt } = user;
  return {
    username,
    email: email ?? null,
    emailVerified: verifiedAddress(user) !== null,
    role,
    displayName: displayName ?? null,
    disabled: disabledAt !== null && disabledAt !== undefined,
  };
}
