import type { LogicalLine } from "../../zone-file/tokens.ts";
import type { Steps } from "../../../platform/slices.ts";
import type { ZoneFileMessage } from "../../zone-file/contents.ts";

/** The lines of a dump that belong to one zone. */
export interface PartOfDump {
  text: string;
  /** Number of lines of the whole text before the part. */
  linesBefore: number;
  warnings: ZoneFileMessage[];
}

const dumpMark = "; Zone dump of '";
const longestHead = 2_000;

/**
 * Returns the part of `rndc dumpdb -zones` that has the zone, or the whole text if it is no such dump or does not have it. Takes one step per
 * zone of the dump.
 */
export function* partOfDump(text: string, zone: string): Steps<PartOfDump> {
  const whole = { text, linesBefore: 0, warnings: [] };
  let own: number | null = null;
  let count = 0;
  for (let at = text.indexOf(dumpMark); at !== -1; at = text.indexOf(dumpMark, at + 1)) {
    yield;
    if (at > 0 && text[at - 1] !== "\n") continue;
    count++;
    if (own !== null) return yield* partFrom(text.slice(0, at), own, zone);
    const [, name = ""] = /^([^'/]+)\/IN(?:\/[^']*)?'/i.exec(text.slice(at + dumpMark.length, at + longestHead)) ?? [];
    if (name.toLowerCase().replace(/\.$/, "") === zone) own = at;
  }
  return own === null || count === 1 ? whole : yield* partFrom(text, own, zone);
}

function* partFrom(text: string, start: number, zone: string): Steps<PartOfDump> {
  let linesBefore = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < start; at = text.indexOf("\n", at + 1)) {
    linesBefore++;
    if (linesBefore % 128 === 0) yield;
  }
  const message = `Only the zone dump of ${zone} that begins here is read.`;
  return { text: text.slice(start), linesBefore, warnings: [{ line: linesBefore + 1, message }] };
}

/** Returns why an entry of a dump is no record, or null. @param type the field where the type is expected */
export function dumpNote({ leadingBlank, fields }: LogicalLine, type: string): string | null {
  if (!leadingBlank && fields[0]?.raw.toUpperCase() === "$DATE") return "$DATE, the time of a dump, is left out.";
  // A cache marks the absence of a type with a backslash: `\-AAAA`.
  return type.startsWith("\\-") ? "A negative answer from a cache is left out." : null;
}
