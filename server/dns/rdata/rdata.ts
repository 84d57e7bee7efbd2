import { WireError } from "../names/wire-names.ts";
import { ok, refuse, type Result } from "../../platform/result.ts";
import { readGeneric } from "../values/character-strings.ts";
import type { CanonicalValue, RdataField } from "../values/value-rule.ts";
import { FieldSource, OctetSource } from "./field.ts";
import { layouts } from "./layouts.ts";

/** RFC 1035 §3.2.1: RDLENGTH has 16 bits. */
export const longestRdata = 65_535;

/** Returns whether the data format of a type is known; data of other types stays in generic form. */
export function isKnownType(recordType: string): boolean {
  return layouts.has(recordType);
}

/**
 * Encodes master-file fields as RDATA, by the grammar of their type or in generic form (RFC 3597 §5), the only form for unknown types.
 * `origin` (absolute, no trailing dot) completes relative names. Refusals name the field and what is wrong with it.
 */
export function rdataFromFields(recordType: string, fields: readonly RdataField[], origin: string): Result<Buffer> {
  const generic = readGeneric(fields);
  if (generic) {
    if (!generic.ok || !layouts.has(recordType)) return generic;
    // Known types must follow their grammar in generic form, too.
    const printed = rdataToText(recordType, generic.value);
    return printed.ok ? generic : printed;
  }
  const layout = layouts.get(recordType);
  if (!layout) {
    return refuse(
      String.raw`The data format of ${recordType} is unknown. Write its data as "\# <octets> <hexadecimal>" (RFC 3597 §5).`,
    );
  }
  return within(recordType, () => {
    const source = new FieldSource(fields, origin);
    const rdata = Buffer.concat(layout.parts.map((part) => part.parse(source)));
    source.finish();
    const fault = layout.fault?.(rdata) ?? null;
    if (fault !== null) throw new WireError(fault);
    if (rdata.length > longestRdata) throw new WireError(`it is ${rdata.length} octets, more than ${longestRdata}`);
    return rdata;
  });
}

/** Prints RDATA of a known type: names absolute and as written, blobs without whitespace, empty for none. */
export function rdataToText(recordType: string, rdata: Buffer): Result<string> {
  const printed = print(recordType, rdata, false);
  return printed.ok ? ok(printed.value.text) : printed;
}

/** Prints RDATA of a known type in canonical form, which has names in lower case: equal data gives equal text. */
export function rdataToValue(
  recordType: string,
  rdata: Buffer,
): Result<Pick<CanonicalValue, "value" | "writtenValue">> {
  const written = print(recordType, rdata, false);
  if (!written.ok || !written.value.hasCapitals) return written.ok ? ok({ value: written.value.text }) : written;
  const folded = print(recordType, rdata, true);
  return folded.ok ? ok({ value: folded.value.text, writtenValue: written.value.text }) : folded;
}

function print(recordType: string, rdata: Buffer, folds: boolean): Result<{ text: string; hasCapitals: boolean }> {
  const layout = layouts.get(recordType);
  if (!layout) return refuse(`The data format of ${recordType} is unknown.`);
  return within(recordType, () => {
    const source = new OctetSource(rdata, folds);
    const texts = layout.parts.map((part) => part.print(source));
    source.finish();
    const fault = layout.fault?.(rdata) ?? null;
    if (fault !== null) throw new WireError(fault);
    return { text: texts.filter((text) => text !== "").join(" "), hasCapitals: source.hasCapitals };
  });
}

function within<T>(recordType: string, work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (error) {
    if (error instanceof WireError) return refuse(`The ${recordType} data is invalid: ${error.message}.`);
    throw error;
  }
}
