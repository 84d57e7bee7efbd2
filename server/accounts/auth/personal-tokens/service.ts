import type { z } from "zod";
import type { createTokenInput } from "./schemas.ts";
import { LockMode } from "@mikro-orm/core";
import type { Audit } from "../../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError, badField, notFound } from "../../../platform/errors.ts";
import { newId, hashOf } from "../../../platform/ids.ts";
import { type Caller, type Actor, hasPermission, narrowablePermissions } from "../../../access/caller.ts";
import { isUsable, permissions, type Permission } from "../../../access/permissions.ts";
import { lockOwnAccount } from "../../users/account.ts";
import type { WaysIn } from "../ways-in.ts";
import { PersonalToken } from "../../../database/tables/credentials.ts";
import { newToken } from "../../../access/authenticator.ts";
import { parseHostPattern } from "../../../access/host-pattern.ts";
import { visibleDomains } from "../../../access/visible-domains.ts";

const tokensPerUser = 100;

export type TokenWish = z.infer<typeof createTokenInput>;

/** A wish whose narrowing has been checked. */
interface CheckedWish extends Pick<TokenWish, "name" | "permissions" | "expiresAt"> {
  domainIds: string[] | null;
  hostPattern: string | null;
  recordTypes: string[] | null;
}

/** Who gets a token. */
type Owner = Actor & { userId: string };

interface Parts {
  prefix: string;
  audit: Audit;
  waysIn: WaysIn;
  now: () => Date;
  /** Called as soon as a token is deleted, so that it stops working. */
  onEnd: (tokenHash: string) => void;
}

/** Manages the caller's own personal tokens. Users cannot see or delete each other's tokens. */
export class PersonalTokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(em: EntityManager, { userId }: Pick<Caller, "userId">) {
    const tokens = await em.find(PersonalToken, { userId }, { orderBy: { id: "desc" } });
    return { tokens: tokens.map(view) };
  }

  /** Returns whom a credential belongs to, and what it may do. */
  async current(em: EntityManager, caller: Caller) {
    const { userId: id, username, role, tokenId } = caller;
    const { tokens } = tokenId === null ? { tokens: [] } : await this.list(em, caller);
    return {
      user: { id, username, role },
      permissions: permissions.filter((one) => hasPermission(caller, one) && isUsable(one, role)),
      token: tokens.find((token) => token.id === tokenId) ?? null,
    };
  }

  /** @throws AppError BAD_REQUEST if the expiry is in the past or the narrowing is invalid, CONFLICT at the limit of tokens per user */
  async create(em: EntityManager, caller: Caller, wish: TokenWish) {
    const { now } = this.#parts;
    if (wish.expiresAt !== null && wish.expiresAt <= now()) {
      throw badField(["expiresAt"], "This must be in the future. Send null for a token that never expires.");
    }
    const narrowing = await narrowingFrom(em, caller, wish);
    return await em.transactional(async (tx) => {
      // The lock serializes parallel calls, so that they cannot exceed the limit together.
      await lockOwnAccount(tx, caller);
      return await this.createLocked(tx, caller, { ...wish, ...narrowing });
    });
  }

  /**
   * Creates a token within a transaction, after `lockAccount`.
   * @param actor makes the call for the owner
   * @throws AppError CONFLICT at the limit of tokens per user
   */
  async createLocked(tx: EntityManager, actor: Owner, wish: CheckedWish) {
    const { prefix, audit, waysIn, now } = this.#parts;
    await this.requireRoom(tx, actor);
    const token = newToken(prefix);
    const entity = tx.create(PersonalToken, {
      id: newId(),
      userId: actor.userId,
      ...wish,
      tokenHash: hashOf(token),
      permissions: [...new Set(wish.permissions)],
      createdAt: now(),
    });
    await tx.flush();
    await audit.record(tx, actor, {
      action: "token.create",
      targetType: "token",
      targetId: entity.id,
      after: auditedFields(entity),
    });
    const change = { event: "security.token_created", tokenId: entity.id, name: wish.name } as const;
    await waysIn.changed(tx, actor, actor.userId, change);
    return { token, ...view(entity) };
  }

  /** @throws AppError CONFLICT if a user has as many tokens as one may have */
  async requireRoom(em: EntityManager, { userId }: Pick<Owner, "userId">): Promise<void> {
    if ((await em.count(PersonalToken, { userId })) < tokensPerUser) return;
    throw new AppError(
      "CONFLICT",
      `You have reached the limit of ${tokensPerUser} personal tokens. Delete one that is no longer used.`,
    );
  }

  /** @throws AppError NOT_FOUND */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    const { audit, onEnd } = this.#parts;
    const tokenHash = await em.transactional(async (tx) => {
      const own = { id, userId: caller.userId };
      const token = await tx.findOne(PersonalToken, own, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!token) throw notFound("token");
      tx.remove(token);
      await tx.flush();
      await audit.record(tx, caller, {
        action: "token.delete",
        targetType: "token",
        targetId: id,
        before: auditedFields(token),
      });
      return token.tokenHash;
    });
    onEnd(tokenHash);
  }
}

