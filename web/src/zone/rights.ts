import { useUser } from "../session/current-user.ts";
import type { Zone } from "./use-zone.ts";

/** Whether the user may do everything in a zone: as its owner, or as an administrator. */
export function useManages(zone: Zone): boolean {
  const user = useUser();
  return user.role === "admin" || (user.role === "member" && zone.ownerId === user.id);
}
