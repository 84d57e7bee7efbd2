export declare const permissions: readonly ["domains:read", "domains:write", "records:read", "records:write", "snapshots:read", "snapshots:write", "requests:read", "requests:write", "notifications:read", "notifications:write"];
export type Permission = (typeof permissions)[number];
