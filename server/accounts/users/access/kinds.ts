/** The kinds of access that users can revoke when changing their own password. `keys` are TSIG keys. */
export const ownAccessKinds = ["sessions", "tokens", "passkeys", "identities", "keys"] as const;

/** Every kind of access to an account. */
export const accessKinds = ["password", ...ownAccessKinds, "totp", "email", "recoveryCodes"] as const;

export type AccessKind = (typeof accessKinds)[number];

/** The kinds revoked by default when an administrator sets a new password. */
export const allButPassword: readonly AccessKind[] = accessKinds.filter((kind) => kind !== "password");
