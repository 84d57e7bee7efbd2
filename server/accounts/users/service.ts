import type { Audit } from "../../notifications/audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { mapUniqueViolation } from "../../database/query-helpers.ts";
import { assertGoodPassword } from "../../platform/password-rules.ts";
import { confirmedUntil } from "../auth/confirmation/service.ts";
import type { PasswordHasher } from "../auth/passwords.ts";
import { type Caller, theService, type Actor } from "../../access/caller.ts";
import { methodsSetUp } from "../auth/second-factors/methods.ts";
import { AppError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { AdministratorNotices } from "./administrator-notices.ts";
import { User, type AddressVoucher, type Role } from "../../database/tables/users.ts";
import { lockAsAdministrator, ownAccount, verifiedAddress } from "./account.ts";

export interface NewUser {
  username: string;
  /** Null for users who sign in only through an identity provider. */
  password: string | null;
  email: string | null;
  /** The source of the address's verification; null: unverified. Omitted: an administrator. */
  emailVerifiedBy?: AddressVoucher | null;
  role: Role;
  displayName?: string | null;
}

/** An additional step of creating a user, within the same transaction. */
export interface Claim {
  role: Role;
  invitationId: string;
  /** Called once the user exists. */
  complete?(tx: EntityManager, user: User): Promise<void>;
}

/** Returns the fields of a user that sign-in returns. */
export function briefUser(user: User) {
  return { id: user.id, username: user.username, email: user.email ?? null, role: user.role };
}

interface Parts {
  passwords: PasswordHasher;
  administratorNotices: AdministratorNotices;
  audit: Audit;
  now: () => Date;
}

/** Creates accounts and returns the caller's own. */
export class Users {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Creates a user.
   * @param claim a step that must succeed together with the creation, such as using an invitation; it may set the role
   * @param actor the administrator who creates them, whose right is checked again, or anyone else without such a check
   * @throws AppError CONFLICT if the username or address is taken, BAD_REQUEST for a password that is easy to guess, and as
   * `lockAsAdministrator`
   */
  async create(
    em: EntityManager,
    input: NewUser,
    actor: Caller | Actor = theService,
    claim?: (tx: EntityManager) => Promise<Claim>,
  ): Promise<User> {
    const { emailVerifiedBy = "administrator" } = input;
    if (input.password !== null) assertGoodPassword(input.password, input, "password");
    const passwordHash = input.password === null ? null : await this.#parts.passwords.hash(input.password);
    return await em.transactional(async (tx) => {
      if ("sessionId" in actor) await lockAsAdministrator(tx, actor);
      const claimed = await claim?.(tx);
      const user = tx.create(User, {
        id: newId(),
        username: input.username,
        email: input.email,
        emailVerifiedBy: input.email === null ? null : emailVerifiedBy,
        passwordHash,
        role: claimed?.role ?? input.role,
        displayName: input.displayName ?? null,
        notificationsEnabled: true,
        emailNotificationsEnabled: false,
        createdAt: this.#parts.now(),
      });
      await writeUser(tx, user);
      await claimed?.complete?.(tx, user);
      const { username, email, role, displayName } = user;
      await this.#parts.audit.record(tx, actor, {
        action: claimed ? "user.register" : "user.create",
        targetType: "user",
        targetId: user.id,
        after: {
          username,
          email,
          emailVerified: verifiedAddress(user) !== null,
          role,
          displayName,
          ...(claimed ? { invitationId: claimed.invitationId } : {}),
        },
      });
      // The service itself creates only the first administrator, so there is no one to notify.
      if (role === "admin" && actor !== theService) {
        const how = claimed ? "registered" : "created";
        const invitationId = claimed?.invitationId ?? null;
        await this.#parts.administratorNotices.added(tx, actor, { userId: user.id, username, how, invitationId });
      }
      return user;
    });
  }

  /** Returns the caller's own account. */
  async current(em: EntityManager, caller: Caller) {
    const user = await ownAccount(em, caller.userId);
    return {
      ...briefUser(user),
      emailVerified: verifiedAddress(user) !== null,
      displayName: user.displayName ?? null,
      nickname: user.nickname ?? null,
      avatarUrl: user.avatarUrl ?? null,
      notificationsEnabled: user.notificationsEnabled,
      emailNotificationsEnabled: user.emailNotificationsEnabled,
      twoFactorMethods: await methodsSetUp(em, user.id),
      hasPassword: typeof user.passwordHash === "string",
      confirmedUntil: await confirmedUntil(em, caller.sessionId, this.#parts.now()),
      createdAt: user.createdAt,
      lastLoginAt: user.lastLoginAt ?? null,
    };
  }

  /** Creates the administrator of a new installation. Returns null if a user already exists. */
  async createFirst(em: EntityManager, username: string, password: string): Promise<User | null> {
    if ((await em.count(User)) > 0) return null;
    return await this.create(em, { username, password, email: null, role: "admin" });
  }
}

/** Writes a user. @throws AppError CONFLICT if the name or address is taken, naming which */
export async function writeUser(tx: EntityManager, { username, email }: User): Promise<void> {
  await mapUniqueViolation(tx.flush(), (cause) => {
    const address = cause.message.includes("users_verified_email_key");
    const message = address ? `Another account has the address ${email}.` : `The username ${username} is taken.`;
    return new AppError("CONFLICT", message, { issues: [{ path: [address ? "email" : "username"], message }], cause });
  });
}
