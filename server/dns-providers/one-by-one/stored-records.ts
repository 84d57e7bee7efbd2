import type { Result } from "../../platform/result.ts";
import { recordKey, type RecordData } from "../../dns/record.ts";

/** A record at a vendor that knows each by an id of its own. */
export interface StoredRecord {
  id: string;
  data: RecordData;
}

/**
 * What a vendor can be asked for that changes one record at a time. A refusal is a sentence with the vendor's words.
 * @throws ProviderError for whatever is no answer to that record.
 */
export interface RecordCalls {
  /** @returns the new record's id */
  create(record: RecordData): Promise<Result<string>>;
  update(id: string, record: RecordData): Promise<Result<null>>;
  remove(id: string): Promise<Result<null>>;
}

/** Each record once: vendors tell some apart that say the same here. */
export function eachOnce(records: readonly StoredRecord[]): StoredRecord[] {
  return [...new Map(records.map((record) => [recordKey(record.data), record])).values()];
}
