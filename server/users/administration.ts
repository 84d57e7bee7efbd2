import { sql } from "kysely";
import type { Actor } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Caller } from "../auth/caller.ts";
import { assertGoodPassword } from "../auth/password-rules.ts";
import type { PasswordHasher } from "../auth/passwords.ts";
import { removeAllFactors } from "../auth/second-factors/remove-all.ts";
import type { Sessions } from "../auth/sessions.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { literally } from "../database/literally.ts";
import { onePage } from "../database/one-page.ts";
import { AppError, badField, notFound } from "../errors.ts";
import { User } from "./entities.ts";
import { refuseLastAdministrator } from "./last-administrator.ts";
import type { Role } from "./roles.ts";
import { writeUser, type NewUser, type Users } from "./service.ts";

export interface UserPatch {
  id: string;
  username?: string | undefined;
  email?: string | null | undefined;
  role?: Role | undefined;
  displayName?: string | null | undefined;
  disabled?: boolean | undefined;
  password?: string | undefined;
  removeSecondFactors?: boolean | undefined;
}

/** What administrators do with other people's accounts. */
export class UserAdministration {
  readonly #users: Users;
  readonly #passwords: PasswordHasher;
  readonly #sessions: Sessions;
  readonly #authenticator: Authenticator;
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(parts: {
    users: Users;
    passwords: PasswordHasher;
    sessions: Sessions;
    authenticator: Authenticator;
    audit: Audit;
    now: () => Date;
  }) {
    this.#users = parts.users;
    this.#passwords = parts.passwords;
    this.#sessions = parts.sessions;
    this.#authenticator = parts.authenticator;
    this.#audit = parts.audit;
    this.#now = parts.now;
  }

  async list(
    em: EntityManager,
    filter: { page: number; limit: number; search?: string | undefined; role?: Role | undefined },
  ) {
    const { page, limit, search, role } = filter;
    const found = usersWithDomains(em)
      .$if(role !== undefined, (query) => query.where("users.role", "=", role ?? "member"))
      .$if(search !== undefined, (query) => {
        const part = `%${literally(search ?? "")}%`;
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

  /** @throws AppError CONFLICT when the username or the address is taken, BAD_REQUEST for a common password */
  async create(em: EntityManager, caller: Caller, input: NewUser) {
    const user = await this.#users.create(em, input, caller);
    return await this.get(em.fork(), user.id);
  }

  /**
   * @throws AppError NOT_FOUND, CONFLICT when something is taken or the last administrator would go, FORBIDDEN for what one changes about
   * oneself by the current password only, BAD_REQUEST
   */
  async update(em: EntityManager, actor: Actor, { id, disabled, password, ...fields }: UserPatch) {
    // Before the transaction: hashing takes its time, and the embedded database has one connection.
    const passwordHash = password === undefined ? undefined : await this.#passwords.hash(password);
    await em.transactional(async (tx) => {
      const loses = disabled === true || fields.role === "member";
      if (loses) await refuseLastAdministrator(tx, id, disabled ? "disabled" : "demoted");
      const user = await tx.findOne(User, { id });
      if (!user) throw notFound("user");
      if (actor.userId === id) refuseOwnProtection(user, { password, ...fields });
      const before = told(user);
      if (fields.username !== undefined) user.username = fields.username;
      if (fields.email !== undefined) user.email = fields.email;
      if (fields.role !== undefined) user.role = fields.role;
      if (fields.displayName !== undefined) user.displayName = fields.displayName;
      if (disabled !== undefined) user.disabledAt = disabled ? (user.disabledAt ?? this.#now()) : null;
      if (password !== undefined) assertGoodPassword(password, user, "password");
      if (passwordHash !== undefined) user.passwordHash = passwordHash;
      await writeUser(tx, user);
      if (disabled === true || passwordHash !== undefined) await this.#sessions.endAll(tx, id);
      const lostFactors = fields.removeSecondFactors ? await removeAllFactors(tx, id) : 0;
      await this.#audit.record(tx, actor, {
        action: "user.update",
        targetType: "user",
        targetId: id,
        before,
        after: {
          ...told(user),
          ...(passwordHash === undefined ? {} : { passwordChanged: true }),
          ...(lostFactors === 0 ? {} : { secondFactorsRemoved: lostFactors }),
        },
      });
    });
    this.#authenticator.forget(id);
    return await this.get(em.fork(), id);
  }

  /** @throws AppError NOT_FOUND, CONFLICT for the last administrator and while there are domains that nobody takes over */
  async delete(em: EntityManager, caller: Caller, input: { id: string; reassignTo?: string | undefined }) {
    const { id, reassignTo } = input;
    const ended = await em.transactional(async (tx) => {
      await refuseLastAdministrator(tx, id, "deleted");
      const user = await tx.findOne(User, { id });
      if (!user) throw notFound("user");
      const domains = await reassignDomains(tx, user, reassignTo);
      const sessions = await queries(tx).selectFrom("sessions").select("id").where("user_id", "=", id).execute();
      const before = told(user);
      await tx.remove(user).flush();
      await this.#audit.record(tx, caller, {
        action: "user.delete",
        targetType: "user",
        targetId: id,
        before,
        ...(domains > 0 ? { after: { domainsReassigned: domains, reassignTo } } : {}),
      });
      return sessions;
    });
    for (const session of ended) this.#authenticator.end(session.id);
    this.#authenticator.forget(id);
  }
}

/** Whoever finds an administrator's screen unlocked must not become that administrator for good. @throws AppError FORBIDDEN */
function refuseOwnProtection(user: User, { password, email, removeSecondFactors }: Omit<UserPatch, "id">): void {
  const otherAddress = email !== undefined && email !== (user.email ?? null);
  if (password === undefined && !otherAddress && removeSecondFactors !== true) return;
  throw new AppError(
    "FORBIDDEN",
    "Change your own password, e-mail address and second factors in your account, where your current password is asked for.",
  );
}

/** Gives the domains to somebody else. @returns how many; @throws AppError CONFLICT when nobody is named and there are some */
async function reassignDomains(tx: EntityManager, user: User, reassignTo: string | undefined): Promise<number> {
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
      `${user.username} owns ${count}; say who takes over by reassignTo, or delete the domains first.`,
    );
  }
  const heir = reassignTo === user.id ? null : await tx.findOne(User, { id: reassignTo, disabledAt: null });
  if (!heir) throw badField(["reassignTo"], "There is no such user, or not any more.");
  await queries(tx).updateTable("domains").set({ owner_id: heir.id }).where("owner_id", "=", user.id).execute();
  return total;
}

function usersWithDomains(em: EntityManager) {
  return queries(em)
    .selectFrom("users")
    .select([
      "users.id",
      "username",
      "email",
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
    role: row.role,
    displayName: row.display_name,
    disabled: row.disabled_at !== null,
    hasPassword: Boolean(row.has_password),
    domainCount: Number(row.domain_count),
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
  };
}

/** What the trail tells of an account. */
function told({ username, email, role, displayName, disabledAt }: User) {
  return { username, email: email ?? null, role, displayName: displayName ?? null, disabled: disabledAt !== null };
}
