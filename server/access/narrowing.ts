import type { Permission } from "./permissions.ts";
import { ZoneScope } from "./zone-scope.ts";

/** A credential that is limited to some records, as messages name it. */
export type NarrowedCredential = "token" | "key";

/** What a narrowed personal token or a TSIG key is limited to, within its owner's rights. */
export interface Narrowing {
  credential: NarrowedCredential;
  /** Null: every domain. */
  domainIds: readonly string[] | null;
  /** The records, in each of those domains. */
  scope: ZoneScope;
}

/** The columns of `personal_tokens` that narrow a token. Null: not narrowed by that. */
export interface NarrowingRow {
  domain_ids: string[] | null;
  /** Canonical, see `host-pattern.ts`. */
  host_pattern: string | null;
  record_types: string[] | null;
}

/** Permissions that a narrowed token may have: those whose calls access nothing but records of domains. */
export const narrowablePermissions = [
  "domains:read",
  "records:read",
  "records:write",
  "snapshots:read",
  "requests:read",
  "requests:write",
] as const satisfies readonly Permission[];

/** Returns what a token is narrowed to; null if it is not narrowed. */
export function narrowingOf(row: NarrowingRow): Narrowing | null {
  const { domain_ids: domainIds, host_pattern: pattern, record_types: recordTypes } = row;
  if (domainIds === null && pattern === null && recordTypes === null) return null;
  return {
    credential: "token",
    domainIds,
    scope: new ZoneScope([{ pattern: pattern ?? "*", recordTypes: recordTypes ?? [] }]),
  };
}
