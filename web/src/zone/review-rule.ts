import type { Zone } from "./use-zone.ts";

/** Returns whether a zone's rule holds for a role. */
export function isBound({ reviewRequired }: Pick<Zone, "reviewRequired">, role: string): boolean {
  return reviewRequired === "everyone" || (reviewRequired === "members" && role !== "admin");
}
