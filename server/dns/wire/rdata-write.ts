import { isIPv4, isIPv6 } from "node:net";
import { unescapeOctets } from "../names/escapes.ts";
import { ruleFor } from "../record-types.ts";
import { rdataFromFields } from "../rdata/rdata.ts";
import { addressOctets } from "../values/addresses.ts";
import { readGeneric } from "../values/character-strings.ts";
import type { RdataField } from "../values/value-rule.ts";
import { joinParameters, logicalLines } from "../zone-file/tokens.ts";
import { layouts, type FieldKind } from "./rdata-layouts.ts";
import { writeParameters } from "../rdata/service-parameters.ts";
import { WireError, writeName } from "../names/wire-names.ts";

/** RFC 1035 §3.2.1: RDLENGTH has 16 bits. */
const longestRdata = 65_535;

/**
 * Encodes a canonical value as RDATA, names uncompressed (RFC 3597 §4).
 * @param strings the split of a TXT, if it is not the default
 * @throws WireError whose message ends a sentence
 */
export function writeRdata(recordType: string, value: string, strings: readonly string[] | null = null): Buffer {
  const fields = fieldsOf(recordType, ruleFor(recordType).print(value, strings));
  const generic = readGeneric(fields);
  if (generic && !generic.ok) throw new WireError("its generic form is invalid");
  const rdata = generic ? generic.value : Buffer.concat(writeFields(recordType, fields));
  if (rdata.length > longestRdata) throw new WireError(`it is longer than ${longestRdata} octets`);
  return rdata;
}

function fieldsOf(recordType: string, text: string): RdataField[] {
  // There is only one line, because `print` escapes line ends.
  for (const line of logicalLines(text)) {
    if (line.kind === "line") return joinParameters(recordType, line.fields);
    throw new WireError(line.message);
  }
  return [];
}

function writeFields(recordType: string, fields: readonly RdataField[]): Buffer[] {
  const layout = layouts.get(recordType);
  if (layout === undefined) {
    const rdata = rdataFromFields(recordType, fields, "");
    if (rdata.ok) return [rdata.value];
    throw new WireError(rdata.message.charAt(0).toLowerCase() + rdata.message.slice(1, -1));
  }
  const parts: Buffer[] = [];
  let next = 0;
  for (const kind of layout) {
    const taken = isLast(kind) ? fields.slice(next) : fields.slice(next, next + 1);
    parts.push(writeField(kind, taken));
    next += taken.length;
  }
  if (next < fields.length) throw new WireError(`${recordType} data has an extra field`);
  return parts;
}

/** Returns whether the field extends to the end of the record. */
function isLast(kind: FieldKind): boolean {
  return kind === "strings" || kind === "hex" || kind === "base64" || kind === "parameters";
}

const numberSizes: Partial<Record<FieldKind, number>> = { u8: 1, u16: 2, u32: 4 };

function writeField(kind: FieldKind, fields: readonly RdataField[]): Buffer {
  const joined = fields.map(({ raw }) => raw).join("");
  switch (kind) {
    case "hex":
    case "base64":
      return writeBlob(kind, joined);
    case "parameters":
      return writeParameters(fields.map(({ raw }) => raw));
    case "strings":
      if (fields.length === 0) throw new WireError("a text is missing");
      return Buffer.concat(fields.map(characterString));
  }
  const [field] = fields;
  if (field === undefined) throw new WireError("a field is missing");
  switch (kind) {
    case "name":
      return writeName(field.raw);
    case "string":
    case "tag":
      return characterString(field);
    case "text":
      return octetsOf(field);
    case "a":
    case "aaaa":
      if (!(kind === "a" ? isIPv4 : isIPv6)(field.raw))
        throw new WireError(`${field.raw} is not a valid ${kind === "a" ? "IPv4" : "IPv6"} address`);
      return addressOctets(field.raw);
    default:
      return writeNumber(numberSizes[kind] ?? 0, field.raw);
  }
}

function writeNumber(size: number, text: string): Buffer {
  const number = Number(text);
  if (!/^\d{1,10}$/.test(text) || number >= 256 ** size)
    throw new WireError(`${text} is not a whole number below ${256 ** size}`);
  const octets = Buffer.alloc(size);
  octets.writeUIntBE(number, 0, size);
  return octets;
}

function writeBlob(kind: "hex" | "base64", text: string): Buffer {
  const octets = Buffer.from(text, kind);
  const whole = kind === "hex" ? octets.length * 2 === text.length : /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  if (!whole) throw new WireError(`its data is not valid ${kind === "hex" ? "hexadecimal" : "base64"}`);
  return octets;
}

function characterString(field: RdataField): Buffer {
  const octets = octetsOf(field);
  if (octets.length > 255) throw new WireError("one of its texts is longer than 255 octets");
  return Buffer.concat([Buffer.of(octets.length), octets]);
}

function octetsOf({ raw }: RdataField): Buffer {
  const octets = unescapeOctets(raw);
  if (octets === null) throw new WireError("one of its escapes is invalid");
  return octets;
}
