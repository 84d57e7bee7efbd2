/** What the name servers behind a zone check when they load it, beyond the rules that hold everywhere. */
export interface ServerRules {
  /** Whether they refuse a zone for names that are not host names, as BIND's `check-names` does. */
  checkNames: boolean;
  /** Most records of one name and type (BIND's `max-records-per-type`); 0: any number. */
  maxRecordsPerType: number;
  /** Most types at one name (BIND's `max-types-per-name`); 0: any number. */
  maxTypesPerName: number;
}

/** A rule that the records of one name break together. */
export interface Violation {
  /** What is broken, the same before and after a change. */
  rule: string;
  /** How many records break it together: what a change must not raise. */
  extent: number;
  code: "BAD_REQUEST" | "CONFLICT";
  field: "name" | "recordType" | "value";
  message: string;
  /** Of a record that is there more than once: which, see `recordKey`. */
  repeats?: string;
}
