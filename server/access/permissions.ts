/** Permissions of credentials. A session has all of them; a personal token has those it was created with. */
export const permissions = [
  "domains:read",
  "domains:write",
  "records:read",
  "records:write",
  "snapshots:read",
  "snapshots:write",
  "requests:read",
  "requests:write",
  "assignments:read",
  "assignments:write",
  "providers:read",
  "registrations:read",
  "registrations:write",
  "audit:read",
  "notifications:read",
  "notifications:write",
] as const;

export type Permission = (typeof permissions)[number];

/** Returns whether a user of a role can use a permission: auditors change only their own notifications, and members read no audit trail. */
export function isUsable(permission: Permission, role: "admin" | "auditor" | "member"): boolean {
  if (role === "auditor") return permission.endsWith(":read") || permission === "notifications:write";
  return role === "admin" || permission !== "audit:read";
}
