import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { Caller, Actor } from "../../access/caller.ts";
import { refuseLastWayIn, type WaysIn } from "../auth/ways-in.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { lockWithAdministrators } from "../users/account.ts";
import { IdentityBinding, type ProviderId } from "../../database/tables/identity.ts";
import type { GroupGrants } from "./groups/grants.ts";
import type { IdentityProviders } from "./providers/catalogue.ts";
import type { Identity } from "./providers/provider.ts";

interface Parts {
  providers: IdentityProviders;
  audit: Audit;
  waysIn: WaysIn;
  grants: GroupGrants;
  now: () => Date;
}

/** Manages the external identities that are linked to users. */
export class IdentityBindings {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(em: EntityManager, userId: string) {
    const bindings = await em.find(IdentityBinding, { userId }, { orderBy: { createdAt: "asc" } });
    return {
      bindings: bindings.map(({ providerId, subject, email, displayName, createdAt }) => {
        const { name, type } = this.#parts.providers[providerId];
        return { providerId, name, type, subject, email: email ?? null, displayName: displayName ?? null, createdAt };
      }),
    };
  }

  /** Returns the user linked to an identity. Ignores email addresses, because a provider could claim anyone's. */
  async ownerOf(em: EntityManager, providerId: ProviderId, { issuer, subject }: Identity) {
    return await queries(em)
      .selectFrom("identity_bindings")
      .innerJoin("users", "users.id", "identity_bindings.user_id")
      .select(["users.id", "users.disabled_at", "identity_bindings.id as binding_id"])
      .where("identity_bindings.provider_id", "=", providerId)
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst();
  }

  /** Links an identity to a user. @returns false if it is already linked, or the user has another one at this provider */
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
        await this.#parts.audit.record(tx, actor, {
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

  /** Inserts the row within the caller's transaction. @throws UniqueConstraintViolationException */
  async add(tx: EntityManager, userId: string, providerId: ProviderId, identity: Identity): Promise<IdentityBinding> {
    const { issuer, subject, email, displayName } = identity;
    const createdAt = this.#parts.now();
    const binding = { id: newId(), userId, providerId, issuer, subject, email, displayName, createdAt };
    const created = tx.create(IdentityBinding, binding);
    await tx.flush();
    return created;
  }

  /**
   * Unlinks the caller's identity.
   * @throws AppError NOT_FOUND if there is none, CONFLICT if it is the last way to sign in or no administrator would remain
   */
  async unbind(em: EntityManager, caller: Caller, providerId: string): Promise<void> {
    await em.transactional(async (tx) => {
      await lockWithAdministrators(tx, caller.userId);
      const removed = await queries(tx)
        .deleteFrom("identity_bindings")
        .where("user_id", "=", caller.userId)
        .where("provider_id", "=", providerId as ProviderId)
        .returning(["id", "provider_id"])
        .executeTakeFirst();
      if (!removed) throw notFound("linked provider");
      await refuseLastWayIn(tx, caller.userId);
      await this.#parts.audit.record(tx, caller, {
        action: "identity.unbind",
        targetType: "identity",
        targetId: removed.id,
        before: { userId: caller.userId, providerId },
      });
      await this.#parts.grants.unlinked(tx, caller, [caller.userId]);
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
    const provider = this.#parts.providers[providerId].name;
    await this.#parts.waysIn.changed(tx, actor, userId, { event, providerId, provider });
  }
}
