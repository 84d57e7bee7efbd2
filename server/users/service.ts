import type { EntityManager } from "../database/database.ts";
import type { PasswordHasher } from "../auth/passwords.ts";
import type { Caller } from "../auth/caller.ts";
import { methodsSetUp } from "../auth/second-factors/methods.ts";
import { AppError } from "../errors.ts";
import { newId } from "../ids.ts";
import { User } from "./entities.ts";

export interface NewUser {
  username: string;
  password: string;
  email: string | null;
  role: "admin" | "member";
}

/** What sign-in tells of a user. */
export function briefUser(user: User) {
  return { id: user.id, username: user.username, email: user.email ?? null, role: user.role };
}

/** Accounts. Administration over the interface is not offered yet; the first administrator is made at the first start. */
export class Users {
  readonly #passwords: PasswordHasher;
  readonly #now: () => Date;

  constructor(passwords: PasswordHasher, now: () => Date) {
    this.#passwords = passwords;
    this.#now = now;
  }

  async create(em: EntityManager, user: NewUser): Promise<User> {
    const entity = em.create(User, {
      id: newId(),
      username: user.username,
      email: user.email,
      passwordHash: await this.#passwords.hash(user.password),
      role: user.role,
      notificationsEnabled: true,
      emailNotificationsEnabled: false,
      createdAt: this.#now(),
    });
    await em.flush();
    return entity;
  }

  /** The caller's own account. */
  async current(em: EntityManager, caller: Caller) {
    const user = await em.findOne(User, { id: caller.userId });
    if (!user) throw new AppError("UNAUTHORIZED", "This account does not exist any more.");
    return {
      ...briefUser(user),
      displayName: user.displayName ?? null,
      nickname: user.nickname ?? null,
      avatarUrl: user.avatarUrl ?? null,
      notificationsEnabled: user.notificationsEnabled,
      emailNotificationsEnabled: user.emailNotificationsEnabled,
      twoFactorMethods: await methodsSetUp(em, user.id),
      hasPassword: typeof user.passwordHash === "string",
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
