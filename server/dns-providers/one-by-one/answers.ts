import { refuse, type Result } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";

/** An answer that is not a success, with the vendor's code and words. */
export interface Refusal {
  code: string;
  message: string;
}

export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** A refusal of one record. */
export function refusedRecord(vendor: string, { code, message }: Refusal): Result<never> {
  return refuse(`${vendor} refuses it: ${message} (${code})`);
}

/** A refusal of a whole call. `what` follows the vendor's name: `it does not list its domains`. */
export function refusedCall(vendor: string, what: string, { code, message }: Refusal): ProviderError {
  return new ProviderError(`${vendor}: ${what}: ${message} (${code})`, "none");
}
