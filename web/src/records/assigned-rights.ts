import type { RouterOutputs } from "@zonewright/client";
import { matchesHost } from "../../../server/dns/names/host-match.ts";

type Assignment = Pick<RouterOutputs["assignments"]["list"]["assignments"][number], "access" | "subdomainPattern">;

/** What the user may do with the records of a zone. */
export interface OwnRights {
  /** Whether no record may be changed. */
  locked: boolean;
  /** Whether records of a name, relative to the zone, may be changed. */
  writes: (name: string) => boolean;
}

/** The rights that come from assignments. */
export function assignedRights(assignments: readonly Assignment[]): OwnRights {
  const patterns = assignments
    .filter(({ access }) => access === "write")
    .map(({ subdomainPattern }) => subdomainPattern);
  return { locked: patterns.length === 0, writes: (name) => patterns.some((pattern) => matchesHost(pattern, name)) };
}
