import type { Actor } from "../../access/actor.ts";
import type { Audit } from "../../audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Guesses } from "../../limits/guesses.ts";
import { lockAccount } from "../users/lock-account.ts";
import type { SecondFactorChecks } from "./second-factors/checks.ts";
import { readProof, type GivenProof, type Proof } from "./second-factors/proof.ts";
import type { PasskeyAnswer } from "./second-factors/relying-party.ts";
import type { PendingSignIn } from "./second-factors/sign-in-challenges.ts";
import type { ClientInfo } from "./sessions.ts";
import type { SignedIn, SignIn } from "./sign-in.ts";

/** The second step of a sign-in, and the sign-in by passkey that has only one. */
export class SecondFactorSignIn {
  readonly #signIn: SignIn;
  readonly #checks: SecondFactorChecks;
  readonly #guesses: Guesses;
  readonly #audit: Audit;

  constructor(parts: { signIn: SignIn; checks: SecondFactorChecks; guesses: Guesses; audit: Audit }) {
    this.#signIn = parts.signIn;
    this.#checks = parts.checks;
    this.#guesses = parts.guesses;
    this.#audit = parts.audit;
  }

  /** @throws AppError BAD_REQUEST for a malformed proof, UNAUTHORIZED for one that is wrong or used already, TOO_MANY_REQUESTS after too many of them */
  async complete(
    em: EntityManager,
    actor: Actor,
    pending: PendingSignIn,
    given: GivenProof,
    client: ClientInfo,
  ): Promise<SignedIn> {
    const { userId } = pending;
    const proof = readProof(given);
    // A refused proof is no reason to take back what it cost: the try, or the challenge that it answered.
    const attempt = () =>
      em.transactional(async (tx) => {
        await lockAccount(tx, userId);
        if (!(await this.#checks.check(tx, pending, proof))) return null;
        if (!(await this.#checks.complete(tx, pending)))
          throw new AppError("UNAUTHORIZED", "This sign-in is complete already; sign in again.");
        return await this.#signIn.start(
          tx,
          actor,
          userId,
          { rememberMe: pending.rememberMe, method: proof.method },
          client,
        );
      });
    // A signature cannot be guessed, so wrong ones are no reason to shut the owner out.
    const guess = { secret: "code", account: userId, ip: actor.ip } as const;
    const signedIn = await (proof.method === "passkey" ? attempt() : this.#guesses.check(guess, attempt));
    if (signedIn) return signedIn;
    const { method } = proof;
    const event = { action: "auth.second_factor_failed", targetType: "user", targetId: userId } as const;
    await this.#audit.record(em, actor, { ...event, after: { method } });
    throw new AppError("UNAUTHORIZED", wrong[method], { note: { text: "a second factor failed", userId, method } });
  }

  /**
   * Signs in by a passkey alone: having it and unlocking it are two factors.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS after too many wrong ones from one address: each costs us work and a line in the trail
   */
  async withPasskey(
    em: EntityManager,
    actor: Actor,
    { credential, rememberMe }: { credential: PasskeyAnswer; rememberMe: boolean },
    client: ClientInfo,
  ): Promise<SignedIn> {
    const method = "passkey";
    const guess = { secret: "passkey", account: null, ip: actor.ip } as const;
    const owner = await this.#guesses.check(guess, () =>
      em.transactional((tx) => this.#checks.passkeyOwner(tx, credential)),
    );
    if (owner) {
      const { userId, accessEpoch } = owner;
      return await this.#signIn.start(em, actor, userId, { rememberMe, method, accessEpoch }, client);
    }
    const aimedAt = await this.#checks.passkeyNamed(em, credential);
    await this.#signIn.recordFailure(em, actor, aimedAt, { method });
    throw new AppError("UNAUTHORIZED", wrong.passkey, { note: { text: "a sign-in by passkey failed", ip: client.ip } });
  }
}

const wrong: Record<Proof["method"], string> = {
  totp: "The code is wrong or was used already; enter the one that your app shows now.",
  email: "The code is wrong or too old; have another one sent.",
  recovery: "The recovery code is wrong or was used already.",
  passkey: "The passkey was not accepted; start again.",
};
