import { disabledMark, writtenHere } from "../../zone-file/write.ts";
import type { Steps } from "../../../platform/slices.ts";

/** A disabled record as one line of a zone file. */
export interface DisabledLine {
  /** The 1-based line of the whole text. */
  line: number;
  text: string;
}

const longestHead = 400;

/** Returns the records that one of Zonewright's own files has as comments because they are disabled; none for files of others. */
export function* disabledLines(text: string): Steps<DisabledLine[]> {
  const [head = ""] = text.slice(0, longestHead).split("\n", 1);
  if (!head.startsWith("; Zone ") || !head.includes(writtenHere)) return [];
  const found: DisabledLine[] = [];
  let start = 0;
  for (let line = 1; start < text.length; line++) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    if (text.startsWith(disabledMark, start)) found.push({ line, text: text.slice(start + disabledMark.length, end) });
    start = end + 1;
    yield;
  }
  return found;
}
