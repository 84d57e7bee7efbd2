/** User roles. Administrators access everything; members access their own domains and those assigned to them. */
export const roles = ["admin", "member"] as const;

export type Role = (typeof roles)[number];
