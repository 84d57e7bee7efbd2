import type { Result } from "../../platform/result.ts";

/** A record value in canonical form, with the priority that it carries (MX and SRV). */
export interface CanonicalValue {
  value: string;
  /** TXT: its character-strings where they are not the default split, see character-strings.ts. Null or left out elsewhere. */
  strings?: string[] | null;
  priority: number | null;
  /** What is legal but probably not meant, told in a plan. */
  warnings: string[];
}

/**
 * What one record type knows about its values. Pure; one file a type.
 *
 * `write` is strict: it holds clients to the interface's value rules. `read` is lenient: it keeps whatever a provider or a
 * zone file serves, even where a client could not have written it.
 */
export interface ValueRule {
  readonly recordType: string;
  /** Checks and canonicalises a client's value. `write(write(v).value)` gives the same value again. */
  write(value: string, priority: number | null | undefined): Result<CanonicalValue>;
  /**
   * Canonicalises RDATA in master-file form, split into fields. Refuses only what cannot be this type at all.
   * `origin` (absolute, no trailing dot) completes relative names.
   */
  read(fields: RdataField[], origin: string): Result<CanonicalValue>;
  /** RDATA in master-file form (RFC 1035 §5.1), names absolute with a trailing dot, for a canonical value. `strings`: how a TXT is cut, where it is given. */
  print(value: string, strings?: readonly string[] | null): string;
}

/** One field of RDATA as written in a master file. */
export interface RdataField {
  /** The text as written, escapes (`\.`, `\032`) still in place; without the quotes when quoted. */
  raw: string;
  quoted: boolean;
}
