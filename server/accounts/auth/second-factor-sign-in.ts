import type { Audit } from "../../notifications/audit/audit.ts";
import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import type { Guesses } from "../../api/limits/guesses.ts";
import { User } from "../../database/tables/users.ts";
import { lockAccount } from "../users/lock-account.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { SecondFactorChecks } from "./second-factors/checks.ts";
import { readProof, type GivenProof, type Proof } from "./second-factors/proof.ts";
import type { PasskeyAnswer } from "./second-factors/relying-party.ts";
import type { PendingSignIn, Actor } from "../../access/caller.ts";
import type { ClientInfo } from "./sessions.ts";
import type { SignedIn, SignIn } from "./sign-in.ts";

interface Parts {
  signIn: SignIn;
  checks: SecondFactorChecks;
  guesses: Guesses;
  knownDevices: KnownDevices;
  audit: Audit;
}

/** Completes sign-ins by a second factor, and signs in with a passkey alone. */
export class SecondFactorSignIn {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws AppError BAD_REQUEST for a malformed proof, UNAUTHORIZED for a wrong or used one, TOO_MANY_REQUESTS after too many wrong ones */
  async complete(
    em: EntityManager,
    actor: Actor,
    pending: PendingSignIn,
    given: GivenProof,
    client: ClientInfo,
  ): Promise<SignedIn> {
    const { userId } = pending;
    const proof = readProof(given);
    // A refused proof must not roll back the use of its attempt or challenge.
    const attempt = () =>
      em.transactional(async (tx) => {
        await lockAccount(tx, userId);
        if (!(await this.#parts.checks.check(tx, pending, proof))) return null;
        if (!(await this.#parts.checks.complete(tx, pending)))
          throw new AppError("UNAUTHORIZED", "This sign-in is already complete. Sign in again.");
        return await this.#parts.signIn.start(
          tx,
          actor,
          userId,
          { rememberMe: pending.rememberMe, method: proof.method },
          client,
        );
      });
    // Signatures cannot be guessed, so wrong ones must not lock the owner out.
    const guessed = async () => {
      const user = await em.findOne(User, { id: userId });
      const device = user && this.#parts.knownDevices.idOf(client, user);
      return await this.#parts.guesses.check({ secret: "code", account: userId, device, from: actor }, attempt);
    };
    const signedIn = await (proof.method === "passkey" ? attempt() : guessed());
    if (signedIn) return signedIn;
    const { method } = proof;
    const event = { action: "auth.second_factor_failed", targetType: "user", targetId: userId } as const;
    await this.#parts.audit.record(em, actor, { ...event, after: { method } });
    throw new AppError("UNAUTHORIZED", wrong[method], { note: { text: "a second factor failed", userId, method } });
  }

  /**
   * Signs in with a passkey alone: possessing and unlocking it are two factors.
   * @throws AppError UNAUTHORIZED, TOO_MANY_REQUESTS for a wrong one after too many from its address
   */
  async withPasskey(
    em: EntityManager,
    actor: Actor,
    { credential, rememberMe }: { credential: PasskeyAnswer; rememberMe: boolean },
    client: ClientInfo,
  ): Promise<SignedIn> {
    const method = "passkey";
    const owner = await em.transactional((tx) => this.#parts.checks.passkeyOwner(tx, credential));
    if (owner) {
      const { userId, accessEpoch } = owner;
      return await this.#parts.signIn.start(em, actor, userId, { rememberMe, method, accessEpoch }, client);
    }
    await this.#parts.guesses.check({ secret: "passkey", account: null, device: null, from: actor }, () =>
      Promise.resolve(null),
    );
    const aimedAt = await this.#parts.checks.passkeyNamed(em, credential);
    await this.#parts.signIn.recordFailure(em, actor, aimedAt, { method });
    throw new AppError("UNAUTHORIZED", wrong.passkey, { note: { text: "a sign-in by passkey failed", ip: client.ip } });
  }
}

const wrong: Record<Proof["method"], string> = {
  totp: "The code is wrong or has already been used. Enter the one your app shows now.",
  email: "The code is wrong or has expired. Request another one.",
  recovery: "The recovery code is wrong or has already been used.",
  passkey: "The passkey was not accepted. Start again.",
};
