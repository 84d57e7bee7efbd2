import type { Result } from "../result.ts";
import { emptyContents, type Contents } from "./contents.ts";
import type { LineMessage } from "./tokens.ts";

export interface ZoneFileOptions {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** Where relative names begin, in the same form; the zone when left out. */
  origin?: string;
  /** Seconds for records that get no TTL from the file at all; 3600 when left out. */
  defaultTtl?: number;
  /** Gives the content of an included file, named as in the file. Without it $INCLUDE is an error. */
  include?: (path: string) => Result<string | Buffer>;
  /** Leaves records out whose owners lie outside the zone, instead of refusing the file for them. */
  ignoreOutOfZone?: boolean;
  /**
   * Keeps data that breaks the grammar of its type as it stands, with a warning: for a zone that is there already, whose records are to be
   * seen and mended.
   */
  keepBadData?: boolean;
}

export interface ZoneFileMessage extends LineMessage {
  /** The included file that the line is in. */
  file?: string;
}

/** A record that `ignoreOutOfZone` left out. */
export interface OutOfZone {
  line: number;
  name: string;
}

/** A master file that is being read, as far as it was read. */
export interface Reading {
  options: ZoneFileOptions;
  origin: string;
  /** Of the record before. Null where there is none. */
  owner: Owner | null;
  /** From $TTL, or from an SOA without a TTL. */
  zoneTtl: number | null;
  /** The last one that a record named itself. */
  lastTtl: number | null;
  contents: Contents;
  /** Whether the SOA is all that is wanted. */
  soaOnly: boolean;
  warnings: ZoneFileMessage[];
  /** How many there were beyond the first hundred. */
  furtherWarnings: number;
  errors: ZoneFileMessage[];
  outOfZone: OutOfZone[];
  /** Included files that are being read, outermost first. */
  files: string[];
  includedFiles: string[];
}

/** Within the zone; outside of it and to be left out; or refused, which has been told where it stands. */
export type Owner = { kind: "within"; name: string } | { kind: "outside"; name: string } | { kind: "refused" };

/** The beginning of a reading. */
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
