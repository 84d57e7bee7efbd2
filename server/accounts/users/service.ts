import { theService, type Actor } from "../../access/actor.ts";
import type { Audit } from "../../audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { mapUniqueViolation } from "../../database/map-unique-violation.ts";
import { assertGoodPassword } from "../../platform/password-rules.ts";
import { confirmedUntil } from "../auth/confirmation/moment.ts";
import type { PasswordHasher } from "../auth/passwords.ts";
import type { Caller } from "../../access/caller.ts";
import { methodsSetUp } from "../auth/second-factors/methods.ts";
import { AppError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { verifiedAddress } from "./email/verified-address.ts";
import type { AdministratorNotices } from "./administrator-notices.ts";
import { User, type AddressVoucher } from "../../database/tables/users.ts";
import { ownAccount } from "./own-account.ts";
import type { Role } from "../../database/tables/roles.ts";

export interface NewUser {
  username: string;
  /** Null for users who only sign in through an identity provider. */
  password: string | null;
  email: string | null;
  /** Who vouches for the address; null: nobody yet. Left out: an administrator. */
  emailVerifiedBy?: AddressVoucher | null;
  role: Role;
  displayName?: string | null;
}

/** What else becomes true together with a new user, within the same transaction. */
export interface Claim {
  role: Role;
  invitationId: string;
  /** Called when the user is there. */
  complete?(tx: EntityManager, user: User): Promise<void>;
}

/** What sign-in tells of a user. */
export function briefUser(user: User) {
  return { id: user.id, username: user.username, email: user.email ?? null, role: user.role };
}

/** Accounts: how they come about, and one's own. */
export class Users {
  readonly #passwords: PasswordHasher;
  readonly #notices: AdministratorNotices;
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(parts: {
    passwords: PasswordHasher;
    administratorNotices: AdministratorNotices;
    audit: Audit;
    now: () => Date;
  }) {
    this.#passwords = parts.passwords;
    this.#notices = parts.administratorNotices;
    this.#audit = parts.audit;
    this.#now = parts.now;
  }

  /**
   * @param claim what else must come true together with the user, such as the use of an invitation; it may settle the role
   * @throws AppError CONFLICT when the username or the address is taken, BAD_REQUEST for a password that is easy to guess
   */
  async create(
    em: EntityManager,
    input: NewUser,
    actor: Actor = theService,
    claim?: (tx: EntityManager) => Promise<Claim>,
  ): Promise<User> {
    const { emailVerifiedBy = "administrator" } = input;
    if (input.password !== null) assertGoodPassword(input.password, input, "password");
    const passwordHash = input.password === null ? null : await this.#passwords.hash(input.password);
    return await em.transactional(async (tx) => {
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
        createdAt: this.#now(),
      });
      await writeUser(tx, user);
      await claimed?.complete?.(tx, user);
      const { username, email, role, displayName } = user;
      await this.#audit.record(tx, actor, {
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
      // The service makes the first administrator only, and there is nobody to warn.
      if (role === "admin" && actor !== theService) {
        const how = claimed ? "registered" : "created";
        const invitationId = claimed?.invitationId ?? null;
        await this.#notices.added(tx, actor, { userId: user.id, username, how, invitationId });
      }
      return user;
    });
  }

  /** The caller's own account. */
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
      confirmedUntil: await confirmedUntil(em, caller.sessionId, this.#now()),
      createdAt: user.createdAt,
      lastLoginAt: user.lastLoginAt ?? null,
    };
  }

  /** Makes the administrator of a new installation. Null when there is a user already. */
  async createFirst(em: EntityManager, username: string, password: string): Promise<User | null> {
    if ((await em.count(User)) > 0) return null;
    return await this.create(em, { username, password, email: null, role: "admin" });
  }
}

/** Writes a user whose name or address may be taken. @throws AppError CONFLICT that says which */
export async function writeUser(tx: EntityManager, { username, email }: User): Promise<void> {
  await mapUniqueViolation(tx.flush(), (cause) => {
    const address = cause.message.includes("users_verified_email_key");
    const message = address ? `Another account has the address ${email}.` : `The username ${username} is taken.`;
    return new AppError("CONFLICT", message, { issues: [{ path: [address ? "email" : "username"], message }], cause });
  });
}
