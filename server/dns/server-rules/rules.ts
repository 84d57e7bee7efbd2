/** What the name servers behind a zone check when they load it, beyond the rules that hold everywhere. */
export interface ServerRules {
  /** Whether they refuse a zone for names that are not host names, as BIND's `check-names` does. */
  checkNames: boolean;
  /** Most records of one name and type (BIND's `max-records-per-type`); 0: any number. */
  maxRecordsPerType: number;
  /** Most types at one name (BIND's `max-types-per-name`); 0: any number. */
  maxTypesPerName: number;
}
