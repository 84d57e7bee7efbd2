import type { Audit } from "../../../audit/audit.ts";
import type { Caller } from "../../../access/caller.ts";
import { lockDomain } from "../../../access/lock-domain.ts";
import type { TsigKeyNames } from "../../../access/tsig-key-names.ts";
import { newKeyName, newSecret, type TsigSecrets } from "../../../access/tsig-key-form.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { TsigKeyRow, type TsigKeyAccess } from "../../../database/tables/tsig-keys.ts";
import type { TsigAlgorithm } from "../../../dns/wire/tsig.ts";
import { AppError, badField, notFound } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { lockAccount } from "../../users/lock-account.ts";
import { lockOwnAccount } from "../lock-own-account.ts";
import type { WaysIn } from "../ways-in.ts";
import { keyById, keysOf, pageOfKeys, type TsigKeyFilter } from "./list.ts";
import { patternFor, unknownDomain } from "./scope.ts";

const keysPerUser = 50;

export interface TsigKeyWish {
  name: string | null;
  algorithm: TsigAlgorithm;
  domainId: string;
  /** As typed. */
  hostPattern: string;
  recordTypes: string[];
  access: TsigKeyAccess;
  expiresAt: Date | null;
}

interface Parts {
  secrets: TsigSecrets;
  names: Pick<TsigKeyNames, "add">;
  audit: Audit;
  waysIn: WaysIn;
  now: () => Date;
}

/** Manages TSIG keys: users their own, and administrators those of all. */
export class TsigKeys {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(em: EntityManager, { userId }: Pick<Caller, "userId">) {
    return { keys: await keysOf(em, userId) };
  }

  listAll(em: EntityManager, filter: TsigKeyFilter) {
    return pageOfKeys(em, filter);
  }

  /**
   * Creates a key and returns it with its secret.
   * @throws AppError BAD_REQUEST if the expiry is in the past or the key would exceed what the caller may do, CONFLICT at the limit of keys per
   * user
   */
  async create(em: EntityManager, caller: Caller, wish: TsigKeyWish) {
    const { secrets, names, audit, waysIn, now } = this.#parts;
    const { name, algorithm, domainId, recordTypes, access, expiresAt } = wish;
    if (expiresAt !== null && expiresAt <= now())
      throw badField(["expiresAt"], "This must be in the future. Send null for a key that never expires.");
    const hostPattern = await patternFor(em, caller, wish);
    const id = newId();
    const keyName = newKeyName();
    const secret = newSecret(algorithm);
    await em.transactional(async (tx) => {
      // The lock serializes parallel calls, so that they cannot exceed the limit together.
      await lockOwnAccount(tx, caller);
      const domainName = await lockDomain(tx, domainId);
      if (domainName === null) throw unknownDomain();
      if ((await tx.count(TsigKeyRow, { userId: caller.userId })) >= keysPerUser)
        throw new AppError(
          "CONFLICT",
          `You have reached the limit of ${keysPerUser} TSIG keys. Delete one that is no longer used.`,
        );
      tx.create(TsigKeyRow, {
        id,
        userId: caller.userId,
        name,
        keyName,
        algorithm,
        secret: secrets.seal(id, secret),
        domainId,
        hostPattern,
        recordTypes,
        access,
        createdAt: now(),
        expiresAt,
      });
      await tx.flush();
      await audit.record(tx, caller, {
        action: "tsig_key.create",
        targetType: "tsig_key",
        targetId: id,
        after: { name, keyName, algorithm, domainId, hostPattern, recordTypes, access, expiresAt },
      });
      const change = { event: "security.key_created", keyId: id, keyName, name, domainName } as const;
      await waysIn.changed(tx, caller, caller.userId, change);
    });
    names.add(keyName);
    return { secret: secret.toString("base64"), ...(await keyById(em.fork(), id)) };
  }

  /** Revokes one of the caller's own keys. @throws AppError NOT_FOUND */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      await this.#remove(tx, caller, { id, userId: caller.userId });
    });
  }

  /** Revokes anybody's key and notifies its owner. @throws AppError NOT_FOUND */
  async revoke(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      const owner = await queries(tx).selectFrom("tsig_keys").select("user_id").where("id", "=", id).executeTakeFirst();
      if (!owner) throw notFound("TSIG key");
      await lockAccount(tx, owner.user_id);
      const { name, key_name: keyName } = await this.#remove(tx, caller, { id, userId: owner.user_id });
      if (owner.user_id === caller.userId) return;
      const ways = [`the TSIG key ${name ?? keyName}`];
      await this.#parts.waysIn.changed(tx, caller, owner.user_id, { event: "security.access_revoked", ways });
    });
  }

  async #remove(tx: EntityManager, caller: Caller, { id, userId }: { id: string; userId: string }) {
    const gone = await queries(tx)
      .deleteFrom("tsig_keys")
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .returning(["name", "key_name", "algorithm", "domain_id", "host_pattern", "record_types", "access", "expires_at"])
      .executeTakeFirst();
    if (!gone) throw notFound("TSIG key");
    await this.#parts.audit.record(tx, caller, {
      action: "tsig_key.delete",
      targetType: "tsig_key",
      targetId: id,
      before: {
        ...(userId === caller.userId ? {} : { userId }),
        name: gone.name,
        keyName: gone.key_name,
        algorithm: gone.algorithm,
        domainId: gone.domain_id,
        hostPattern: gone.host_pattern,
        recordTypes: gone.record_types,
        access: gone.access,
        expiresAt: gone.expires_at,
      },
    });
    return gone;
  }
}
