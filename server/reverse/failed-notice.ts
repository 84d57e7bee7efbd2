import type { TypedNotice } from "../notifications/notify.ts";
import type { PendingFollow } from "./pending-follows.ts";

/**
 * Returns the notices of PTR records that could not follow a change. Those who manage the reverse zone get the reason; those who changed the
 * addresses may not see that zone, and learn only that its records are unchanged.
 */
export function followFailed(follow: PendingFollow, error: string): TypedNotice<"record.change_failed">[] {
  const { domainId, domainName, ownerId, source, changeSetId, actorId, items } = follow;
  const failed = items.length;
  const addresses = failed === 1 ? "1 address" : `${failed} addresses`;
  const about = { event: "record.change_failed", level: "error" } as const;
  return [
    {
      ...about,
      title: `PTR records in ${domainName} could not follow a change`,
      content: `${error} The reverse report lists what is missing or outdated, for ${addresses} of ${source.domainName}.`,
      metadata: { domainId, domainName, changeSetId, failed },
      to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
    },
    {
      ...about,
      title: `PTR records could not follow a change of ${source.domainName}`,
      content: `The records of ${source.domainName} are changed, but the PTR records of ${addresses} are not. Ask an administrator.`,
      metadata: { domainId: source.domainId, domainName: source.domainName, changeSetId, failed },
      to: { userIds: [actorId, source.ownerId].filter((id) => id !== null) },
    },
  ];
}
