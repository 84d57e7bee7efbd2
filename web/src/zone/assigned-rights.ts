import type { RouterOutputs } from "@zonewright/client";
import { matchesHost } from "../../../server/dns/names/names.ts";

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
  /** Whether there are names at which such records may be changed or proposed. */
  offers: (recordType: string) => boolean;
  /** Whether locked records may be changed, and locks set and cleared. */
  unlocks: boolean;
  /** Whether every record of the zone is shown. */
  seesAll: boolean;
  /** The parts of the zone whose records may be changed or proposed; null for all of it. */
  parts: readonly EditablePart[] | null;
}

/** The records of an assignment. */
export interface EditablePart {
  subdomainPattern: string;
  recordTypes: readonly string[];
}

/**
 * The rights that come from assignments. The service decides; this is what the page offers.
 * @param protectMail whether MX records are only for those whose assignment names the type
 */
export function assignedRights(assignments: readonly Assignment[], protectMail: boolean): OwnRights {
  const editing = assignments.filter(({ access }) => access !== "read");
  const writing = editing.filter(({ access }) => access === "write");
  return {
    locked: editing.length === 0,
    edits: (place) => editing.some((assignment) => covers(assignment, place, protectMail)),
    writes: (place) => writing.some((assignment) => covers(assignment, place, protectMail)),
    offers: (recordType) =>
      editing.some(({ recordTypes }) =>
        recordTypes.length === 0 ? recordType !== "MX" || !protectMail : recordTypes.includes(recordType),
      ),
    unlocks: false,
    parts: editing,
    seesAll: assignments.some(
      ({ subdomainPattern, recordTypes }) => subdomainPattern === "*" && recordTypes.length === 0,
    ),
  };
}

function covers({ subdomainPattern, recordTypes }: Assignment, { name, recordType }: Place, protectMail: boolean) {
  if (!matchesHost(subdomainPattern, name)) return false;
  const isReserved = (recordType === "NS" && name === "@") || (recordType === "MX" && protectMail);
  return recordTypes.includes(recordType) || (recordTypes.length === 0 && !isReserved);
}
