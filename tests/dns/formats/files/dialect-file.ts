/** A zone file of a dialect, and what its author meant. */
export interface DialectFile {
  title: string;
  /** Default: `example.com`. */
  zone?: string;
  text: string;
  /** `name ttl type value` of each record, in order; ` proxied` or ` unproxied` at the end where the file says so. */
  records: string[];
  /** All warnings, with their lines. */
  warnings: string[];
}
