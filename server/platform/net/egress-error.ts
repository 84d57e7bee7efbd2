/** Why an outgoing call failed. */
export type EgressFailure =
  /** An invalid URL: scheme, port, embedded credentials or host. */
  | "address"
  /** The host is, or resolves to, an address that calls may not reach. */
  | "refused"
  | "lookup"
  | "connect"
  /** This machine has no route to the address, for example no IPv6. */
  | "route"
  | "tls"
  | "redirect"
  | "timeout"
  | "size"
  /** The connection closed before the response was complete. */
  | "cut"
  /** The circuit breaker is open after repeated failures. */
  | "breaker"
  /** Too many concurrent calls. */
  | "busy";

/** A failed outgoing call. `message` is safe to show: it contains no secret and no resolved address. */
export class EgressError extends Error {
  readonly failure: EgressFailure;
  /** Whether the server may have received the request or part of it. */
  readonly sent: boolean;

  constructor(failure: EgressFailure, message: string, options: { sent?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "EgressError";
    this.failure = failure;
    this.sent = options.sent ?? false;
  }
}

/** Returns the delay of a Retry-After header (RFC 9110 §10.2.3) in seconds from `now`, or null if there is none. */
export function retryAfterSeconds(headers: Headers, now: Date): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  // JavaScript would parse other bare numbers as dates.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
