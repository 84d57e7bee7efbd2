import type { Permission } from "./permissions.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { CachedCaller } from "./caller-cache.ts";
import { hashOf } from "../platform/opaque-tokens.ts";
import { isWellFormed } from "./personal-token-form.ts";
import { narrowingOf } from "./narrowing.ts";
import type { LastUse } from "./personal-token-use.ts";

/** Looks up the owner and permissions of personal tokens. */
export class PersonalTokenCredentials {
  readonly #prefix: string;
  readonly #lastUse: LastUse;

  constructor(prefix: string, lastUse: LastUse) {
    this.#prefix = prefix;
    this.#lastUse = lastUse;
  }

  /** Returns the key under which a token is stored and cached, or null if it is malformed. */
  keyOf(token: string): string | null {
    return isWellFormed(token, this.#prefix) ? hashOf(token) : null;
  }

  /** Returns the caller, or null if the token is unknown or deleted, or its owner is disabled. */
  async read(em: EntityManager, tokenHash: string): Promise<CachedCaller | null> {
    const row = await queries(em)
      .selectFrom("personal_tokens as token")
      .innerJoin("users", "users.id", "token.user_id")
      .select(["token.id", "token.permissions", "token.expires_at", "token.last_used_at"])
      .select(["token.domain_ids", "token.host_pattern", "token.record_types"])
      .select(["users.id as user_id", "users.username", "users.role"])
      .where("token.token_hash", "=", tokenHash)
      .where("users.disabled_at", "is", null)
      .executeTakeFirst();
    if (!row) return null;
    const endsAt = row.expires_at ?? null;
    this.#lastUse.note({ id: row.id, endsAt, lastUsedAt: row.last_used_at ?? null });
    const caller = {
      userId: row.user_id,
      username: row.username,
      role: row.role,
      sessionId: null,
      tokenId: row.id,
      permissions: new Set(row.permissions as Permission[]),
      narrowing: narrowingOf(row),
    };
    return { caller, endsAt };
  }
}
