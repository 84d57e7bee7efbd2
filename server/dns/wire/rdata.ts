import { ruleFor } from "../record-types.ts";
import { escapeOctets, unescapeOctets } from "../names/escapes.ts";
import { ipv6Address, addressOctets } from "../values/addresses.ts";
import { printGeneric, splitStrings, readGeneric } from "../values/character-strings.ts";
import type { CanonicalValue, RdataField } from "../values/value-rule.ts";
import { readParameters, writeParameters } from "../rdata/service-parameters.ts";
import { expandName, readName, WireError, writeName } from "../names/wire-names.ts";
import { isIPv4, isIPv6 } from "node:net";
import { rdataFromFields } from "../rdata/rdata.ts";
import { joinParameters, logicalLines } from "../zone-file/tokens.ts";

/**
 * The wire format of one RDATA field:
 * `u8`, `u16`, `u32`: numbers; `a`, `aaaa`: addresses; `name`: a domain name; `string`: a character-string (RFC 1035 §3.3);
 * `tag`: a character-string written without quotes (RFC 8659 §4.1). Only last in a record: `strings`: one or more character-strings;
 * `text`: octets without a length; `hex`, `base64`: a blob; `parameters`: SvcParams (RFC 9460 §2.2).
 */
type FieldKind =
  | "u8"
  | "u16"
  | "u32"
  | "a"
  | "aaaa"
  | "name"
  | "string"
  | "tag"
  | "strings"
  | "text"
  | "hex"
  | "base64"
  | "parameters";

const key: readonly FieldKind[] = ["u16", "u8", "u8", "base64"];
const digest: readonly FieldKind[] = ["u16", "u8", "u8", "hex"];
const association: readonly FieldKind[] = ["u8", "u8", "u8", "hex"];
const exchanger: readonly FieldKind[] = ["u16", "name"];
const binding: readonly FieldKind[] = ["u16", "name", "parameters"];

/**
 * RDATA formats by type. Includes every type that may contain compressed names (RFC 3597 §4); the RDATA of any other type is opaque.
 */
const layouts: ReadonlyMap<string, readonly FieldKind[]> = new Map<string, readonly FieldKind[]>([
  ["A", ["a"]],
  ["AAAA", ["aaaa"]],
  ["NS", ["name"]],
  ["CNAME", ["name"]],
  ["SOA", ["name", "name", "u32", "u32", "u32", "u32", "u32"]],
  ["MB", ["name"]],
  ["MG", ["name"]],
  ["MR", ["name"]],
  ["PTR", ["name"]],
  ["DNAME", ["name"]],
  ["MINFO", ["name", "name"]],
  ["RP", ["name", "name"]],
  ["HINFO", ["string", "string"]],
  ["MX", exchanger],
  ["AFSDB", exchanger],
  ["RT", exchanger],
  ["KX", exchanger],
  ["PX", ["u16", "name", "name"]],
  ["TXT", ["strings"]],
  ["SPF", ["strings"]],
  ["SRV", ["u16", "u16", "u16", "name"]],
  ["NAPTR", ["u16", "u16", "string", "string", "string", "name"]],
  ["CAA", ["u8", "tag", "text"]],
  ["URI", ["u16", "u16", "text"]],
  ["DS", digest],
  ["CDS", digest],
  ["DLV", digest],
  ["DNSKEY", key],
  ["CDNSKEY", key],
  ["SSHFP", ["u8", "u8", "hex"]],
  ["TLSA", association],
  ["SMIMEA", association],
  ["OPENPGPKEY", ["base64"]],
  ["DHCID", ["base64"]],
  ["SVCB", binding],
  ["HTTPS", binding],
]);

/**
 * Reads the RDATA from `start` to `end` of a message into the same canonical value that a zone file gives. RDATA that cannot be parsed is
 * returned in generic form (RFC 3597 §5), so nothing is lost.
 */
