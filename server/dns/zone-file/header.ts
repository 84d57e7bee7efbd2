import { ok, refuse, type Result } from "../../platform/result.ts";
import { shortened } from "../rdata/field.ts";
import type { RdataField } from "../values/value-rule.ts";
import { canonicalType, unstorableReason } from "./type-names.ts";
import { looksLikeTtl, parseTtl } from "./ttl.ts";

/** The fields between owner and RDATA. */
export interface RecordHeader {
  /** Seconds; null if the entry has none. */
  ttl: number | null;
  recordType: string;
  /** Index of the first RDATA field. */
  rdata: number;
}

/** Reads `[TTL] [class] type` or `[class] [TTL] type` (RFC 1035 §5.1), starting at `fields[start]`. Accepts only class IN. */
export function readHeader(fields: readonly RdataField[], start: number): Result<RecordHeader> {
  let ttl: number | null = null;
  let classSeen = false;
  for (let index = start; ; index++) {
    const field = fields[index];
    if (field === undefined) return refuse("This entry has no record type.");
    if (field.quoted) return refuse(`Expected a record type, not "${shortened(field.raw)}" in quotes.`);
    if (ttl === null && looksLikeTtl(field.raw)) {
      const parsed = parseTtl(field.raw);
      if (!parsed.ok) return parsed;
      ttl = parsed.value;
    } else if (!classSeen && isClass(field.raw)) {
      if (!isInternet(field.raw)) return refuse(`Class ${field.raw} is not supported; use IN.`);
      classSeen = true;
    } else {
      const recordType = canonicalType(field.raw);
      if (recordType === null) {
        const reason = unstorableReason(field.raw);
        return refuse(
          reason === null
            ? `"${shortened(field.raw)}" is not a known record type.`
            : `${field.raw.toUpperCase()} ${reason}.`,
        );
      }
      return ok({ ttl, recordType, rdata: index + 1 });
    }
  }
}

function isClass(text: string): boolean {
  return /^(?:in|ch|hs|cs|any|none|class\d{1,5})$/i.test(text);
}

function isInternet(text: string): boolean {
  const name = text.toUpperCase();
  return name === "IN" || name === "CLASS1";
}
