import type { InAppNotification } from "@zonewright/client";

/** What an event changes on pages that are open. */
export function staleAfter({ event }: Pick<InAppNotification, "event">): (readonly string[])[] {
  if (event.startsWith("assignment.")) return [["zone"], ["domains"], ["assignments"], ["assignment-requests"]];
  if (event.startsWith("zone.") || event.startsWith("domain.") || event.startsWith("record."))
    return [["zone"], ["domains"]];
  if (event.startsWith("change.")) return [["requests"]];
  return [];
}