export function readRdata(message: Buffer, recordType: string, start: number, end: number): CanonicalValue {
  const rule = ruleFor(recordType);
  const fields = readFields(message, recordType, start, end);
  if (fields !== null) {
    const read = rule.read(fields, "");
    if (read.ok) return read.value;
  }
  const rdata = expandRdata(message, recordType, start, end);
  const generic = rule.read(genericFields(rdata), "");
  return generic.ok ? generic.value : { value: printGeneric(rdata), priority: null, warnings: [] };
}

/** Returns whether RDATA has the format of its type. Data of a type without a known format always has. */
export function isReadableRdata(message: Buffer, recordType: string, start: number, end: number): boolean {
  return !layouts.has(recordType) || readFields(message, recordType, start, end) !== null;
}

/** Returns the RDATA with its names uncompressed and their case preserved, as an update needs it to delete the record (RFC 2136 §2.5.4). */
export function expandRdata(message: Buffer, recordType: string, start: number, end: number): Buffer {
  const layout = layouts.get(recordType);
  if (!layout?.includes("name")) return message.subarray(start, end);
  try {
    const parts: Buffer[] = [];
    let position = start;
    for (const kind of layout) {
      const next = kind === "name" ? expandName(message, position) : null;
      const stop = next?.end ?? fieldEnd(message, kind, position, end);
      if (stop > end) throw new WireError("a field is cut off");
      parts.push(next?.name ?? message.subarray(position, stop));
      position = stop;
    }
    return position === end ? Buffer.concat(parts) : message.subarray(start, end);
  } catch (error) {
    if (error instanceof WireError) return message.subarray(start, end);
    throw error;
  }
}

function readFields(message: Buffer, recordType: string, start: number, end: number): RdataField[] | null {
  const layout = layouts.get(recordType);
  if (layout === undefined) return null;
  const fields: RdataField[] = [];
  let position = start;
  try {
    for (const kind of layout) {
      const stop = fieldEnd(message, kind, position, end);
      if (stop > end) return null;
      fields.push(...fieldTexts(message, kind, position, stop));
      position = stop;
    }
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
  return position === end ? fields : null;
}

function fieldEnd(message: Buffer, kind: FieldKind, position: number, end: number): number {
  switch (kind) {
    case "u8":
      return position + 1;
    case "u16":
      return position + 2;
    case "u32":
    case "a":
      return position + 4;
    case "aaaa":
      return position + 16;
    case "name":
      return readName(message, position).end;
    case "string":
    case "tag":
      return position + 1 + (message[position] ?? 0);
    default:
      return end;
  }
}

function fieldTexts(message: Buffer, kind: FieldKind, start: number, end: number): RdataField[] {
  const octets = message.subarray(start, end);
  switch (kind) {
    case "u8":
    case "u16":
    case "u32":
      return [bare(String(octets.readUIntBE(0, octets.length)))];
    case "a":
      return [bare(octets.join("."))];
    case "aaaa":
      return [bare(ipv6Address(octets))];
    case "name": {
      const { written } = readName(message, start);
      return [bare(written === "." ? written : `${written}.`)];
    }
    case "string":
    case "text":
      return [quoted(kind === "text" ? octets : octets.subarray(1))];
    case "tag":
      return [bare(octets.subarray(1).toString("latin1"))];
    case "strings":
      return readStrings(octets).map(quoted);
    case "hex":
    case "base64":
      return octets.length === 0 ? [] : [bare(octets.toString(kind))];
    default:
      return readParameters(octets).map(bare);
  }
}

function readStrings(octets: Buffer): Buffer[] {
  const strings = splitStrings(octets);
  if (strings === null) throw new WireError("a text is cut off");
  return strings;
}

/** Returns the fields of `\# <octets> <hex>`. */
function genericFields(rdata: Buffer): RdataField[] {
  const fields = [bare("\\#"), bare(String(rdata.length))];
  return rdata.length === 0 ? fields : [...fields, bare(rdata.toString("hex"))];
}

function bare(raw: string): RdataField {
  return { raw, quoted: false };
}

function quoted(octets: Buffer): RdataField {
  return { raw: escapeOctets(octets, '"\\'), quoted: true };
}

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
