import { refuse, type Result } from "../../platform/result.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";
import { ProviderError } from "../provider.ts";

/** A record at a vendor, which identifies each by an id of its own. */
export interface StoredRecord {
  id: string;
  data: RecordData;
}

/**
 * The calls that change a vendor's records, one per call. A refusal carries a sentence with the vendor's message.
 * @throws ProviderError for any failure that is not an answer about that record.
 */
export interface RecordCalls {
  /** @returns the new record's id */
  create(record: RecordData): Promise<Result<string>>;
  update(id: string, record: RecordData): Promise<Result<null>>;
  remove(id: string): Promise<Result<null>>;
}

/** Makes a call for a record that exists by now, whatever becomes of the call. @throws ProviderError with effect `unknown` */
export async function followingUp<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ProviderError ? error.afterSending() : error;
  }
}

/** Returns each record once: vendors distinguish some that are the same in canonical form. */
export function eachOnce(records: readonly StoredRecord[]): StoredRecord[] {
  return [...new Map(records.map((record) => [recordKey(record.data), record])).values()];
}

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
