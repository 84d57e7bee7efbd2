import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { Actor } from "../access/actor.ts";
import type { Audit } from "../audit/audit.ts";
import type { Caller } from "../access/caller.ts";
import { refuseLastWayIn } from "../accounts/auth/last-way-in.ts";
import type { WaysIn } from "../accounts/auth/ways-in.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { lockAccount } from "../accounts/users/lock-account.ts";
import { IdentityBinding } from "../database/tables/identity.ts";
import type { IdentityProviders } from "./providers/catalogue.ts";
import type { Identity } from "./providers/provider.ts";
import type { ProviderId } from "../database/tables/identity.ts";

/** The identities at providers that sign users in. */
export class IdentityBindings {
  readonly #providers: IdentityProviders;
  readonly #audit: Audit;
  readonly #waysIn: WaysIn;
  readonly #now: () => Date;

  constructor(parts: { providers: IdentityProviders; audit: Audit; waysIn: WaysIn; now: () => Date }) {
    this.#providers = parts.providers;
    this.#audit = parts.audit;
    this.#waysIn = parts.waysIn;
    this.#now = parts.now;
  }

  async list(em: EntityManager, userId: string) {
    const bindings = await em.find(IdentityBinding, { userId }, { orderBy: { createdAt: "asc" } });
    return {
      bindings: bindings.map(({ providerId, subject, email, displayName, createdAt }) => {
        const { name, type } = this.#providers[providerId];
        return { providerId, name, type, subject, email: email ?? null, displayName: displayName ?? null, createdAt };
      }),
    };
  }

  /** Whose identity this is. Addresses do not matter: whoever runs a provider could claim anybody's. */
  async ownerOf(em: EntityManager, providerId: ProviderId, { issuer, subject }: Identity) {
    return await queries(em)
      .selectFrom("identity_bindings")
      .innerJoin("users", "users.id", "identity_bindings.user_id")
      .select(["users.id", "users.disabled_at"])
      .where("identity_bindings.provider_id", "=", providerId)
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst();
  }

  /** Binds an identity to a user. @returns false when it is somebody's already, or the user has another one at this provider */
  async bind(
    em: EntityManager,
    actor: Actor,
    userId: string,
    providerId: ProviderId,
    identity: Identity,
  ): Promise<boolean> {
    try {
      await em.transactional(async (tx) => {
        const bound = await this.add(tx, userId, providerId, identity);
        await this.#audit.record(tx, actor, {
          action: "identity.bind",
          targetType: "identity",
          targetId: bound.id,
          after: { userId, providerId },
        });
        await this.#changed(tx, actor, "security.identity_added", { userId, providerId });
      });
      return true;
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) return false;
      throw error;
    }
  }

  /** The row itself, for whoever has the transaction. @throws UniqueConstraintViolationException */
  async add(tx: EntityManager, userId: string, providerId: ProviderId, identity: Identity): Promise<IdentityBinding> {
    const { issuer, subject, email, displayName } = identity;
    const createdAt = this.#now();
    const binding = { id: newId(), userId, providerId, issuer, subject, email, displayName, createdAt };
    const made = tx.create(IdentityBinding, binding);
    await tx.flush();
    return made;
  }

  /** @throws AppError NOT_FOUND when the user has none there, CONFLICT when it is the last way to sign in */
  async unbind(em: EntityManager, caller: Caller, providerId: string): Promise<void> {
    await em.transactional(async (tx) => {
      await lockAccount(tx, caller.userId);
      const removed = await queries(tx)
        .deleteFrom("identity_bindings")
        .where("user_id", "=", caller.userId)
        .where("provider_id", "=", providerId as ProviderId)
        .returning(["id", "provider_id"])
        .executeTakeFirst();
      if (!removed) throw notFound("bound provider");
      await refuseLastWayIn(tx, caller.userId);
      await this.#audit.record(tx, caller, {
        action: "identity.unbind",
        targetType: "identity",
        targetId: removed.id,
        before: { userId: caller.userId, providerId },
      });
      const binding = { userId: caller.userId, providerId: removed.provider_id };
      await this.#changed(tx, caller, "security.identity_removed", binding);
    });
  }

  async #changed(
    tx: EntityManager,
    actor: Actor,
    event: "security.identity_added" | "security.identity_removed",
    { userId, providerId }: { userId: string; providerId: ProviderId },
  ): Promise<void> {
    const provider = this.#providers[providerId].name;
    await this.#waysIn.changed(tx, actor, userId, { event, providerId, provider });
  }
}
