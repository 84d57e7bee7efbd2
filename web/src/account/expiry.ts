/** When a token ends: after so many days, at the end of a day, or never. */
export type Expiry = "30" | "90" | "365" | "date" | "never";

/**
 * Returns when a token ends; null for never, and undefined if the day is missing.
 * @param day as date fields give it, `2027-03-01`: the token works until this day ends where the person is
 */
export function expiryDate(expiry: Expiry, day: string, now: Date): Date | null | undefined {
  if (expiry === "never") return null;
  if (expiry !== "date") {
    const end = new Date(now);
    end.setDate(end.getDate() + Number(expiry));
    return end;
  }
  const [, year, month, date] = /^(\d{4,6})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date), 23, 59, 59, 999);
}

/** Whether a token has ended. */
export function isPast(expiresAt: Date | null, now = Date.now()): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now;
}
