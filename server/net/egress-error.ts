/** Why a call to the outside did not come about, or came to nothing. */
export type EgressFailure =
  /** Not an address that may be asked at all: scheme, port, credentials within it, or not a host. */
  | "address"
  /** The host is, or leads to, an address that calls may not go to. */
  | "refused"
  | "lookup"
  | "connect"
  | "tls"
  | "redirect"
  | "timeout"
  | "size"
  /** The connection ended before the answer did. */
  | "cut"
  /** The host failed again and again and gets a rest. */
  | "breaker"
  /** Too many calls at once. */
  | "busy";

/** A call to the outside failed. `message` is a sentence for people that carries no secret and no address that the name led to. */
export class EgressError extends Error {
  readonly failure: EgressFailure;
  /** Whether the other side may have got the request, or part of it. */
  readonly sent: boolean;

  constructor(failure: EgressFailure, message: string, options: { sent?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "EgressError";
    this.failure = failure;
    this.sent = options.sent ?? false;
  }
}
