import type { EntityManager } from "../../../database/database.ts";
import { ensureSealed } from "../../../database/ensure-sealed.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretCipher } from "../../../platform/secret-cipher.ts";

/** Manages the secrets of authenticator apps, encrypted at rest and bound to their user. */
export class TotpSecrets {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(userId: string, secret: string): string {
    return this.#box.seal(secret, aadOf(userId));
  }

  /** @throws AppError UNAUTHORIZED, with what to do next, if no key decrypts the secret */
  open(userId: string, sealed: string): string {
    const opened = this.#box.open(sealed, aadOf(userId));
    if (opened.ok) return opened.text;
    const note = { text: "the secret of an authenticator app cannot be read", userId, reason: opened.reason };
    throw new AppError(
      "UNAUTHORIZED",
      "The secret of this authenticator app can no longer be read. Use another second factor or a recovery code.",
      { note },
    );
  }

  /** Encrypts the secrets with the newest of SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "totp_factors",
      column: "secret",
      type: "text",
      id: "user_id",
      name: "user_id",
      of: "authenticator apps",
      resealed: ({ user_id, secret }) => this.#box.resealed(secret, aadOf(user_id)),
    });
  }
}

function aadOf(userId: string): string[] {
  return ["totp_factors", userId];
}
