import { sql } from "kysely";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Actor } from "../../../access/caller.ts";
import type { Authenticator } from "../../../access/authenticator.ts";
import { methodsSetUp } from "../../auth/second-factors/methods.ts";
import type { Sessions } from "../../auth/sessions.ts";
import { afterCommit } from "../../../database/after-commit.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import type { ProviderId } from "../../../database/tables/identity.ts";
import type { Role } from "../../../database/tables/users.ts";
import { canAdministratorSignIn, endOutstanding, recomputeRoles, type ChangedRole } from "../account.ts";
import { endInvitations } from "../invitations/service.ts";
import type { AccessKind } from "./kinds.ts";

/** Selects the access to revoke. */
export interface Selection {
  kinds: readonly AccessKind[];
  /** Only these sessions, tokens, feeds, keys, passkeys and identities; null: all of each kind. */
  ids?: readonly string[] | null;
  /** A session to leave open. */
  exceptSession?: string | null;
}

/** The access that was revoked, as recorded in the audit trail: names and counts, no secrets. */
export interface Revoked {
  password: boolean;
  sessions: number;
  /** Token names. */
  tokens: string[];
  /** Names of calendar feeds, which end with tokens. */
  feeds: string[];
  /** What TSIG keys are for, or their names. */
  keys: string[];
  /** Passkey names. */
  passkeys: string[];
  /** Provider ids. */
  identities: string[];
  totp: boolean;
  email: boolean;
  recoveryCodes: number;
  /** The role that remains, if a role from a group ended with an identity. It has an audit entry of its own. */
  role: Role | null;
}

interface Parts {
  sessions: Sessions;
  authenticator: Authenticator;
  audit: Audit;
  now: () => Date;
}

/** Revokes access to accounts. */
export class AccessRevocation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Revokes access. Call it in a transaction, after `lockAccount`, or `lockWithAdministrators` for identities. Sessions, tokens and keys stop
   * working when the transaction commits.
   * @throws AppError CONFLICT if no administrator would remain
   */
  async revoke(tx: EntityManager, actor: Actor, userId: string, selection: Selection): Promise<Revoked> {
    const { kinds, ids = null, exceptSession = null } = selection;
    const has = (kind: AccessKind) => kinds.includes(kind);
    const of = { userId, ids };
    const couldSignIn = !has("identities") || (await canAdministratorSignIn(tx));
    const revoked: Revoked = {
      password: has("password") && (await removePassword(tx, userId)),
      sessions: has("sessions") ? await this.#parts.sessions.endAll(tx, userId, { except: exceptSession, ids }) : 0,
      tokens: has("tokens") ? await this.#removeTokens(tx, of) : [],
      feeds: has("tokens")
        ? (await removeRows<{ name: string }>(tx, "calendar_feeds", of)).map(({ name }) => name)
        : [],
      keys: has("keys") ? await removeKeys(tx, of) : [],
      passkeys: has("passkeys") ? (await removeRows<{ name: string }>(tx, "passkeys", of)).map(({ name }) => name) : [],
      identities: has("identities") ? await removeIdentities(tx, of) : [],
      totp: has("totp") && (await removeRows(tx, "totp_factors", { userId })).length > 0,
      email: has("email") && (await removeRows(tx, "email_factors", { userId })).length > 0,
      recoveryCodes: 0,
      role: null,
    };
    if (revoked.identities.length > 0)
      revoked.role = (await this.groupsEnded(tx, actor, [userId], "identityUnlinked", couldSignIn))[0]?.role ?? null;
    // Without a second factor, recovery codes have no use, and old ones must not apply to factors added later.
    const useless = (await methodsSetUp(tx, userId)).length === 0;
    if (has("recoveryCodes") || useless)
      revoked.recoveryCodes = (await removeRows(tx, "recovery_codes", { userId })).length;
    return revoked;
  }

  /**
   * Ends the roles that came from groups of identities which were just unlinked, or of rules which were just removed, and the invitations of
   * those who are no longer administrators. Assignments of unlinked identities ended with them.
   * @param couldSignIn whether an administrator could sign in before
   * @returns those whose role changed
   * @throws AppError CONFLICT if no administrator would remain
   */
  async groupsEnded(
    tx: EntityManager,
    actor: Actor,
    userIds: readonly string[],
    why: "identityUnlinked" | "ruleRemoved",
    couldSignIn = true,
  ): Promise<ChangedRole[]> {
    const changed = await recomputeRoles(tx, userIds, couldSignIn);
    for (const { id, before, role } of changed) {
      await endOutstanding(tx, id);
      const invitations = before === "admin" ? await endInvitations(tx, id, this.#parts.now()) : 0;
      await this.#parts.audit.record(tx, actor, {
        action: "identity.groups",
        targetType: "user",
        targetId: id,
        before: { role: before },
        after: { role, [why]: true, ...(invitations > 0 ? { invitationsEnded: invitations } : {}) },
      });
    }
    afterCommit(tx, () => {
      for (const { id } of changed) this.#parts.authenticator.forget(id);
    });
    return changed;
  }

  async #removeTokens(tx: EntityManager, of: Of): Promise<string[]> {
    const removed = await removeRows<{ name: string; token_hash: string }>(tx, "personal_tokens", of);
    afterCommit(tx, () => {
      for (const { token_hash } of removed) this.#parts.authenticator.endToken(token_hash);
    });
    return removed.map(({ name }) => name);
  }
}

/** Returns only the kinds for which something was revoked. */
export function auditOf(revoked: Revoked): Partial<Omit<Revoked, "role">> {
  return Object.fromEntries(
    Object.entries({ ...revoked, role: null }).filter(([, what]) =>
      Array.isArray(what) ? what.length > 0 : Boolean(what),
    ),
  );
}

/** The user, and the ids to remove; null or omitted: all. */
interface Of {
  userId: string;
  ids?: readonly string[] | null;
}

async function removeRows<Row>(tx: EntityManager, table: string, { userId, ids = null }: Of): Promise<Row[]> {
  const those = ids === null ? sql`` : sql`and id = any(${`{${ids.join(",")}}`}::uuid[])`;
  const { rows } =
    await sql<Row>`delete from ${sql.table(table)} where user_id = ${userId} ${those} returning *`.execute(queries(tx));
  return rows;
}

async function removeKeys(tx: EntityManager, of: Of): Promise<string[]> {
  const removed = await removeRows<{ name: string | null; key_name: string }>(tx, "tsig_keys", of);
  return removed.map(({ name, key_name: keyName }) => name ?? keyName);
}

async function removePassword(tx: EntityManager, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await queries(tx)
    .updateTable("users")
    .set({ password_hash: null })
    .where("id", "=", userId)
    .where("password_hash", "is not", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Removes identities and the pending registrations that use them: until now they opened this account. */
async function removeIdentities(tx: EntityManager, of: Of): Promise<string[]> {
  type Row = { provider_id: ProviderId; issuer: string; subject: string };
  const removed = await removeRows<Row>(tx, "identity_bindings", of);
  for (const { provider_id, issuer, subject } of removed) {
    await queries(tx)
      .deleteFrom("pending_identities")
      .where("provider_id", "=", provider_id)
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .execute();
  }
  return removed.map(({ provider_id }) => provider_id);
}
