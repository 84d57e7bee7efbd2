import { AppError } from "../../platform/errors.ts";
import type { AccessKind } from "./access/kinds.ts";
import { verifiedAddress } from "./email/verified-address.ts";
import type { User, Role } from "../../database/tables/users.ts";

/** An administrator's changes to a user. */
export interface UserPatch {
  id: string;
  username?: string | undefined;
  email?: string | null | undefined;
  role?: Role | undefined;
  displayName?: string | null | undefined;
  disabled?: boolean | undefined;
  password?: string | undefined;
  /** Other access that a new password revokes; omitted: all. Sessions always end. */
  revoke?: readonly AccessKind[] | undefined;
  emailVerified?: boolean | undefined;
  removeSecondFactors?: boolean | undefined;
}

/**
 * Returns whether a change gives someone access to an account or removes one of its protections. Changing names or only removing access does
 * neither: revoking must not be harder than using.
 */
export function givesAccess(patch: Omit<UserPatch, "id">): boolean {
  return (
    patch.password !== undefined ||
    patch.email !== undefined ||
    patch.emailVerified === true ||
    patch.role === "admin" ||
    patch.disabled === false ||
    patch.removeSecondFactors === true
  );
}

const factors: ReadonlySet<AccessKind> = new Set(["passkeys", "totp", "email", "recoveryCodes"]);

/** Returns whether revoking these kinds may leave an account easier to access, with only its password or an identity. */
export function takesProtection(kinds: readonly AccessKind[]): boolean {
  const shut = kinds.includes("password") && kinds.includes("identities");
  return !shut && kinds.some((kind) => factors.has(kind));
}

/** Keeps anyone at an administrator's unlocked screen from taking over the account. @throws AppError FORBIDDEN */
export function refuseOwnProtection(
  user: User,
  { password, email, emailVerified, removeSecondFactors }: UserPatch,
): void {
  const otherAddress = email !== undefined && email !== (user.email ?? null);
  const vouches = emailVerified !== undefined && emailVerified !== (verifiedAddress(user) !== null);
  if (password === undefined && !otherAddress && !vouches && removeSecondFactors !== true) return;
  throw new AppError(
    "FORBIDDEN",
    "You cannot change your own password, email address or second factors here. Change them in your account.",
  );
}
