const day = 24 * 3_600_000;

export type DomainStatus = "active" | "expiring" | "expired" | "disabled";

/** The state that follows from the date: `expiring` from the longest reminder before it. */
export function statusByDate(expiresAt: Date | null, remindDays: readonly number[], now: Date): DomainStatus {
  if (expiresAt === null) return "active";
  const left = expiresAt.getTime() - now.getTime();
  if (left <= 0) return "expired";
  return left <= Math.max(0, ...remindDays) * day ? "expiring" : "active";
}
