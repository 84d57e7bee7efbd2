import type { OwnerName } from "../names/names.ts";
import type { Result } from "../../platform/result.ts";
import type { RecordData } from "../record.ts";
import { emptyContents, type Contents } from "./contents.ts";
import type { LineMessage, LogicalLine } from "./tokens.ts";

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
   * Keeps malformed data unchanged, with a warning: for an existing zone, whose records must be visible to be repaired. `in its format`
   * keeps only what the type's format can hold.
   */
  keepBadData?: boolean | "in its format";
  /** Splits strings over 255 octets, with a warning, instead of refusing them. `keepBadData` does, too. */
  splitLongStrings?: boolean;
  /** Reads entries as their author meant them, see `formats/`. Without it, every entry is read literally. */
  meaning?: EntryMeaning;
}

/** Where an entry stands, for {@link EntryMeaning}. */
export interface EntryPlace {
  zone: string;
  /** What completes the entry's relative names. */
  origin: string;
  /** Seconds for a record without a TTL of its own. */
  defaultTtl: number;
  /** Warns about a reading that is not literal. Equal messages are listed once, with their lines. */
  note: (message: string) => void;
}

/** An entry as its author meant it. */
export interface MeantEntry extends LogicalLine {
  /** Whether it has nothing to read but the owner that the next lines may inherit. */
  isLeftOut?: true;
}

/** How the entries of a dialect are meant. */
export interface EntryMeaning {
  /** Returns the entry as a literal reader understands it. */
  entry(line: LogicalLine, place: EntryPlace): MeantEntry;
  /** Returns the record of an entry as it is meant. */
  record(record: RecordData, line: LogicalLine, place: EntryPlace): RecordData;
}

export interface ZoneFileMessage extends LineMessage {
  /** The included file that contains the line. */
  file?: string;
  /** Further lines with the same message, the first nine. */
  alsoLines?: number[];
  /** Number of lines with the same message beyond those. */
  moreLines?: number;
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
  /** Warnings about readings that are not literal, by message. */
  notes: Map<string, ZoneFileMessage>;
  /** Number of warnings beyond the first hundred. */
  furtherWarnings: number;
  errors: ZoneFileMessage[];
  outOfZone: OutOfZone[];
  /** Included files being read, outermost first. */
  files: string[];
  includedFiles: string[];
}

/** Within the zone; outside it and skipped; or refused, and already reported. */
export type Owner = ({ kind: "within" } & OwnerName) | { kind: "outside"; name: string } | { kind: "refused" };

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
    notes: new Map(),
    furtherWarnings: 0,
    errors: [],
    outOfZone: [],
    files: [],
    includedFiles: [],
  };
}
