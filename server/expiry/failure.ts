import type { EgressError } from "../net/egress-error.ts";

/** Nothing came that could be read: no connection, no turn at the server, an address that may not be called. It may come at another time. */
export interface Failure {
  kind: "failed";
  /** Whether because of how often was asked, here or there. */
  limited: boolean;
  /** One sentence. */
  message: string;
}

export function failure(message: string, limited = false): Failure {
  return { kind: "failed", limited, message };
}

/** Our own pace keeps the server from being asked now. */
export function noTurn(host: string, seconds: number): Failure {
  return failure(`${host} is asked again in ${seconds} s: it limits queries.`, true);
}

/** The server says that it was asked too often. */
export function askedTooOften(host: string): Failure {
  return failure(`${host} was asked too often and wants to be left alone for a while.`, true);
}

/** The call did not get through the door, or not to its end. */
export function callFailed({ message, failure: kind }: EgressError): Failure {
  return failure(message, kind === "busy");
}
