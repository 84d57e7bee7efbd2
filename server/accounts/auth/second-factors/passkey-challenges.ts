import { randomBytes } from "node:crypto";
import { queries, type EntityManager } from "../../../database/database.ts";

const lifetimeMilliseconds = 5 * 60_000;

/** The purpose of a challenge. Its response is valid only for that purpose. */
export type ChallengeUse =
  | { purpose: "register"; userId: string }
  | { purpose: "second_factor"; userId: string; signInChallengeId: string }
  | { purpose: "confirm"; userId: string; sessionId: string }
  | { purpose: "sign_in" };

/** Issues and consumes the challenges that authenticators sign (WebAuthn §13.4.3): random, stored here, consumed by the first response. */
export class PasskeyChallenges {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** How long a challenge stays valid. */
  get milliseconds(): number {
    return lifetimeMilliseconds;
  }

  /** @returns base64url */
  async make(em: EntityManager, use: ChallengeUse): Promise<string> {
    const challenge = randomBytes(32).toString("base64url");
    const now = this.#now();
    // Anyone may request a challenge, so expired ones must not pile up until the next housekeeping.
    await queries(em).deleteFrom("passkey_challenges").where("expires_at", "<=", now).execute();
    await queries(em)
      .insertInto("passkey_challenges")
      .values({
        challenge,
        purpose: use.purpose,
        user_id: use.purpose === "sign_in" ? null : use.userId,
        sign_in_challenge_id: use.purpose === "second_factor" ? use.signInChallengeId : null,
        session_id: use.purpose === "confirm" ? use.sessionId : null,
        expires_at: new Date(now.getTime() + lifetimeMilliseconds),
      })
      .execute();
    return challenge;
  }

  /** Consumes a challenge. Returns false if it was already used, has expired, or has another purpose. */
  async take(em: EntityManager, challenge: string, use: ChallengeUse): Promise<boolean> {
    let taking = queries(em)
      .deleteFrom("passkey_challenges")
      .where("challenge", "=", challenge)
      .where("purpose", "=", use.purpose)
      .where("expires_at", ">", this.#now());
    if (use.purpose !== "sign_in") taking = taking.where("user_id", "=", use.userId);
    if (use.purpose === "second_factor") taking = taking.where("sign_in_challenge_id", "=", use.signInChallengeId);
    if (use.purpose === "confirm") taking = taking.where("session_id", "=", use.sessionId);
    const { numDeletedRows } = await taking.executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
}
