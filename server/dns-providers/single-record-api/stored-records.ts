import type { Result } from "../../platform/result.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";

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

/** Returns each record once: vendors distinguish some that are the same in canonical form. */
export function eachOnce(records: readonly StoredRecord[]): StoredRecord[] {
  return [...new Map(records.map((record) => [recordKey(record.data), record])).values()];
}
