/** Error codes of external sign-in, passed to the console as `error=` (contract §4). */
export type FailureCode =
  | "access_denied"
  | "state_invalid"
  | "provider_error"
  | "provider_disabled"
  | "already_bound"
  | "account_disabled"
  | "groups_not_sent";

/** A failed flow. The message is for the log, and contains no secrets. */
export class SignInFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, reason: string) {
    super(reason);
    this.name = "SignInFailure";
    this.code = code;
  }
}
