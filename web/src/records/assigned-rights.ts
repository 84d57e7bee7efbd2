import type { RouterOutputs } from "@zonewright/client";
import { matchesHost } from "../../../server/dns/names/host-match.ts";

type Assignment = Pick<
  RouterOutputs["assignments"]["list"]["assignments"][number],
  "access" | "subdomainPattern" | "recordTypes"
>;

/** Where a record is in its zone. */
interface Place {
  name: string;
  recordType: string;
}

/** What the user may do with the records of a zone. */
export interface OwnRights {
  /** Whether no record may be changed, not even by proposing it. */
  locked: boolean;
  /** Whether such records may be changed, or changes of them proposed for a review. */
  edits: (place: Place) => boolean;
  /** Whether such records may be changed without proposing it. */
  writes: (place: Place) => boolean;
}

/** The rights that come from assignments. The service decides; this is what the page offers. */
export function assignedRights(assignments: readonly Assignment[]): OwnRights {
  const editing = assignments.filter(({ access }) => access !== "read");
  const writing = editing.filter(({ access }) => access === "write");
  return {
    locked: editing.length === 0,
    edits: (place) => editing.some((assignment) => covers(assignment, place)),
    writes: (place) => writing.some((assignment) => covers(assignment, place)),
  };
}

function covers({ subdomainPattern, recordTypes }: Assignment, { name, recordType }: Place): boolean {
  if (!matchesHost(subdomainPattern, name)) return false;
  const isNamed = recordTypes.includes(recordType);
  return isNamed || (recordTypes.length === 0 && !(recordType === "NS" && name === "@"));
}
