import { AppError } from "../../platform/errors.ts";
import type { AccessKind } from "./access/kinds.ts";
import type { Role } from "../../database/tables/roles.ts";
import { verifiedAddress } from "./email/verified-address.ts";
import type { User } from "../../database/tables/users.ts";

/** What an administrator changes of a user. */
export interface UserPatch {
  id: string;
  username?: string | undefined;
  email?: string | null | undefined;
  role?: Role | undefined;
  displayName?: string | null | undefined;
  disabled?: boolean | undefined;
  password?: string | undefined;
  /** Which other ways in a new password takes away; left out: all. Sessions always end. */
  revoke?: readonly AccessKind[] | undefined;
  emailVerified?: boolean | undefined;
  removeSecondFactors?: boolean | undefined;
}

/**
 * Whether a change lets somebody into an account, or takes a protection of it away. Names do not, and nor does what only shuts somebody out:
 * revoking must not be harder than using.
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

/** Whether taking these kinds away may leave an account that is easier to get into: by its password or identity alone. */
export function takesProtection(kinds: readonly AccessKind[]): boolean {
  const shut = kinds.includes("password") && kinds.includes("identities");
  return !shut && kinds.some((kind) => factors.has(kind));
}

/** Whoever finds an administrator's screen unlocked must not become that administrator for good. @throws AppError FORBIDDEN */
export function refuseOwnProtection(
  user: User,
  { password, email, emailVerified, removeSecondFactors }: UserPatch,
): void {
  const otherAddress = email !== undefined && email !== (user.email ?? null);
  const vouches = emailVerified !== undefined && emailVerified !== (verifiedAddress(user) !== null);
  if (password === undefined && !otherAddress && !vouches && removeSecondFactors !== true) return;
  throw new AppError(
    "FORBIDDEN",
    "Change your own password, e-mail address and second factors in your account, where your current password is asked for.",
  );
}
