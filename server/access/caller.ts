import type { Actor } from "./actor.ts";
import type { Permission } from "./permissions.ts";
import { AppError } from "../platform/errors.ts";
import type { Role } from "../database/tables/roles.ts";

/** Who is calling, established from a credential. */
export interface Caller extends Actor {
  userId: string;
  username: string;
  role: Role;
  /** The session behind an access token; null for a personal token. */
  sessionId: string | null;
  permissions: "all" | ReadonlySet<Permission>;
}

/** The caller, if they may. @throws AppError FORBIDDEN for a personal token without the permission */
export function permitted<C extends Pick<Caller, "permissions">>(caller: C, permission: Permission): C {
  if (caller.permissions === "all" || caller.permissions.has(permission)) return caller;
  throw new AppError("FORBIDDEN", `This token does not carry the permission ${permission}.`);
}
