import { refuse, ok, type Result } from "../../platform/result.ts";
import type { CanonicalValue, RdataField } from "./value-rule.ts";

// RDATA as `\# <octets> <hex>` (RFC 3597 §5): what can be said of any record, even when its type is not understood.

/** The generic form of RDATA, in lower-case hexadecimal without blanks. */
export function printGeneric(rdata: Uint8Array): string {
  return rdata.length === 0 ? "\\# 0" : `\\# ${rdata.length} ${Buffer.from(rdata).toString("hex")}`;
}

/** The octets of a value that is exactly what {@link printGeneric} writes, else null. */
export function parseGeneric(value: string): Buffer | null {
  if (!/^\\# \d+(?: [0-9a-f]+)?$/.test(value)) return null;
  const rdata = Buffer.from(value.split(" ")[2] ?? "", "hex");
  return printGeneric(rdata) === value ? rdata : null;
}

/**
 * The octets of RDATA fields in generic form, whose hexadecimal may be in pieces and in capitals.
 * Null when the fields are not in generic form at all; refused when they are and the count and the digits disagree.
 */
export function readGeneric(fields: readonly RdataField[]): Result<Buffer> | null {
  const [mark, count, ...digits] = fields;
  if (mark === undefined || mark.quoted || mark.raw !== "\\#") return null;
  const hex = digits.map((field) => field.raw).join("");
  const rdata = Buffer.from(hex, "hex");
  return rdata.length * 2 === hex.length && Number(count?.raw) === rdata.length
    ? ok(rdata)
    : refuse(
        'Generic RDATA must state its number of octets and then their digits, such as "\\# 4 c0000201" (RFC 3597).',
      );
}

/** Generic RDATA kept as it is, for types whose wire form is not taken apart here. `priority` is known to the caller. */
export function keepGeneric(rdata: Uint8Array, priority: number | null = null): Result<CanonicalValue> {
  return ok({ value: printGeneric(rdata), priority, warnings: [] });
}
