import type { EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import { verifiedAddress } from "../../users/email/verified-address.ts";
import type { User } from "../../../database/tables/users.ts";
import { ownAccount } from "../../users/own-account.ts";
import type { EmailCodes } from "./email-codes.ts";
import { methodsSetUp, type Method } from "./methods.ts";
import type { PasskeyOwner, Passkeys } from "./passkeys.ts";
import type { Proof } from "./proof.ts";
import type { RecoveryCodes } from "./recovery-codes.ts";
import type { PasskeyAnswer } from "./relying-party.ts";
import type { FirstFactor, PendingSignIn, SignInChallenges } from "./sign-in-challenges.ts";
import type { Totp } from "./totp.ts";

export interface SecondFactorNeeded {
  requires2FA: true;
  tempToken: string;
  /** What can be used now; recovery codes always can, while there are some. */
  methods: Method[];
}

/** Second factors while somebody signs in. */
export class SecondFactorChecks {
  readonly #challenges: SignInChallenges;
  readonly #totp: Totp;
  readonly #emailCodes: EmailCodes;
  readonly #passkeys: Passkeys;
  readonly #recoveryCodes: RecoveryCodes;

  constructor(parts: {
    challenges: SignInChallenges;
    totp: Totp;
    emailCodes: EmailCodes;
    passkeys: Passkeys;
    recoveryCodes: RecoveryCodes;
  }) {
    this.#challenges = parts.challenges;
    this.#totp = parts.totp;
    this.#emailCodes = parts.emailCodes;
    this.#passkeys = parts.passkeys;
    this.#recoveryCodes = parts.recoveryCodes;
  }

  /**
   * Null for a user without a second factor. One that cannot be used for the moment, such as mail without a mail server, still keeps
   * strangers out: then recovery codes remain.
   * @throws AppError UNAUTHORIZED when what was shown does not hold any more
   */
  async challenge(em: EntityManager, user: User, shown: FirstFactor): Promise<SecondFactorNeeded | null> {
    const setUp = await methodsSetUp(em, user.id);
    if (setUp.length === 0) return null;
    const methods = setUp.filter((method) => method !== "email" || this.#reaches(user));
    return { requires2FA: true, tempToken: await this.#challenges.start(em, user.id, shown), methods };
  }

  /** @throws AppError UNAUTHORIZED for anything but a live `tempToken` */
  async authenticate(em: EntityManager, tempToken: string | null): Promise<PendingSignIn> {
    return await this.#challenges.authenticate(em, tempToken);
  }

  /** @throws AppError CONFLICT where codes by mail are not set up or cannot be sent, TOO_MANY_REQUESTS, UNAVAILABLE */
  async sendEmailCode(em: EntityManager, { userId, challengeId }: PendingSignIn): Promise<void> {
    const user = await ownAccount(em, userId);
    const setUp = (await methodsSetUp(em, userId)).includes("email");
    const email = verifiedAddress(user);
    if (!setUp || !this.#reaches(user) || email === null)
      throw new AppError("CONFLICT", "No code can be sent to you by e-mail; use another second factor.");
    await this.#emailCodes.send(em, { id: userId, email }, challengeId);
  }

  /** @throws AppError CONFLICT without a passkey */
  async passkeyOptions(em: EntityManager, { userId, challengeId }: PendingSignIn) {
    if (!(await methodsSetUp(em, userId)).includes("passkey"))
      throw new AppError("CONFLICT", "You have no passkey here; use another second factor.");
    return await this.#passkeys.requestOptions(em, {
      purpose: "second_factor",
      userId,
      signInChallengeId: challengeId,
    });
  }

  /** Options for a sign-in by passkey alone. */
  async passkeySignInOptions(em: EntityManager) {
    return await this.#passkeys.requestOptions(em, { purpose: "sign_in" });
  }

  /** Whose passkey signed, or null. */
  async passkeyOwner(em: EntityManager, credential: PasskeyAnswer): Promise<PasskeyOwner | null> {
    return await this.#passkeys.check(em, credential, { purpose: "sign_in" });
  }

  /** Whose passkey an answer names, which proves nothing; null where there is no such passkey. */
  async passkeyNamed(em: EntityManager, credential: PasskeyAnswer): Promise<string | null> {
    return await this.#passkeys.named(em, credential);
  }

  /** Checks a proof and uses it up. */
  async check(em: EntityManager, { userId, challengeId }: PendingSignIn, proof: Proof): Promise<boolean> {
    switch (proof.method) {
      case "totp":
        return await this.#totp.use(em, userId, proof.code);
      case "email":
        return await this.#emailCodes.check(em, challengeId, proof.code);
      case "recovery":
        return await this.#recoveryCodes.use(em, userId, proof.code);
      default: {
        const use = { purpose: "second_factor", userId, signInChallengeId: challengeId } as const;
        return (await this.#passkeys.check(em, proof.credential, use)) !== null;
      }
    }
  }

  /** Ends the waiting of a sign-in; of parallel calls one gets true. */
  async complete(em: EntityManager, { challengeId }: PendingSignIn): Promise<boolean> {
    return await this.#challenges.use(em, challengeId);
  }

  #reaches(user: User): boolean {
    return this.#emailCodes.reaches({ email: verifiedAddress(user) });
  }
}
