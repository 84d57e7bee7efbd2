import { ipv4, ipv6, name, addressSuffix, prefixes } from "./addresses.ts";
import { atmAddress, base64, dashedBase64, hardwareAddress, hash, hex, locator, nsap, salt } from "./blobs.ts";
import { WireError } from "../names/wire-names.ts";
import { shortened, type FieldSource, type OctetSource, type RdataPart } from "./field.ts";
import { algorithms, certificates, digests, moment, number, octetsOf, synchronisations } from "./numbers.ts";
import { amtRelay, hostIdentity, ipsecGateway, services, coveredType, oldTypeSet, typeSet } from "./relays.ts";
import { parameters } from "./service-parameters.ts";
import { optionalString, psdnFault, string, strings, substitutionFault, tag, text } from "./texts.ts";

/** The format of a type's data. */
export interface Layout {
  parts: readonly RdataPart[];
  /** Checks across parts; the message ends a sentence. */
  fault?: (rdata: Buffer) => string | null;
}

const equator = 2 ** 31;
/** Base of altitudes: centimeters below the reference ellipsoid (RFC 1876 §2). */
const deepest = 10_000_000;
/** Default size, horizontal and vertical precision in meters (RFC 1876 §3). */
const defaults = ["1", "10000", "10"];

/** LOC (RFC 1876): latitude, longitude, altitude, and up to three lengths. Printed with all three. */
const location: RdataPart = {
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

const algorithm = number(1, "algorithm", algorithms);
const flags = number(2, "flags field");
const preference = number(2, "preference");
const oneName: Layout = { parts: [name()] };
const twoNames: Layout = { parts: [name("first name"), name("second name")] };
const exchanger: Layout = { parts: [preference, name()] };
const texts: Layout = { parts: [strings] };
const service: Layout = { parts: [number(2, "priority"), name("target"), parameters] };

const publicKey: Layout = { parts: [flags, number(1, "protocol"), algorithm, base64("key")] };
/** Flags for "no key" (RFC 2535 §3.1.2). */
const noKey = 0xc0;
const oldKey: Layout = {
  parts: [flags, number(1, "protocol"), algorithm, base64("key", true)],
  fault: (rdata) => (rdata.length > 4 || ((rdata[0] ?? 0) & noKey) === noKey ? null : "the key is missing"),
};
const signature: Layout = {
  parts: [
    coveredType,
    algorithm,
    number(1, "number of labels"),
    number(4, "original TTL"),
    moment("expiration"),
    moment("inception"),
    number(2, "key tag"),
    name("signer"),
    base64("signature"),
  ],
};

/** The signer is the zone of the signed name (RFC 4034 §3.1.7), so it cannot have more labels than that name. */
function signerFault(rdata: Buffer): string | null {
  const labels = rdata.readUInt8(3);
  let signers = 0;
  for (let position = 18; rdata.readUInt8(position) > 0; position += 1 + rdata.readUInt8(position)) signers++;
  return labels >= signers ? null : `the number of labels is ${labels}, fewer than the signer's ${signers}`;
}

const delegation: Layout = {
  parts: [number(2, "key tag"), algorithm, number(1, "digest type", digests), hex("digest")],
  fault: delegationFault,
};
/** RFC 8078 §4: a CDS of zeros asks the parent to delete its DS records. */
const childDelegation: Layout = {
  ...delegation,
  fault: (rdata) => (rdata.equals(Buffer.alloc(5)) ? null : delegationFault(rdata)),
};

function delegationFault(rdata: Buffer): string | null {
  const type = rdata[3] ?? 0;
  if (type === 0) return "the digest type 0 is reserved (RFC 3658 §2.4)";
  return lengthFault(rdata, 4, "digest", { 1: 20, 2: 32, 3: 32, 4: 48 }[type]);
}
const association: Layout = {
  parts: [number(1, "usage"), number(1, "selector"), number(1, "matching type"), hex("data")],
};
const fingerprint: Layout = {
  parts: [number(1, "algorithm"), number(1, "fingerprint type"), hex("fingerprint")],
  fault: (rdata) => lengthFault(rdata, 2, "fingerprint", { 1: 20, 2: 32 }[rdata[1] ?? 0]),
};
const zoneDigest: Layout = {
  parts: [number(4, "serial"), number(1, "scheme"), number(1, "hash algorithm"), hex("digest")],
  fault: (rdata) =>
    rdata.length < 18
      ? "the digest is shorter than 12 octets"
      : lengthFault(rdata, 6, "digest", { 1: 48, 2: 64 }[rdata[5] ?? 0]),
};

function lengthFault(rdata: Buffer, start: number, what: string, length: number | undefined): string | null {
  if (length === undefined || rdata.length - start === length) return null;
  return `the ${what} must be ${length} octets for its type, not ${rdata.length - start}`;
}

/** The types whose data format is known. Data of other types must be in generic form (RFC 3597 §5). */
export const layouts: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ["A", { parts: [ipv4] }],
  ["AAAA", { parts: [ipv6] }],
  ["NS", oneName],
  ["CNAME", oneName],
  ["MX", exchanger],
  ["SRV", { parts: [number(2, "priority"), number(2, "weight"), number(2, "port"), name("target")] }],
  ["CAA", { parts: [number(1, "flag"), tag, text("value")] }],
  ["TXT", texts],
  [
    "SOA",
    {
      parts: [
        name("primary server"),
        name("mailbox"),
        ...["serial", "refresh", "retry", "expire", "minimum"].map((what) => number(4, what)),
      ],
    },
  ],
  ...["PTR", "DNAME", "MB", "MG", "MR"].map((type) => [type, oneName] as const),
  ...["RP", "MINFO", "TALINK"].map((type) => [type, twoNames] as const),
  ...["AFSDB", "RT", "KX", "LP"].map((type) => [type, exchanger] as const),
  ["PX", { parts: [preference, name("first name"), name("second name")] }],
  ["NSAP-PTR", oneName],
  ["NSAP", { parts: [nsap] }],
  ["HINFO", { parts: [string("hardware"), string("operating system")] }],
  ["X25", { parts: [string("PSDN address", psdnFault)] }],
  ["ISDN", { parts: [string("ISDN address"), optionalString("sub-address")] }],
  ["GPOS", { parts: [string("longitude"), string("latitude"), string("altitude")] }],
  ["WKS", { parts: [ipv4, services] }],
  ["LOC", { parts: [location] }],
  [
    "NAPTR",
    {
      parts: [
        number(2, "order"),
        preference,
        string("flags", (given) => (/^[a-z\d]*$/i.test(given) ? null : "the flags must be letters and digits")),
        string("services"),
        string("regular expression", substitutionFault),
        name("replacement"),
      ],
    },
  ],
  ["CERT", { parts: [number(2, "type", certificates), number(2, "key tag"), algorithm, base64("certificate")] }],
  ["A6", { parts: [addressSuffix] }],
  ["SINK", { parts: [number(1, "meaning"), number(1, "coding"), number(1, "subcoding"), base64("data", true)] }],
  ["APL", { parts: [prefixes] }],
  ...["DS", "DLV", "TA"].map((type) => [type, delegation] as const),
  ["CDS", childDelegation],
  ["SSHFP", fingerprint],
  ["IPSECKEY", { parts: [ipsecGateway, base64("key")] }],
  ["KEY", oldKey],
  ...["DNSKEY", "CDNSKEY", "RKEY"].map((type) => [type, publicKey] as const),
  ["RRSIG", { ...signature, fault: signerFault }],
  ["SIG", signature],
  ["NSEC", { parts: [name("next name"), typeSet(false)] }],
  ["NXT", { parts: [name("next name"), oldTypeSet] }],
  [
    "NSEC3",
    {
      parts: [
        number(1, "hash algorithm"),
        number(1, "flags"),
        number(2, "iterations"),
        salt,
        hash("next hash"),
        typeSet(true),
      ],
    },
  ],
  ["NSEC3PARAM", { parts: [number(1, "hash algorithm"), number(1, "flags"), number(2, "iterations"), salt] }],
  ["DHCID", { parts: [base64("data")] }],
  ...["TLSA", "SMIMEA"].map((type) => [type, association] as const),
  ["HIP", { parts: [hostIdentity] }],
  ...["SPF", "NINFO", "AVC", "RESINFO", "WALLET"].map((type) => [type, texts] as const),
  ...["EID", "NIMLOC"].map((type) => [type, { parts: [hex("data")] }] as const),
  ["ATMA", { parts: [atmAddress] }],
  ["OPENPGPKEY", { parts: [base64("key")] }],
  ["CSYNC", { parts: [number(4, "serial"), flags, typeSet(true)] }],
  ["ZONEMD", zoneDigest],
  ...["SVCB", "HTTPS"].map((type) => [type, service] as const),
  ["DSYNC", { parts: [coveredType, number(1, "scheme", synchronisations), number(2, "port"), name("target")] }],
  ["HHIT", { parts: [base64("data")] }],
  ["BRID", { parts: [base64("data")] }],
  ["NID", { parts: [preference, locator("node identifier")] }],
  ["L32", { parts: [preference, ipv4] }],
  ["L64", { parts: [preference, locator("locator")] }],
  ["EUI48", { parts: [hardwareAddress(6)] }],
  ["EUI64", { parts: [hardwareAddress(8)] }],
  ["URI", { parts: [number(2, "priority"), number(2, "weight"), text("target")] }],
  [
    "DOA",
    {
      parts: [number(4, "enterprise"), number(4, "type"), number(1, "location"), string("media type"), dashedBase64],
    },
  ],
  ["AMTRELAY", { parts: [amtRelay] }],
]);

/** Reads degrees,optional minutes and seconds, and the hemisphere, as thousandths of a second of arc. */
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
