import type { RouterOutputs } from "@zonewright/client";

export type ChangeSet = RouterOutputs["records"]["history"]["entries"][number];

interface Place {
  name: string;
  recordType: string;
}

/** What a person may do in a zone. */
interface Rights {
  userId: string;
  /** Whether they may do everything there. */
  manages: boolean;
  /** Whether the zone's rule lets them make no change without a review, not even with a reason. */
  mustRequest: boolean;
  /** Whether they see every record. */
  seesAll: boolean;
  /** Whether they may change such records. */
  writes: (place: Place) => boolean;
}

/**
 * Returns whether to offer to take a change back. The service decides; this leaves out what it would refuse.
 * @param historyFrom the newest revision whose records are no longer stored
 */
export function mayTakeBack(
  entry: Pick<ChangeSet, "state" | "revision" | "changes" | "creates" | "updates" | "deletes" | "actorId">,
  historyFrom: number,
  { userId, manages, mustRequest, seesAll, writes }: Rights,
): boolean {
  const { state, revision, changes, creates, updates, deletes, actorId } = entry;
  const isMade = (state === "applied" || state === "partial") && revision !== null && revision > historyFrom;
  if (!isMade || mustRequest) return false;
  if (manages) return true;
  // For those who see some records, the service counts only these: all of a change is sure to be shown only of their own.
  if (!seesAll && actorId !== userId) return false;
  // The answer has at most 100 changes.
  const isWhole = changes.length > 0 && changes.length === creates + updates + deletes;
  return isWhole && changes.every(({ before, after }) => [before, after].every((side) => !side || writes(side)));
}
