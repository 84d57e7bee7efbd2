/** Why a flow to a provider came to nothing, as the front end is told it in `error=` (contract §4). */
export type FailureCode =
  | "access_denied"
  | "state_invalid"
  | "provider_error"
  | "provider_disabled"
  | "already_bound"
  | "account_disabled";

/** A flow that came to nothing. The message is for the log: it says why, in our words and the provider's, without what is secret. */
export class SignInFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, reason: string) {
    super(reason);
    this.name = "SignInFailure";
    this.code = code;
  }
}
