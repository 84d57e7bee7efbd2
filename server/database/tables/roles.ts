/**
 * User roles. Administrators access everything. Auditors read everything but channel configurations and invitations, and change nothing but
 * their own account. Members access their own domains and those assigned to them.
 */
export const roles = ["admin", "auditor", "member"] as const;

export type Role = (typeof roles)[number];
