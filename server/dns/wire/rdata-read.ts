import { ruleFor } from "../record-types.ts";
import { escapeOctets } from "../names/escapes.ts";
import { ipv6Address } from "../values/addresses.ts";
import { printGeneric, splitStrings } from "../values/character-strings.ts";
import type { CanonicalValue, RdataField } from "../values/value-rule.ts";
import { layouts, type FieldKind } from "./rdata-layouts.ts";
import { readParameters } from "../rdata/service-parameters.ts";
import { expandName, readName, WireError } from "../names/wire-names.ts";

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
