import type { Result } from "../../platform/result.ts";

/** A record value in canonical form. `priority` is the one in the value (MX and SRV). */
export interface CanonicalValue {
  value: string;
  /** The value as written, if its names have capitals. */
  writtenValue?: string | undefined;
  /** TXT: the character-strings, if they are not the default split, see character-strings.ts. Otherwise null or absent. */
  strings?: string[] | null;
  priority: number | null;
  /** Legal but probably unintended content, reported in a plan. */
  warnings: string[];
}

/**
 * The way by which a value comes: `api` for REST and tRPC, `dns` for an update, PowerDNS's API and a zone file. An SRV with port 0
 * (RFC 6186 §3.4) and a TXT of more than 2,048 characters pass only by the latter.
 */
export type Door = "api" | "dns";

/**
 * Parses and prints the values of one record type. Pure; one file per type.
 *
 * `write` is strict: it enforces the API's value rules. `read` is lenient: it accepts what providers and zone files contain, even if
 * `write` would refuse it.
 */
export interface ValueRule {
  readonly recordType: string;
  /** Validates and canonicalizes a client's value. Idempotent: `write(write(v).value)` returns the same value. */
  write(value: string, priority: number | null | undefined, door?: Door): Result<CanonicalValue>;
  /**
   * Canonicalizes RDATA in master-file form, split into fields. Refuses only what cannot be this type at all.
   * @param origin completes relative names; absolute, no trailing dot
   */
  read(fields: RdataField[], origin: string): Result<CanonicalValue>;
  /**
   * Prints a value, canonical or as written, in master-file form (RFC 1035 §5.1), names absolute with a trailing dot.
   * @param strings the split of a TXT, if it is not the default
   */
  print(value: string, strings?: readonly string[] | null): string;
}

/** One field of RDATA as written in a master file. */
export interface RdataField {
  /** The text as written, with its escapes (`\.`, `\032`), without surrounding quotes. */
  raw: string;
  quoted: boolean;
}
