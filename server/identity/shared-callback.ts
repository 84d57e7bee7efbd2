import { queries, type EntityManager } from "../database/database.ts";
import { flowSeconds } from "./flows.ts";
import { hashOf } from "../platform/opaque-tokens.ts";
import type { ProviderId } from "../database/tables/identity.ts";

/**
 * Keeps answers of `oidc` and `custom` apart, which come to one address (RFC 9700 §4.4, mix-up). A bad provider can send a browser on to the good one with
 * the challenge and the nonce of a flow of its own, and is then shown the code. Where the good one does not tell its issuer nobody can see that
 * it is not the bad one's, but the bad one cannot use it: it would have to come back with a code that was another provider's before.
 */
export class SharedCallback {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Notes whose code this is, before it is shown to anybody. @returns false when it is another provider's */
  async claim(em: EntityManager, providerId: ProviderId, code: string): Promise<boolean> {
    // The challenge that a code belongs to is worth nothing once its flow has ended.
    const expiresAt = new Date(this.#now().getTime() + flowSeconds * 1_000);
    const row = { code_hash: hashOf(code), provider_id: providerId, expires_at: expiresAt };
    await queries(em)
      .insertInto("identity_codes")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { provider_id: owner } = await queries(em)
      .selectFrom("identity_codes")
      .select("provider_id")
      .where("code_hash", "=", row.code_hash)
      .executeTakeFirstOrThrow();
    return owner === providerId;
  }
}
