import { locale } from "../words/language.ts";

const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const number = new Intl.NumberFormat(locale);
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

export const formatDay = (date: Date): string => day.format(date);
/** A date without a time, which is stored as the midnight of UTC: the same day everywhere. */
export const formatDate = (midnight: Date): string => date.format(midnight);
export const formatMoment = (date: Date): string => moment.format(date);
export const formatNumber = (value: number): string => number.format(value);

/** “3 min ago”, “in 2 mo.”, “now”. */
export function formatAgo(date: Date, now = Date.now()): string {
  const seconds = (date.getTime() - now) / 1000;
  const found = units.find(([, size]) => Math.abs(seconds) >= size);
  return found ? relative.format(Math.trunc(seconds / found[1]), found[0]) : relative.format(0, "second");
}
