import type { InAppNotification } from "@zonewright/client";

/** The name of the domain that a notification is about, as in addresses, or null. */
export function zoneOf({ event, metadata }: Pick<InAppNotification, "event" | "metadata">): string | null {
  const { domainName } = metadata as { domainName?: unknown };
  // What was withdrawn can no longer be opened.
  if (event === "assignment.delete" || event === "assignment.reject") return null;
  return typeof domainName === "string" && domainName !== "" ? domainName : null;
}

/** The change request that a notification is about, or null. */
export function requestOf({ metadata }: Pick<InAppNotification, "metadata">): { id: string; number: number } | null {
  const { changeRequestId: id, number } = metadata as { changeRequestId?: unknown; number?: unknown };
  return typeof id === "string" && typeof number === "number" ? { id, number } : null;
}
