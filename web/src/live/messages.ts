import type { InAppNotification, WatchedChange } from "@zonewright/client";

/** `refused`: the user's other browsers and programs hold as many streams as a user may have. */
export type Connection = "open" | "lost" | "refused";

/** What the leading tab receives from the service and passes on to the others. */
export type LiveEvent =
  | { kind: "notification"; notification: InAppNotification }
  | { kind: "change"; change: WatchedChange }
  /** Whether the streams are open. Once they are again, anything may have changed. */
  | { kind: "connection"; state: Connection }
  /** Another tab changed something that the service sends no message about. */
  | { kind: "stale"; queryKey: readonly string[] };

/** What tabs say to each other. */
export type TabMessage =
  | LiveEvent
  /** A tab has these zones open. Empty: it closes, or left its zone. */
  | { kind: "zones"; tab: string; ids: readonly string[] }
  /** A tab has begun to lead, and asks the others for their zones. */
  | { kind: "leading" }
  /** The user is signing out: streams would be refused from now on. */
  | { kind: "over" }
  /** The sign-out failed. */
  | { kind: "on" };

/** As many zones can be watched by one stream. */
export const mostZones = 50;

/** The zones that all tabs have open, those reported last first, as far as one stream can watch them. */
export function openZones(tabs: ReadonlyMap<string, readonly string[]>): string[] {
  const latestFirst = [...tabs.values()].toReversed().flat();
  return [...new Set(latestFirst)].slice(0, mostZones).toSorted();
}

/** Notes what a tab has open. Reports move it to the end, so that the tabs in use count if there are too many. */
export function noteZones(tabs: Map<string, readonly string[]>, tab: string, ids: readonly string[]): void {
  tabs.delete(tab);
  if (ids.length > 0) tabs.set(tab, ids);
}
