import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretCipher } from "../../../platform/secret-cipher.ts";

/** The secrets of authenticator apps: sealed at rest, bound to their user. */
export class TotpSecrets {
  readonly #box: SecretCipher;

  constructor(box: SecretCipher) {
    this.#box = box;
  }

  seal(userId: string, secret: string): string {
    return this.#box.seal(secret, placeOf(userId));
  }

  /** @throws AppError UNAUTHORIZED, naming what to do, for a secret that no key opens */
  open(userId: string, sealed: string): string {
    const opened = this.#box.open(sealed, placeOf(userId));
    if (opened.ok) return opened.text;
    const note = { text: "the secret of an authenticator app cannot be read", userId, reason: opened.reason };
    throw new AppError(
      "UNAUTHORIZED",
      "The secret of this authenticator app cannot be read any more; use another second factor or a recovery code.",
      { note },
    );
  }

  /** Seals with the newest key what an older one sealed. The rows are locked meanwhile. Repeating it changes nothing. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await em.transactional(async (tx) => {
      const rows = await queries(tx)
        .selectFrom("totp_factors")
        .select(["user_id", "secret"])
        .orderBy("user_id")
        .forUpdate()
        .execute();
      const sealed = rows.map(({ user_id, secret }) => this.#box.resealed(secret, placeOf(user_id)));
      const changed = rows.flatMap(({ user_id, secret: old }, index) => {
        const secret = sealed[index] ?? null;
        return secret === null || secret === old ? [] : [{ user_id, secret }];
      });
      if (changed.length > 0) {
        await sql`update totp_factors set secret = new.secret
          from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as new(user_id uuid, secret text)
          where totp_factors.user_id = new.user_id`.execute(queries(tx));
        log.info({ resealed: changed.length }, "encrypted the secrets of authenticator apps with the newest key");
      }
      const unreadable = sealed.filter((secret) => secret === null).length;
      if (unreadable > 0)
        log.warn({ unreadable }, "authenticator apps have secrets that no key in SECRET_KEYS opens; set them up again");
    });
  }
}

function placeOf(userId: string): string[] {
  return ["totp_factors", userId];
}
