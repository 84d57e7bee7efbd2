import type { Digest, ZoneFilter } from "../../database/tables/notifications.ts";

/** When a channel receives changes of zones: each by itself, or together at the full hour or at midnight UTC. */
export const digests = ["immediate", "hourly", "daily"] as const satisfies readonly Digest[];

interface FilteredDomain {
  id: string;
  tags: readonly string[];
  groupName: string | null;
}

/** Returns whether a channel hears of changes in a domain, whatever their types. */
export function coversDomain({ domainIds, tags, groupNames }: ZoneFilter, domain: FilteredDomain): boolean {
  return (
    (domainIds === undefined || domainIds.includes(domain.id)) &&
    (tags === undefined || tags.some((tag) => domain.tags.includes(tag))) &&
    (groupNames === undefined || (domain.groupName !== null && groupNames.includes(domain.groupName)))
  );
}

/** Returns whether a channel hears of records of a type. */
export function coversType({ recordTypes }: ZoneFilter, recordType: string): boolean {
  return recordTypes === undefined || recordTypes.includes(recordType);
}

/** Returns when a change that was made at a time is due. */
export function dueAt(digest: Digest, at: Date): Date {
  const span = { immediate: 0, hourly: 3_600_000, daily: 86_400_000 }[digest];
  return span === 0 ? at : new Date((Math.floor(at.getTime() / span) + 1) * span);
}
