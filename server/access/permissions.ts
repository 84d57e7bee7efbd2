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
