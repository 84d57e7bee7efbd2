import { shortened } from "../rdata/field.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";

/** RFC 2181 §8: a TTL is an unsigned 31-bit number. */
export const maxTtl = 2 ** 31 - 1;

const secondsPerUnit: Record<string, number> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };
/** Far longer than any real time, such as `99999999w99999999d99999999h`. */
const longestField = 30;
const ttlForm = /^(?:\d{1,10}|(?:\d{1,10}[wdhms])+)$/i;

/** Returns whether a field looks like a TTL: a number, or numbers with units (`1h30m`). It may still be too large. */
export function looksLikeTtl(text: string): boolean {
  const first = text.charCodeAt(0);
  return first >= 48 && first <= 57 && text.length <= longestField && ttlForm.test(text);
}

/** Parses `3600`, `1h30m` or `1W2D` into seconds, 0 to 2^31-1. Units are BIND's: w, d, h, m, s. */
export function parseTtl(text: string): Result<number> {
  if (!looksLikeTtl(text)) {
    return refuse(
      `"${shortened(text)}" is not a valid time; use seconds, or numbers with the units w, d, h, m and s, such as 1h30m.`,
    );
  }
  let seconds = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+)([wdhms]?)/gi)) {
    seconds += Number(digits) * (secondsPerUnit[unit?.toLowerCase() ?? ""] ?? 1);
  }
  if (seconds > maxTtl) return refuse(`${text} exceeds the maximum of ${maxTtl} seconds.`);
  return ok(seconds);
}
