import type { z } from "zod";
import type { createTsigKeyInput, listTsigKeysInput } from "./schemas.ts";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Caller } from "../../../access/caller.ts";
import { lockDomain } from "../../../access/locks.ts";
import { newKeyName, newSecret, type TsigSecrets, type TsigKeyNames } from "../../../access/tsig-keys.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { TsigKeyRow, type TsigKeyAccess } from "../../../database/tables/credentials.ts";
import { AppError, badField, notFound } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { lockAccount, lockOwnAccount } from "../../users/account.ts";
import type { WaysIn } from "../ways-in.ts";
import { onePage } from "../../../database/query-helpers.ts";
import { qualifiedName } from "../../../dns/names/names.ts";
import { parseHostPattern } from "../../../access/host-pattern.ts";
import { zoneFor, type Zone } from "../../../access/zone-access.ts";

const keysPerUser = 50;

export type TsigKeyWish = z.infer<typeof createTsigKeyInput>;

type TsigKeyFilter = z.infer<typeof listTsigKeysInput>;

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
      // Domains are locked before users: the deletion of this one locks those whose keys it ends.
      const domainName = await lockDomain(tx, domainId);
      if (domainName === null) throw unknownDomain();
      // The lock serializes parallel calls, so that they cannot exceed the limit together.
      await lockOwnAccount(tx, caller);
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

interface ScopeWish {
  domainId: string;
  /** As typed. */
  hostPattern: string;
  recordTypes: readonly string[];
  access: TsigKeyAccess;
}

/**
 * Returns the host pattern of a new key in canonical form.
 * @throws AppError BAD_REQUEST at the field that exceeds what the caller may do
 */
async function patternFor(em: EntityManager, caller: Caller, wish: ScopeWish): Promise<string> {
  const { name, rights } = await zoneOf(em, caller, wish.domainId);
  const parsed = parseHostPattern(wish.hostPattern, name);
  if (!parsed.ok) throw badField(["hostPattern"], parsed.message);
  const reads = wish.access === "read";
  const may = reads ? rights.sees : rights.changes;
  if (may.isNone)
    throw badField(["access"], `You may only read ${name}. Choose \`read\`, or ask for write access first.`);
  const pattern = parsed.value;
  // Of `*`, the key covers what its owner may access.
  if (pattern === "*") return pattern;
  const verb = reads ? "see" : "change";
  if (!may.includesSomeAt(pattern))
    throw badField(
      ["hostPattern"],
      `You may not ${verb} all records of ${pattern} in ${name}. Choose a pattern within your assignments, or "*" for all of them.`,
    );
  for (const [index, type] of wish.recordTypes.entries())
    if (!may.includesSomeAt(pattern, [type]))
      throw badField(
        ["recordTypes", index],
        `You may not ${verb} ${type} records of ${pattern} in ${name}. Leave out ${type}.`,
      );
  return pattern;
}

async function zoneOf(em: EntityManager, caller: Caller, domainId: string): Promise<Zone> {
  try {
    return await zoneFor(em, caller, domainId, "read");
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") throw unknownDomain();
    throw error;
  }
}

function unknownDomain(): AppError {
  return badField(["domainId"], "No domain has this ID. Choose one that you may access.");
}

/** Returns a user's keys, newest first. */
async function keysOf(em: EntityManager, userId: string) {
  const rows = await withDomains(em).where("k.user_id", "=", userId).orderBy("k.id", "desc").execute();
  return rows.map(keyView);
}

/** Returns a page of all users' keys, newest first. Each filter has an index in this order. */
async function pageOfKeys(em: EntityManager, { page, limit, userId, domainId }: TsigKeyFilter) {
  const found = withDomains(em)
    .innerJoin("users as u", "u.id", "k.user_id")
    .select(["u.id as user_id", "u.username"])
    .$if(userId !== undefined, (query) => query.where("k.user_id", "=", userId ?? ""))
    .$if(domainId !== undefined, (query) => query.where("k.domain_id", "=", domainId ?? ""))
    .orderBy("k.id", "desc");
  const { rows, total } = await onePage(found, { page, limit });
  const keys = rows.map((row) => Object.assign(keyView(row), { userId: row.user_id, username: row.username }));
  return { keys, total, page, limit };
}

async function keyById(em: EntityManager, id: string) {
  return keyView(await withDomains(em).where("k.id", "=", id).executeTakeFirstOrThrow());
}

/** Never selects the secret. */
function withDomains(em: EntityManager) {
  return queries(em)
    .selectFrom("tsig_keys as k")
    .innerJoin("domains as d", "d.id", "k.domain_id")
    .select(["k.id", "k.name as label", "k.key_name", "k.algorithm", "k.domain_id", "k.host_pattern"])
    .select(["k.record_types", "k.access", "k.created_at", "k.expires_at", "d.name", "d.view"])
    .select(["k.last_used_at", "k.last_used_from", "k.last_error", "k.last_error_at"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof withDomains>["executeTakeFirstOrThrow"]>>;

function keyView(row: Row) {
  return {
    id: row.id,
    name: row.label,
    keyName: row.key_name,
    algorithm: row.algorithm,
    domainId: row.domain_id,
    domainName: qualifiedName(row),
    hostPattern: row.host_pattern,
    recordTypes: row.record_types,
    access: row.access,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastUsedFrom: row.last_used_from,
    lastError: row.last_error,
    lastErrorAt: row.last_error_at,
  };
}
