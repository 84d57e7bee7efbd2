import type { RouterOutputs } from "@zonewright/client";
import type { Zone } from "../zone/use-zone.ts";

type User = Pick<RouterOutputs["users"]["list"]["users"][number], "id" | "role" | "disabled">;
type Assigned = {
  assignments: readonly Pick<RouterOutputs["assignments"]["list"]["assignments"][number], "userId">[];
  total: number;
};

/**
 * Returns whether a user can see a zone, and so be asked about its records. The service decides; this leaves out what it would refuse.
 * @param assigned the first assignments of the zone; of those who may be among the others, it is not known
 */
export function seesZone(
  { id, role, disabled }: User,
  { ownerId }: Pick<Zone, "ownerId">,
  assigned: Assigned | undefined,
): boolean {
  if (disabled) return false;
  if (role !== "member" || id === ownerId || assigned === undefined) return true;
  const { assignments, total } = assigned;
  return total > assignments.length || assignments.some(({ userId }) => userId === id);
}