interface NarrowingWish {
  permissions: readonly Permission[];
  domainIds?: string[] | null | undefined;
  hostPattern?: string | null | undefined;
  recordTypes?: string[] | null | undefined;
}

/** Returns what a new token is narrowed to. @throws AppError BAD_REQUEST */
async function narrowingFrom(em: EntityManager, caller: Caller, wish: NarrowingWish) {
  const { domainIds = null, hostPattern = null, recordTypes = null } = wish;
  if (domainIds === null && hostPattern === null && recordTypes === null)
    return { domainIds, hostPattern, recordTypes };
  refuseBroadPermissions(wish.permissions);
  const zones = domainIds === null ? [null] : await namesOf(em, caller, domainIds);
  return { domainIds, hostPattern: hostPattern === null ? null : patternFor(hostPattern, zones), recordTypes };
}

function refuseBroadPermissions(given: readonly Permission[]): void {
  const broad = given.filter((permission) => !narrowablePermissions.some((each) => each === permission));
  if (broad.length === 0) return;
  throw badField(
    ["permissions"],
    `A narrowed token cannot have ${broad.join(", ")}. Leave that out, or create a token that is not narrowed.`,
  );
}

/** Returns the names of domains in the order of their ids. @throws AppError BAD_REQUEST if the caller may not see one */
async function namesOf(em: EntityManager, caller: Caller, ids: readonly string[]): Promise<string[]> {
  const visible = await visibleDomains(em, caller);
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where((eb) => visible.condition(eb))
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return ids.map((id, index) => {
    const name = names.get(id);
    if (name === undefined)
      throw badField(["domainIds", index], "No domain has this ID. Choose one that you may access.");
    return name;
  });
}

/** @throws AppError BAD_REQUEST unless the pattern is relative to each of the zones */
function patternFor(input: string, zones: readonly (string | null)[]): string {
  const [first = "*"] = zones.map((zone) => {
    const pattern = parseHostPattern(input, zone);
    if (!pattern.ok) throw badField(["hostPattern"], pattern.message);
    return pattern.value;
  });
  return first;
}

function view(token: PersonalToken) {
  const { id, name, createdAt } = token;
  const permissions = token.permissions as Permission[];
  const ends = { createdAt, expiresAt: token.expiresAt ?? null, lastUsedAt: token.lastUsedAt ?? null };
  return { id, name, permissions, ...narrowingFields(token), ...ends };
}

function narrowingFields({ domainIds, hostPattern, recordTypes }: PersonalToken) {
  return { domainIds: domainIds ?? null, hostPattern: hostPattern ?? null, recordTypes: recordTypes ?? null };
}

/** Returns the fields of a token that the audit trail records. */
function auditedFields(token: PersonalToken) {
  const { name, permissions, expiresAt } = token;
  return { name, permissions, expiresAt: expiresAt ?? null, ...narrowingFields(token) };
}
