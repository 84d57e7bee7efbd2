import { editableTypes, isEditableType, recordLabel, type RecordData } from "../record.ts";

/** Numbers of record types, from IANA's DNS parameters. */
const dataTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MB: 7,
  MG: 8,
  MR: 9,
  NULL: 10,
  WKS: 11,
  PTR: 12,
  HINFO: 13,
  MINFO: 14,
  MX: 15,
  TXT: 16,
  RP: 17,
  AFSDB: 18,
  X25: 19,
  ISDN: 20,
  RT: 21,
  NSAP: 22,
  "NSAP-PTR": 23,
  SIG: 24,
  KEY: 25,
  PX: 26,
  GPOS: 27,
  AAAA: 28,
  LOC: 29,
  NXT: 30,
  EID: 31,
  NIMLOC: 32,
  SRV: 33,
  ATMA: 34,
  NAPTR: 35,
  KX: 36,
  CERT: 37,
  A6: 38,
  DNAME: 39,
  SINK: 40,
  APL: 42,
  DS: 43,
  SSHFP: 44,
  IPSECKEY: 45,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  DHCID: 49,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SMIMEA: 53,
  HIP: 55,
  NINFO: 56,
  RKEY: 57,
  TALINK: 58,
  CDS: 59,
  CDNSKEY: 60,
  OPENPGPKEY: 61,
  CSYNC: 62,
  ZONEMD: 63,
  SVCB: 64,
  HTTPS: 65,
  DSYNC: 66,
  HHIT: 67,
  BRID: 68,
  SPF: 99,
  NID: 104,
  L32: 105,
  L64: 106,
  LP: 107,
  EUI48: 108,
  EUI64: 109,
  URI: 256,
  CAA: 257,
  AVC: 258,
  DOA: 259,
  AMTRELAY: 260,
  RESINFO: 261,
  WALLET: 262,
  TA: 32768,
  DLV: 32769,
} as const;

/** Numbers of all types that messages have, with those of queries and of messages themselves (RFC 6895 §3.1). */
export const types = { ...dataTypes, OPT: 41, TSIG: 250, IXFR: 251, AXFR: 252, ANY: 255 } as const;

const mnemonics: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(dataTypes).map(([name, number]) => [number, name]),
);

/** The types that have a number, by name. */
const knownTypes: readonly string[] = Object.keys(dataTypes);

/** Vendor-specific types without a number that occur in zone files. */
const vendorTypes = ["ALIAS", "ANAME", "LUA"];

/** One text for each, so that a zone's records share it. */
const names = new Map([...knownTypes, ...vendorTypes].map((name) => [name, name]));

/** Query and meta types (RFC 6895 §3.1), and MD and MF, which RFC 973 made obsolete. */
const metaTypes = new Set(["MD", "MF", "OPT", "TKEY", "TSIG", "IXFR", "AXFR", "MAILB", "MAILA", "ANY", "*"]);

/** Returns whether only some servers know a type, such as PowerDNS's ALIAS. */
export function isVendorType(name: string): boolean {
  return vendorTypes.includes(name);
}

/** Returns why no zone can hold a record of this type, as the end of a sentence that begins with the type, or null. */
export function unstorableReason(raw: string): string | null {
  const name = raw.toUpperCase();
  if (isVendorType(name)) return "is a vendor-specific type that standard name servers do not load";
  const number = name.startsWith("TYPE") && /^TYPE\d{1,5}$/.test(name) ? Number(name.slice(4)) : null;
  const isMeta =
    number !== null && (number === 3 || number === 4 || number === types.OPT || (number > 127 && number < 256));
  return isMeta || metaTypes.has(name) ? "cannot be stored in a zone" : null;
}

/**
 * Returns the canonical name of a type, in upper case: `mx` and `TYPE15` are `MX`, `type65280` is `TYPE65280` (RFC 3597 §5). Returns null
 * for anything else, so that typos are not accepted.
 */
export function canonicalType(raw: string): string | null {
  const name = raw.toUpperCase();
  const known = names.get(name);
  if (known !== undefined) return known;
  if (!/^TYPE\d{1,5}$/.test(name)) return null;
  const number = Number(name.slice(4));
  if (number === 0 || number > 65_535) return null;
  return mnemonics[number] ?? `TYPE${number}`;
}

