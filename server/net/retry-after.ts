/** The pause that an answer asks for, in seconds or as a date (RFC 9110 §10.2.3): seconds from `now`; null where it asks for none. */
export function retryAfterSeconds(headers: Headers, now: Date): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  // A bare number that is no count of seconds is a date to JavaScript.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
