import type { Result } from "../../platform/result.ts";
import { emptyContents, type Contents } from "./contents.ts";
import type { LineMessage } from "./tokens.ts";

export interface ZoneFileOptions {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** The initial origin, in the same form. Default: the zone. */
  origin?: string;
  /** Seconds for records without any TTL from the file. Default: 3600. */
  defaultTtl?: number;
  /** Returns the content of an included file; `path` is the name in the $INCLUDE. Without it, $INCLUDE is an error. */
  include?: (path: string) => Result<string | Buffer>;
  /** Skips records outside the zone instead of refusing the file. */
  ignoreOutOfZone?: boolean;
  /**
   * Keeps malformed data unchanged, with a warning: for an existing zone, whose records must be visible to be repaired.
   */
  keepBadData?: boolean;
  /** Splits strings over 255 octets, with a warning, instead of refusing them. `keepBadData` does, too. */
  splitLongStrings?: boolean;
}

export interface ZoneFileMessage extends LineMessage {
  /** The included file that contains the line. */
  file?: string;
}

/** A record skipped because of `ignoreOutOfZone`. */
export interface OutOfZone {
  line: number;
  name: string;
}

/** The state of reading a master file. */
export interface Reading {
  options: ZoneFileOptions;
  origin: string;
  /** Owner of the previous record, or null. */
  owner: Owner | null;
  /** From $TTL, or from an SOA without a TTL. */
  zoneTtl: number | null;
  /** The last explicit TTL of a record. */
  lastTtl: number | null;
  contents: Contents;
  /** Whether to stop at the SOA. */
  soaOnly: boolean;
  warnings: ZoneFileMessage[];
  /** Number of warnings beyond the first hundred. */
  furtherWarnings: number;
  errors: ZoneFileMessage[];
  outOfZone: OutOfZone[];
  /** Included files being read, outermost first. */
  files: string[];
  includedFiles: string[];
}

/** Within the zone; outside it and skipped; or refused, and already reported. */
export type Owner = { kind: "within"; name: string } | { kind: "outside"; name: string } | { kind: "refused" };

/** Returns the initial state. */
export function readingOf(options: ZoneFileOptions): Reading {
  return {
    options,
    origin: options.origin ?? options.zone,
    owner: null,
    zoneTtl: null,
    lastTtl: null,
    contents: emptyContents(options.zone),
    soaOnly: false,
    warnings: [],
    furtherWarnings: 0,
    errors: [],
    outOfZone: [],
    files: [],
    includedFiles: [],
  };
}
