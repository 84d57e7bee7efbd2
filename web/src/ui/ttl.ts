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

const namedUnits = [
  [604_800, "w(?:eeks?|ochen?)?"],
  [86_400, "d(?:ays?)?|t(?:age?)?"],
  [3_600, "h(?:ours?|rs?)?|std|stunden?"],
  [60, "m(?:in(?:ute)?[ns]?)?"],
  [1, "s(?:ec(?:ond)?s?)?|sek(?:unden?)?"],
] as const;

/** Reads what a person types for a TTL, in English or German: `300`, `5m`, `5 min`, `1h30m`, `10 minutes`, `2 Tage`. Returns seconds, or null. */
export function parseTtl(text: string): number | null {
  const given = text.trim().toLowerCase();
  if (/^\d{1,10}$/.test(given)) return Number(given);
  const unit = namedUnits.map(([, names]) => names).join("|");
  if (!new RegExp(`^(?:\\d{1,10} ?(?:${unit}) ?){1,5}$`).test(given)) return null;
  let seconds = 0;
  for (const [, amount, name = ""] of given.matchAll(/(\d+) ?([a-z]+)/g)) {
    const [size = 0] = namedUnits.find(([, names]) => new RegExp(`^(?:${names})$`).test(name)) ?? [];
    seconds += Number(amount) * size;
  }
  return seconds;
}
