import { language, locale } from "../language.ts";

/** How the reader's region writes numbers in German. */
export const germanLocale = language === "de" ? locale : "de";

const number = new Intl.NumberFormat(germanLocale);

/** “1 Eintrag”, “12.000 Einträge”. A count that is a text is formatted already. */
export function counted(count: number | string, one: string, many: string): string {
  if (count === 1 || count === "1") return `1 ${one}`;
  return `${typeof count === "number" ? number.format(count) : count} ${many}`;
}
