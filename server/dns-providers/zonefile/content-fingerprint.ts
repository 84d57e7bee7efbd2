import { createHash } from "node:crypto";
import { inSlices, type Steps } from "../../platform/slices.ts";

const chunkBytes = 16_384;
const newline = 10;
const carriageReturn = 13;
const directive = "$INCLUDE";

/** Returns the fingerprint of a zone file's content; null for a file with $INCLUDE, whose own bytes stay the same when an included file changes. */
export async function fingerprintOf(content: Buffer): Promise<string | null> {
  return await inSlices(hashing(content));
}

function* hashing(content: Buffer): Steps<string | null> {
  const hash = createHash("sha256");
  for (let start = 0; start < content.length; start += chunkBytes) {
    const end = Math.min(content.length, start + chunkBytes);
    for (let at = content.indexOf("$", start); at !== -1 && at < end; at = content.indexOf("$", at + 1)) {
      if (includesAt(content, at)) return null;
    }
    hash.update(content.subarray(start, end));
    yield;
  }
  return hash.digest("hex");
}

function includesAt(content: Buffer, at: number): boolean {
  const before = content[at - 1];
  if (before !== undefined && before !== newline && before !== carriageReturn) return false;
  return content.toString("latin1", at, at + directive.length).toUpperCase() === directive;
}
