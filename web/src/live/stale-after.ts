import type { InAppNotification } from "@zonewright/client";

/** What a user sees of a zone, and may do there. */
const ofRights = [["own-rights"], ["records"], ["record-types"], ["plan"], ["history"], ["requests"]] as const;

/** What an event changes on pages that are open. */
export function staleAfter({ event }: Pick<InAppNotification, "event">): (readonly string[])[] {
  if (event.startsWith("assignment."))
    return [...ofRights, ["zone"], ["domains"], ["assignments"], ["assignment-requests"]];
  if (
    event.startsWith("zone.") ||
    event.startsWith("domain.") ||
    event.startsWith("certificate.") ||
    event.startsWith("dnssec.") ||
    event.startsWith("record.")
  )
    return [["zone"], ["domains"]];
  if (event.startsWith("change.")) return [["requests"]];
  return [];
}
