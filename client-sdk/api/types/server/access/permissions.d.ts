export declare const permissions: readonly ["domains:read", "domains:write", "records:read", "records:write", "snapshots:read", "snapshots:write", "requests:read", "requests:write", "assignments:read", "assignments:write", "providers:read", "audit:read", "notifications:read", "notifications:write"];
export type Permission = (typeof permissions)[number];
