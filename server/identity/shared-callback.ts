import { queries, type EntityManager } from "../database/database.ts";
import { flowSeconds } from "./flows.ts";
import { hashOf } from "../platform/opaque-tokens.ts";
import type { ProviderId } from "../database/tables/identity.ts";

/**
 * Prevents mix-up attacks between `oidc` and `custom`, which share a callback (RFC 9700 §4.4). A malicious provider can redirect a browser
 * to the honest one with the challenge and nonce of its own flow, and then receives the code. If the honest one sends no `iss`, the mix-up
 * is not detectable at that point. But the attacker cannot use the code: it would have to return it as its own, and it is already recorded
 * for the other provider.
 */
export class SharedCallback {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Records which provider issued a code, before the code is sent anywhere. @returns false if it is recorded for another provider */
  async claim(em: EntityManager, providerId: ProviderId, code: string): Promise<boolean> {
    // A code is useless once its flow has expired.
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
