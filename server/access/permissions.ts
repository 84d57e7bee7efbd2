/** What a credential may allow. A signed-in session holds all of them, a personal token those that it was given. */
export const permissions = [
  "domains:read",
  "domains:write",
  "records:read",
  "records:write",
  "snapshots:read",
  "snapshots:write",
  "notifications:read",
  "notifications:write",
] as const;

export type Permission = (typeof permissions)[number];
