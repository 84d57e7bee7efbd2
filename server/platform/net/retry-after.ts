/** Returns the delay of a Retry-After header (RFC 9110 §10.2.3) in seconds from `now`, or null if there is none. */
export function retryAfterSeconds(headers: Headers, now: Date): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  // JavaScript would parse other bare numbers as dates.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
