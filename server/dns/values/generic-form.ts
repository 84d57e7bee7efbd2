import { refuse, ok, type Result } from "../../platform/result.ts";
import type { CanonicalValue, RdataField } from "./value-rule.ts";

// RDATA as `\# <octets> <hex>` (RFC 3597 §5), which can express any record, even of an unknown type.

/** Prints RDATA in generic form, in lower-case hexadecimal without whitespace. */
export function printGeneric(rdata: Uint8Array): string {
  return rdata.length === 0 ? "\\# 0" : `\\# ${rdata.length} ${Buffer.from(rdata).toString("hex")}`;
}

/** Returns the octets of a value in exactly the form that {@link printGeneric} writes, or null. */
export function parseGeneric(value: string): Buffer | null {
  if (!/^\\# \d+(?: [0-9a-f]+)?$/.test(value)) return null;
  const rdata = Buffer.from(value.split(" ")[2] ?? "", "hex");
  return printGeneric(rdata) === value ? rdata : null;
}

/**
 * Decodes RDATA fields in generic form; the hexadecimal may be upper-case and contain whitespace.
 * Returns null if the fields are not in generic form. Refuses them if the count and the digits disagree.
 */
export function readGeneric(fields: readonly RdataField[]): Result<Buffer> | null {
  const [token, count, ...digits] = fields;
  if (token === undefined || token.quoted || token.raw !== "\\#") return null;
  const hex = digits.map((field) => field.raw).join("");
  const rdata = Buffer.from(hex, "hex");
  return rdata.length * 2 === hex.length && Number(count?.raw) === rdata.length
    ? ok(rdata)
    : refuse('Generic RDATA must have the form "\\# <octets> <hexadecimal>", such as "\\# 4 c0000201" (RFC 3597 §5).');
}

/** Returns RDATA as a canonical value in generic form. @param priority of an MX or SRV */
export function genericValue(rdata: Uint8Array, priority: number | null = null): Result<CanonicalValue> {
  return ok({ value: printGeneric(rdata), priority, warnings: [] });
}
