/** The entries of a field that separates them with commas; empty ones and repetitions are left out. */
export function commaList(text: string): string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ""))];
}

/** Record types as people list them: with commas or spaces, in any case. */
export function typeList(text: string): string[] {
  return commaList(text.replaceAll(/[\s;]+/g, ",").toUpperCase());
}

/** Reads days before a date, largest first; null for anything else. */
export function reminderDays(text: string): number[] | null {
  const entries = commaList(text);
  if (!entries.every((entry) => /^\d{1,4}$/.test(entry))) return null;
  const days = [...new Set(entries.map(Number))].toSorted((one, other) => other - one);
  return days.length <= 20 && days.every((day) => day <= 3_650) ? days : null;
}
