import { nameOf, type RecordData, type StatedData } from "../record.ts";
import { printRdata } from "../record-types.ts";
import type { Steps } from "../../platform/slices.ts";
import type { OutOfZone, ZoneFileMessage, Soa } from "../zone-file/contents.ts";
import { rdataFields } from "../zone-file/record-data.ts";
import { octetsOfStrings, stringsOfGeneric } from "../values/character-strings.ts";
import { unescapeOctets } from "../names/escapes.ts";

export interface FormatOptions {
  /** Canonical zone name: lower-case A-labels, no trailing dot. */
  zone: string;
  /** Skips records outside the zone instead of refusing the text. */
  ignoreOutOfZone?: boolean;
  /** Splits strings that are too long, and keeps data that breaks a rule, each with a warning. */
  lenient?: boolean;
  /** Seconds for records without a TTL. Default: 3600. */
  defaultTtl?: number;
  /** The TTL that stands for an automatic one where the records go to. Without it, an automatic TTL becomes the default. */
  automaticTtl?: number | undefined;
  /** Whether records can be proxied where they go to. Default: false. */
  supportsProxied?: boolean;
}

/** A record and what the text says about it beside its data. */
export interface FormatRecord {
  /** The 1-based line that it begins on. */
  line: number;
  record: RecordData;
  /** Whether it is proxied; null if the text does not say. */
  proxied: boolean | null;
  /** Its comment; null if there is none that belongs to it. */
  comment: string | null;
}

/** What a reader found. With errors, nothing of the text may be used. */
export type FormatReading =
  | {
      ok: true;
      records: readonly FormatRecord[];
      /** Records that the text has as disabled. */
      disabled: readonly FormatRecord[];
      soa: Soa | null;
      /** Every reading that is not literal, and what is legal but rarely intended. */
      warnings: ZoneFileMessage[];
      outOfZone: OutOfZone[];
    }
  | { ok: false; errors: ZoneFileMessage[] };

/** Reads the records of one zone from text. Pure, in steps of constant work. */
export type FormatReader = (text: string, options: FormatOptions) => Steps<FormatReading>;

/** A record to write; active unless it says otherwise. */
export type WrittenRecord = RecordData & Partial<Pick<StatedData, "status">> & { comment?: string | null };

/** A zone to write. */
export interface FormatContent {
  /** Canonical zone name. */
  zone: string;
  soa: Soa;
  /** Why the SOA is not the one that the zone's provider serves. Zone files say it in a comment. */
  soaNote?: string | undefined;
  records: readonly WrittenRecord[];
  /** Whether the records are only part of the zone. */
  isPart?: boolean;
  /** The kind of the zone's DNS provider, such as `cloudflare`. */
  provider?: string;
  /** The provider's own ids of the records, by `recordKey`. */
  ids?: ReadonlyMap<string, string> | undefined;
}

/** Writes a zone, in pieces that follow one another. Pure. The output does not depend on the order of the records. */
export type FormatWriter = (content: FormatContent) => Steps<string[]>;

/** Characters of a piece; its last line may exceed them. */
const pieceCharacters = 65_536;

/** Joins lines into pieces, in one step per line: joining a large text at once would take long. */
export function* inPieces(lines: Iterable<string>): Steps<string[]> {
  const pieces: string[] = [];
  let piece = "";
  for (const line of lines) {
    piece += `${line}\n`;
    yield;
    if (piece.length < pieceCharacters) continue;
    pieces.push(piece);
    piece = "";
  }
  return [...pieces, piece];
}

/** Returns a record that a format cannot hold as text for a comment. */
export function remark(record: WrittenRecord): string {
  const text = `${nameOf(record)} ${record.ttl} IN ${record.recordType} ${printRdata(record)}`.replaceAll(
    /\p{Cc}+/gu,
    " ",
  );
  return record.status === "disabled" ? `disabled: ${text}` : text;
}

/** Returns the strings of a record of text; null if its data is not text at all. */
export function stringsOf({ recordType, value, strings, writtenValue }: WrittenRecord): Buffer[] | null {
  const split = recordType === "TXT" ? (strings ?? stringsOfGeneric(value)) : null;
  if (split) return octetsOfStrings(split);
  const printed = rdataFields(recordType, printRdata({ recordType, value, strings, writtenValue }));
  const parts = (printed ?? []).map(({ raw }) => unescapeOctets(raw));
  return parts.length > 0 && printed?.[0]?.quoted === true && parts.every((part) => part !== null) ? parts : null;
}

/** Returns a message as text, with the lines that it is about. */
export function located({ line, alsoLines = [], moreLines = 0, message }: ZoneFileMessage): string {
  const lines = [line, ...alsoLines].map(String);
  const last = moreLines > 0 ? `${moreLines} more` : lines.pop();
  return lines.length === 0 ? `Line ${last}: ${message}` : `Lines ${lines.join(", ")} and ${last}: ${message}`;
}
