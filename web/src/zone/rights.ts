import { useUser } from "../session/current-user.ts";
import type { Zone } from "./use-zone.ts";

/** Returns whether a zone's rule holds for a role. */
export function isBound({ reviewRequired }: Pick<Zone, "reviewRequired">, role: string): boolean {
  return reviewRequired === "everyone" || (reviewRequired === "members" && role !== "admin");
}

/** Whether the user may do everything in a zone: as its owner, or as an administrator. */
export function useManages(zone: Zone): boolean {
  const user = useUser();
  return user.role === "admin" || (user.role === "member" && zone.ownerId === user.id);
}
