import type { LogicalLine } from "../../zone-file/tokens.ts";
import type { ZoneFileMessage } from "../../zone-file/reading.ts";

/** The lines of a dump that belong to one zone. */
export interface PartOfDump {
  text: string;
  /** Number of lines of the whole text before the part. */
  linesBefore: number;
  warnings: ZoneFileMessage[];
}

/** Returns the part of `rndc dumpdb -zones` that has the zone, or the whole text if it is no such dump or does not have it. */
export function partOfDump(text: string, zone: string): PartOfDump {
  const whole = { text, linesBefore: 0, warnings: [] };
  if (!text.includes("; Zone dump of '")) return whole;
  const begin = /^; Zone dump of '([^'/]+)\/IN(?:\/[^']*)?'/gim;
  const heads = [...text.matchAll(begin)];
  const own = heads.findIndex(([, name = ""]) => name.toLowerCase().replace(/\.$/, "") === zone);
  const head = heads[own];
  if (head === undefined || heads.length === 1) return whole;
  const linesBefore = text.slice(0, head.index).split("\n").length - 1;
  const message = `Only the zone dump of ${zone} that begins here is read.`;
  return {
    text: text.slice(head.index, heads[own + 1]?.index),
    linesBefore,
    warnings: [{ line: linesBefore + 1, message }],
  };
}

/** Returns why an entry of a dump is no record, or null. @param type the field where the type is expected */
export function dumpNote({ leadingBlank, fields }: LogicalLine, type: string): string | null {
  if (!leadingBlank && fields[0]?.raw.toUpperCase() === "$DATE") return "$DATE, the time of a dump, is left out.";
  // A cache marks the absence of a type with a backslash: `\-AAAA`.
  return type.startsWith("\\-") ? "A negative answer from a cache is left out." : null;
}
