import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";
import { verifiedAddress } from "../account.ts";
import type { User, Role } from "../../../database/tables/users.ts";

/** The kinds of access that users can revoke when changing their own password. `keys` are TSIG keys. */
const ownAccessKinds = ["sessions", "tokens", "passkeys", "identities", "keys"] as const;

/** Every kind of access to an account. */
export const accessKinds = ["password", ...ownAccessKinds, "totp", "email", "recoveryCodes"] as const;

export type AccessKind = (typeof accessKinds)[number];

/** The kinds revoked by default when an administrator sets a new password. */
export const allButPassword: readonly AccessKind[] = accessKinds.filter((kind) => kind !== "password");

const ownKind = z.enum(ownAccessKinds, `This must be one of ${ownAccessKinds.join(", ")}.`);
export const accessKind = z.enum(accessKinds, `This must be one of ${accessKinds.join(", ")}.`);

/** The ways to sign in that a user revokes when changing their own password. */
export const revokeField = z
  .array(ownKind, "This must be a list.")
  .max(ownAccessKinds.length, `There are only ${ownAccessKinds.length} kinds.`)
  .default(["sessions"])
  .meta({
    description:
      "What else to revoke: `sessions` (all but this one), `tokens` (personal tokens), `passkeys`, `identities`, `keys` (TSIG keys). Default: `sessions`.",
    example: ["sessions", "tokens"],
  });

/** The ways to sign in that an administrator revokes when setting a password. */
export const rescueField = z
  .array(accessKind, "This must be a list.")
  .max(accessKinds.length, `There are only ${accessKinds.length} kinds.`)
  .optional()
  .meta({
    description:
      "Which other ways into the account a new `password` revokes. Sessions always end. Default: all; an address the user verified must be verified again.",
    example: ["tokens", "passkeys"],
  });

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
