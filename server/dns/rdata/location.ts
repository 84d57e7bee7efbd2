import { WireError } from "../names/wire-names.ts";
import type { FieldSource, OctetSource, RdataPart } from "./field.ts";
import { shortened } from "./field.ts";
import { octetsOf } from "./numbers.ts";

const equator = 2 ** 31;
/** Base of altitudes: centimeters below the reference ellipsoid (RFC 1876 §2). */
const deepest = 10_000_000;
/** Default size, horizontal and vertical precision in meters (RFC 1876 §3). */
const defaults = ["1", "10000", "10"];

/** LOC (RFC 1876): latitude, longitude, altitude, and up to three lengths. Printed with all three. */
export const location: RdataPart = {
  parse(fields) {
    const latitude = readAngle(fields, "latitude", 90, "N", "S");
    const longitude = readAngle(fields, "longitude", 180, "E", "W");
    const altitude = readMeters(fields.takeWord("altitude"), "altitude") + deepest;
    if (altitude < 0 || altitude >= 2 ** 32) throw new WireError("the altitude is out of range");
    const lengths = defaults.map((fallback) => readLength(fields.peek() ? fields.takeWord("length") : fallback));
    return Buffer.concat([
      Buffer.of(0, ...lengths),
      octetsOf(latitude, 4),
      octetsOf(longitude, 4),
      octetsOf(altitude, 4),
    ]);
  },
  print(octets) {
    const version = octets.number(1);
    // Of another version only generic form is known, as in BIND.
    if (version !== 0) {
      octets.rest();
      return "";
    }
    const lengths = [...octets.take(3)].map(printLength);
    const latitude = printAngle(octets, 90, "N", "S");
    const longitude = printAngle(octets, 180, "E", "W");
    return [latitude, longitude, printMeters(octets.number(4) - deepest), ...lengths].join(" ");
  },
};

/** Reads degrees, optional minutes and seconds, and the hemisphere, as thousandths of a second of arc. */
function readAngle(fields: FieldSource, what: string, most: number, positive: string, negative: string): number {
  const parts: number[] = [];
  for (;;) {
    const text = fields.takeWord(what);
    const side = text.toUpperCase();
    if (parts.length > 0 && (side === positive || side === negative)) {
      const [degrees = 0, minutes = 0, seconds = 0] = parts;
      const thousandths = Math.round((degrees * 3600 + minutes * 60 + seconds) * 1000);
      if (thousandths > most * 3_600_000) throw new WireError(`the ${what} is more than ${most} degrees`);
      return side === positive ? equator + thousandths : equator - thousandths;
    }
    const form = parts.length === 2 ? /^\d{1,2}(?:\.\d{1,3})?$/ : /^\d{1,3}$/;
    const largest = parts.length === 0 ? most : 59.999;
    if (parts.length === 3 || !form.test(text) || Number(text) > largest) {
      throw new WireError(
        `the ${what} must be degrees, minutes, seconds and ${positive} or ${negative}, not "${shortened(text)}"`,
      );
    }
    parts.push(Number(text));
  }
}

function printAngle(octets: OctetSource, most: number, positive: string, negative: string): string {
  const offset = octets.number(4) - equator;
  const thousandths = Math.abs(offset);
  if (thousandths > most * 3_600_000) throw new WireError(`an angle is more than ${most} degrees`);
  const degrees = Math.floor(thousandths / 3_600_000);
  const minutes = Math.floor(thousandths / 60_000) % 60;
  const seconds = ((thousandths % 60_000) / 1000).toFixed(3);
  return `${degrees} ${minutes} ${seconds} ${offset < 0 ? negative : positive}`;
}

/** Parses meters such as `-24.5m` into centimeters. */
function readMeters(text: string, what: string): number {
  const [, sign, whole, fraction = ""] = /^([+-]?)(\d{1,8})(?:\.(\d{0,2}))?m?$/i.exec(text) ?? [];
  if (whole === undefined) throw new WireError(`the ${what} must be meters such as 24.50m, not "${shortened(text)}"`);
  const centimeters = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  return sign === "-" ? -centimeters : centimeters;
}

function printMeters(centimeters: number): string {
  return `${(centimeters / 100).toFixed(2)}m`;
}

/** Encodes a length as one digit and a power of ten in one octet (RFC 1876 §2). Drops digits after the first. */
function readLength(text: string): number {
  const centimeters = readMeters(text, "length");
  if (centimeters < 0 || centimeters > 9_000_000_000) throw new WireError("a length is out of range");
  const digits = String(centimeters);
  return (Number(digits.charAt(0)) << 4) | (centimeters === 0 ? 0 : digits.length - 1);
}

function printLength(octet: number): string {
  const [digit, power] = [octet >> 4, octet & 15];
  if (digit > 9 || power > 9 || (digit === 0 && power > 0)) throw new WireError("a length is malformed");
  const centimeters = digit * 10 ** power;
  return centimeters >= 100 ? `${centimeters / 100}m` : printMeters(centimeters);
}
