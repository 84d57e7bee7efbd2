/** What a user can end together with a change of the own password. `keys` are TSIG keys. */
export const ownAccessKinds = ["sessions", "tokens", "passkeys", "identities", "keys"] as const;

/** Every way into an account. */
export const accessKinds = ["password", ...ownAccessKinds, "totp", "email", "recoveryCodes"] as const;

export type AccessKind = (typeof accessKinds)[number];

/** The ways that a new password takes away by default when an administrator sets it. */
export const allButPassword: readonly AccessKind[] = accessKinds.filter((kind) => kind !== "password");
