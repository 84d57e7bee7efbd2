import type { z } from "zod";
import type { revokeAccessInput } from "./schemas.ts";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Caller } from "../../../access/caller.ts";
import type { Confirmation } from "../../auth/confirmation/service.ts";
import type { OwnSessions } from "../../auth/sessions.ts";
import type { PersonalTokens } from "../../auth/personal-tokens/service.ts";
import type { TsigKeys } from "../../auth/tsig-keys/service.ts";
import type { SecondFactors } from "../../auth/second-factors/service.ts";
import type { WaysIn } from "../../auth/ways-in.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError, notFound } from "../../../platform/errors.ts";
import {
  canAdministratorSignIn,
  distrustOwnLink,
  endOutstanding,
  lockAsAdministrator,
  lockWithAdministrators,
  refuseNoAdministrator,
} from "../account.ts";
import { User } from "../../../database/tables/users.ts";
import { accessKinds, type AccessKind, takesProtection } from "./kinds.ts";
import { auditOf, type AccessRevocation, type Revoked } from "./revocation.ts";

/** The access to revoke: some kinds, single items, or everything. */
export type AccessWish = z.infer<typeof revokeAccessInput>;

/** The kinds whose items can be revoked one by one. */
const singles: readonly AccessKind[] = ["sessions", "tokens", "keys", "passkeys", "identities"];

interface Parts {
  sessions: OwnSessions;
  tokens: PersonalTokens;
  keys: TsigKeys;
  secondFactors: SecondFactors;
  revocation: AccessRevocation;
  confirmation: Confirmation;
  waysIn: WaysIn;
  audit: Audit;
}

/** Shows and revokes access to other users' accounts, for administrators. */
export class UserAccess {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws AppError NOT_FOUND */
  async get(em: EntityManager, id: string) {
    const user = await em.findOne(User, { id });
    if (!user) throw notFound("user");
    const { sessions, tokens, keys, secondFactors } = this.#parts;
    const whose = { userId: id, sessionId: null };
    return {
      hasPassword: typeof user.passwordHash === "string",
      ...(await sessions.list(em, whose)),
      ...(await tokens.list(em, whose)),
      feeds: await feedsOf(em, id),
      ...(await keys.list(em, whose)),
      ...(await secondFactors.overview(em, whose)),
      identities: await identitiesOf(em, id),
    };
  }

  /**
   * Revokes access to an account: all of it, unless the request selects some. Also ends whatever was issued for the account.
   * @returns the remaining access
   * @throws AppError NOT_FOUND for an unknown user or id, FORBIDDEN for the caller's own account, REAUTHENTICATION_REQUIRED if it removes a
   * protection, CONFLICT if no administrator could sign in afterwards
   */
  async revoke(em: EntityManager, caller: Caller, { id, revoke, ids }: AccessWish) {
    if (caller.userId === id) throw ownAccess();
    const { confirmation } = this.#parts;
    if (revoke && takesProtection(revoke)) await confirmation.require(em, caller);
    await em.transactional(async (tx) => {
      await lockAsAdministrator(tx, caller);
      const isAdministrator = await lockWithAdministrators(tx, id);
      const couldSignIn = await canAdministratorSignIn(tx);
      const user = await tx.findOne(User, { id });
      if (!user) throw notFound("user");
      const all = revoke === undefined && ids === undefined;
      await endOutstanding(tx, id);
      const addressDistrusted = all && (await distrustOwnLink(tx, id));
      const kinds = revoke ?? (ids ? singles : accessKinds);
      const chosen = ids && [...new Set(ids)];
      const revoked = await this.#parts.revocation.revoke(tx, caller, id, { kinds, ids: chosen ?? null });
      const closed = revoked.password || revoked.passkeys.length + revoked.identities.length > 0;
      if (isAdministrator && closed)
        await refuseNoAdministrator(
          tx,
          "No administrator could sign in afterwards. Set a password for another administrator first.",
          couldSignIn,
        );
      if (chosen && countOf(revoked) < chosen.length) throw notFound("session, token, feed, key, passkey or identity");
      if (chosen && revoked.passkeys.length > 0) await confirmation.require(tx, caller);
      await this.#parts.audit.record(tx, caller, {
        action: "user.revoke_access",
        targetType: "user",
        targetId: id,
        before: { ...auditOf(revoked), ...(addressDistrusted ? { emailVerified: true } : {}) },
      });
      await this.#parts.waysIn.revoked(tx, caller, user, revoked);
    });
    return await this.get(em.fork(), id);
  }
}

function countOf({ sessions, tokens, feeds, keys, passkeys, identities }: Revoked): number {
  return sessions + tokens.length + feeds.length + keys.length + passkeys.length + identities.length;
}

function ownAccess(): AppError {
  return new AppError(
    "FORBIDDEN",
    "You cannot revoke your own access here. Revoke it in your account, or when you change your password.",
  );
}

async function feedsOf(em: EntityManager, userId: string) {
  return await queries(em)
    .selectFrom("calendar_feeds")
    .select(["id", "name", "created_at as createdAt", "last_used_at as lastUsedAt"])
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .execute();
}

async function identitiesOf(em: EntityManager, userId: string) {
  return await queries(em)
    .selectFrom("identity_bindings")
    .select([
      "id",
      "provider_id as providerId",
      "subject",
      "email",
      "display_name as displayName",
      "created_at as createdAt",
    ])
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}