/**
 * Returns whether a type is a provider's own, such as `R53_ALIAS`, which is shown but not known to name servers.
 * Mnemonics of DNS types have no underscore (RFC 6895 §3.1).
 */
export function isProviderType(name: string): boolean {
  return name.includes("_");
}

const numbers: ReadonlyMap<string, number> = new Map(Object.entries(dataTypes));

/** Returns the number of a type given by its canonical name, or null for a vendor-specific type. */
export function typeNumber(name: string): number | null {
  return numbers.get(name) ?? (/^TYPE\d+$/.test(name) ? Number(name.slice(4)) : null);
}

/** Returns the canonical name of a type number: its mnemonic, or `TYPE65280`. */
export function typeName(number: number): string {
  return mnemonics[number] ?? `TYPE${number}`;
}

type Typed = Pick<RecordData, "recordType" | "name">;

/**
 * Types that a signing server generates at any name: signatures, denial of existence, digests, and BIND's private records about signing
 * progress (`TYPE65535` for inline signing).
 */
export const managedAnywhere: readonly string[] = [
  "RRSIG",
  "NSEC",
  "NSEC3",
  "NSEC3PARAM",
  "ZONEMD",
  "TYPE65534",
  "TYPE65535",
];
/** Types that a signing server generates from its keys at the apex. Elsewhere they were added by hand, as is a DS anywhere. */
export const managedAtApex: readonly string[] = ["DNSKEY", "CDS", "CDNSKEY"];

/** Types whose records name servers make themselves. They come only from providers and zone files; they are stored, shown and exported. */
export const madeByServers: ReadonlySet<string> = new Set(["SOA", ...managedAnywhere]);

/**
 * Returns whether clients may create records of a type: one with a rule of its own, or any other that a zone can hold and that name servers
 * do not make themselves. Its value is then in its type's presentation form, or in that of RFC 3597 if its grammar is not known.
 * @param type canonical, as of `canonicalType`
 */
export function isWritableType(type: string): boolean {
  if (isEditableType(type)) return true;
  return (
    canonicalType(type) === type &&
    typeNumber(type) !== null &&
    unstorableReason(type) === null &&
    !madeByServers.has(type)
  );
}

/** The types that clients may create: those with a form or rules of their own, then all others by name. */
export const writableTypes: readonly string[] = [
  ...editableTypes,
  ...knownTypes.filter((type) => isWritableType(type) && !isEditableType(type)).toSorted(),
];

/** Returns whether a signing provider maintains this record itself. */
export function isServerManaged({ recordType, name }: Typed): boolean {
  return managedAnywhere.includes(recordType) || (name === "@" && managedAtApex.includes(recordType));
}

/** Returns whether servers generate this type from their keys, regardless of the name. */
export function isKeyType({ recordType }: Pick<Typed, "recordType">): boolean {
  return managedAtApex.includes(recordType);
}

/** Returns the records without server-maintained ones if the provider signs the zone. */
export function withoutManaged<Some extends Typed>(records: readonly Some[], signed: boolean): readonly Some[] {
  return signed ? records.filter((record) => !isServerManaged(record)) : records;
}

/** Returns the error message for writing a server-maintained record. */
export function managedReason(record: Pick<RecordData, "recordType" | "name" | "value">): string {
  return `${recordLabel(record)} is maintained by the name server that signs the zone; change its signing there instead.`;
}

/** Matches RRSIG data that covers the SOA (RFC 4034 §3.2), by name, by number or in generic form. */
export const signatureOverSoa = "^(soa|type6) |^\\\\# [0-9]+ 0006";
const overSoaPattern = new RegExp(signatureOverSoa, "i");

/** Returns whether a record is a signature over the zone's SOA, which only a signed zone has. */
export function isSignatureOverSoa({ recordType, name, value }: RecordData): boolean {
  return recordType === "RRSIG" && name === "@" && overSoaPattern.test(value);
}

/** The signing status of a zone, as read from its provider. */
export interface ZoneSigning {
  /** Whether the provider signs the zone. */
  signed: boolean;
  /** The records that the provider maintains; empty if it does not sign or does not list them. */
  managed: readonly RecordData[];
}
