const ttlUnits = [
  ["w", 604_800],
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** A TTL as people say it: `5 min`, `1 h`, `90 s`. */
export function formatTtl(seconds: number): string {
  const found = ttlUnits.find(([, size]) => seconds >= size && seconds % size === 0);
  return found ? `${seconds / found[1]} ${found[0]}` : `${seconds} s`;
}

/** Reads what a person types for a TTL: `300`, `5m`, `5 min`, `1h`, `1d`, `1h30m`, `10 minutes`. Returns seconds, or null. */
export function parseTtl(text: string): number | null {
  const given = text.trim().toLowerCase();
  if (/^\d{1,10}$/.test(given)) return Number(given);
  const unit = "w(?:eeks?)?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?";
  if (!new RegExp(`^(?:\\d{1,10} ?(?:${unit}) ?){1,5}$`).test(given)) return null;
  const sizes: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };
  let seconds = 0;
  for (const [, amount, letter = ""] of given.matchAll(/(\d+) ?([a-z])/g))
    seconds += Number(amount) * (sizes[letter] ?? 0);
  return seconds;
}
