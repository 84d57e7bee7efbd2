import type { Permission } from "./permissions.ts";
import type { Role } from "../database/tables/users.ts";
import { ZoneScope } from "./zone-scope.ts";
import { queries, type EntityManager } from "../database/database.ts";

/** A credential that is limited to some records, as messages name it. */
export type NarrowedCredential = "token" | "key";

/** What a narrowed personal token or a TSIG key is limited to, within its owner's rights. */
export interface Narrowing {
  credential: NarrowedCredential;
  /** Null: every domain. */
  domainIds: readonly string[] | null;
  /** The records, in each of those domains. */
  scope: ZoneScope;
}

/** The columns of `personal_tokens` that narrow a token. Null: not narrowed by that. */
interface NarrowingRow {
  domain_ids: string[] | null;
  /** Canonical, see `host-pattern.ts`. */
  host_pattern: string | null;
  record_types: string[] | null;
}

/** Permissions that a narrowed token may have: those whose calls access nothing but records of domains. */
export const narrowablePermissions = [
  "domains:read",
  "records:read",
  "records:write",
  "snapshots:read",
  "requests:read",
  "requests:write",
] as const satisfies readonly Permission[];

/** Returns what a token is narrowed to; null if it is not narrowed. */
export function narrowingOf(row: NarrowingRow): Narrowing | null {
  const { domain_ids: domainIds, host_pattern: pattern, record_types: recordTypes } = row;
  if (domainIds === null && pattern === null && recordTypes === null) return null;
  return {
    credential: "token",
    domainIds,
    scope: new ZoneScope([{ pattern: pattern ?? "*", recordTypes: recordTypes ?? [] }]),
  };
}

/** Who performed an action and in which call, as recorded in the audit trail. */
export interface Actor {
  /** Null for an anonymous caller and for the service itself. */
  userId: string | null;
  /** The personal token used; null for a session. */
  tokenId: string | null;
  /** The name of the TSIG key used; absent for calls over HTTP and for the service itself. */
  tsigKey?: string | undefined;
  /** The client's IP address, as determined by TRUST_PROXY. */
  ip: string | null;
  /** The address for which a proxy that TRUST_PROXY does not name seems to call. Unproven: it only tells anonymous callers apart in limits. */
  claimedIp?: string | null;
  requestId: string | null;
}

/** Returns the actor for an anonymous caller. */
export function visitor(
  { ip, claimedIp = null }: { ip: string | null; claimedIp?: string | null },
  requestId: string,
): Actor {
  return { userId: null, tokenId: null, ip, claimedIp, requestId };
}

/** The service itself, for jobs and repairs. */
export const theService: Actor = { userId: null, tokenId: null, ip: null, requestId: null };

/** An authenticated caller. */
export interface Caller extends Actor {
  userId: string;
  username: string;
  role: Role;
  /** The session behind an access token; null for a personal token. */
  sessionId: string | null;
  permissions: "all" | ReadonlySet<Permission>;
  /** The domains and records that a narrowed personal token is limited to; null: all that its owner may access. */
  narrowing: Narrowing | null;
  /** The time of the call, at which their rights are judged. */
  at: Date;
}

/** Returns whether the caller has the permission. Sessions have all. */
export function hasPermission({ permissions }: Pick<Caller, "permissions">, permission: Permission): boolean {
  return permissions === "all" || permissions.has(permission);
}

/** A sign-in with a correct first factor and a pending second one. A `tempToken` proves only that. */
export interface PendingSignIn {
  challengeId: string;
  userId: string;
  rememberMe: boolean;
}

/** Returns a caller with every right, for work whose rights were checked when it was asked for. */
export function trustedCaller(actor: Actor & { userId: string; at: Date }): Caller {
  return { ...actor, username: "", role: "admin", sessionId: null, permissions: "all", narrowing: null };
}

/**
 * Returns the caller behind work that goes on after their call, with the rights that they have now. Null if the user was deleted or
 * disabled, or if the personal token that started the work was deleted, has expired or lacks the permission. A session may end meanwhile.
 */
export async function presentCaller(
  em: EntityManager,
  actor: Actor,
  permission: Permission,
  now: Date,
): Promise<Caller | null> {
  const row = await queries(em)
    .selectFrom("users")
    .leftJoin("personal_tokens as token", (join) =>
      join.onRef("token.user_id", "=", "users.id").on("token.id", "=", actor.tokenId),
    )
    .select(["users.id", "users.username", "users.role", "token.permissions", "token.expires_at"])
    .select(["token.domain_ids", "token.host_pattern", "token.record_types"])
    .where("users.id", "=", actor.userId)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
  if (!row) return null;
  const caller = { ...actor, userId: row.id, username: row.username, role: row.role, sessionId: null, at: now };
  if (actor.tokenId === null) return { ...caller, permissions: "all", narrowing: null };
  const isValid = row.permissions?.includes(permission) === true && (!row.expires_at || row.expires_at > now);
  const limited = {
    permissions: new Set(row.permissions as Permission[]),
    narrowing: narrowingOf(row),
  };
  return isValid ? { ...caller, ...limited } : null;
}
