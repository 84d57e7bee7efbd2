import type { RouterOutputs } from "@zonewright/client";

export type ChangeSet = RouterOutputs["records"]["history"]["entries"][number];

interface Place {
  name: string;
  recordType: string;
}

interface Rights {
  /** Whether the user may do everything in the zone. */
  manages: boolean;
  /** Whether the user may change such records without a review. */
  writes: (place: Place) => boolean;
}

/**
 * Returns whether to offer to take a change back. The service decides; this leaves out what it would refuse.
 * @param historyFrom the newest revision whose records are no longer stored
 */
export function mayTakeBack(
  entry: Pick<ChangeSet, "state" | "revision" | "changes" | "creates" | "updates" | "deletes">,
  historyFrom: number,
  { manages, writes }: Rights,
): boolean {
  const { state, revision, changes, creates, updates, deletes } = entry;
  const isMade = (state === "applied" || state === "partial") && revision !== null && revision > historyFrom;
  if (!isMade || manages) return isMade;
  // A member sees only what their assignments cover, and the answer at most 100 changes.
  const seesAll = changes.length > 0 && changes.length === creates + updates + deletes;
  return seesAll && changes.every(({ before, after }) => [before, after].every((side) => !side || writes(side)));
}
