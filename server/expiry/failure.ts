import type { EgressError } from "../net/egress-error.ts";

/** A failed query: no connection, rate limited, or an address that must not be called. A retry may succeed. */
export interface Failure {
  kind: "failed";
  /** Whether a rate limit caused it, ours or the server's. */
  limited: boolean;
  /** One sentence. */
  message: string;
}

export function failure(message: string, limited = false): Failure {
  return { kind: "failed", limited, message };
}

/** Returns the failure for our own rate limit. */
export function noTurn(host: string, seconds: number): Failure {
  return failure(`${host} limits queries. The next query is possible in ${seconds} s.`, true);
}

/** Returns the failure for the server's rate limit. */
export function askedTooOften(host: string): Failure {
  return failure(`${host} refuses queries because there were too many. Try again later.`, true);
}

/** Returns the failure for a call that the egress guard blocked or that did not complete. */
export function callFailed({ message, failure: kind }: EgressError): Failure {
  return failure(message, kind === "busy");
}
