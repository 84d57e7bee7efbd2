import { refuse, type Result } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";

/** A refusal, with the vendor's code and message. */
export interface Refusal {
  code: string;
  message: string;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** Returns the result for a refused record. */
export function refusedRecord(vendor: string, { code, message }: Refusal): Result<never> {
  return refuse(`${vendor} refused the change: ${message} (${code})`);
}

/** Returns the failure for a refused call. `what` follows the vendor's name: `did not list its domains`. */
export function refusedCall(vendor: string, what: string, { code, message }: Refusal): ProviderError {
  return new ProviderError(`${vendor} ${what}: ${message} (${code})`, "none");
}
