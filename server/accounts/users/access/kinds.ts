import { z } from "zod";

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
