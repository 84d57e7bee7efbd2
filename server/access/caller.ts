import type { Actor } from "./actor.ts";
import type { Narrowing } from "./narrowing.ts";
import type { Permission } from "./permissions.ts";
import type { Role } from "../database/tables/roles.ts";

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
