/** The checks that a zone's name servers make on loading, beyond the general zone rules. */
export interface ServerRules {
  /** Whether they refuse a zone because of names that are not host names, like BIND's `check-names`. */
  checkNames: boolean;
  /** Maximum records of one name and type (BIND's `max-records-per-type`); 0: unlimited. */
  maxRecordsPerType: number;
  /** Maximum types at one name (BIND's `max-types-per-name`); 0: unlimited. */
  maxTypesPerName: number;
}

/** A rule violated by the records of one name. */
export interface Violation {
  /** Identifies the violated rule; stable across a change. */
  rule: string;
  /** The number of records involved, which a change must not increase. */
  extent: number;
  code: "BAD_REQUEST" | "CONFLICT";
  field: "name" | "recordType" | "value";
  message: string;
  /** The `recordKey` of a duplicate record. */
  repeats?: string;
}
