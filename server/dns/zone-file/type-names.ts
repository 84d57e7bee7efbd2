/** Record types by number, from IANA's DNS parameters, without query-only and meta types. */
const mnemonics: Record<number, string> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  7: "MB",
  8: "MG",
  9: "MR",
  10: "NULL",
  11: "WKS",
  12: "PTR",
  13: "HINFO",
  14: "MINFO",
  15: "MX",
  16: "TXT",
  17: "RP",
  18: "AFSDB",
  19: "X25",
  20: "ISDN",
  21: "RT",
  22: "NSAP",
  23: "NSAP-PTR",
  24: "SIG",
  25: "KEY",
  26: "PX",
  27: "GPOS",
  28: "AAAA",
  29: "LOC",
  30: "NXT",
  31: "EID",
  32: "NIMLOC",
  33: "SRV",
  34: "ATMA",
  35: "NAPTR",
  36: "KX",
  37: "CERT",
  38: "A6",
  39: "DNAME",
  40: "SINK",
  42: "APL",
  43: "DS",
  44: "SSHFP",
  45: "IPSECKEY",
  46: "RRSIG",
  47: "NSEC",
  48: "DNSKEY",
  49: "DHCID",
  50: "NSEC3",
  51: "NSEC3PARAM",
  52: "TLSA",
  53: "SMIMEA",
  55: "HIP",
  56: "NINFO",
  57: "RKEY",
  58: "TALINK",
  59: "CDS",
  60: "CDNSKEY",
  61: "OPENPGPKEY",
  62: "CSYNC",
  63: "ZONEMD",
  64: "SVCB",
  65: "HTTPS",
  66: "DSYNC",
  67: "HHIT",
  68: "BRID",
  99: "SPF",
  104: "NID",
  105: "L32",
  106: "L64",
  107: "LP",
  108: "EUI48",
  109: "EUI64",
  256: "URI",
  257: "CAA",
  258: "AVC",
  259: "DOA",
  260: "AMTRELAY",
  261: "RESINFO",
  262: "WALLET",
  32768: "TA",
  32769: "DLV",
};

/** The types that have a number, by name. */
export const knownTypes: readonly string[] = Object.values(mnemonics);

/** Vendor-specific types without a number that occur in zone files. */
const vendorTypes = ["ALIAS", "ANAME", "LUA"];

const names = new Set([...Object.values(mnemonics), ...vendorTypes]);

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
  const number = /^TYPE\d{1,5}$/.test(name) ? Number(name.slice(4)) : null;
  const isMeta = number !== null && (number === 3 || number === 4 || number === 41 || (number > 127 && number < 256));
  return isMeta || metaTypes.has(name) ? "cannot be stored in a zone" : null;
}

/**
 * Returns the canonical name of a type, in upper case: `mx` and `TYPE15` are `MX`, `type65280` is `TYPE65280` (RFC 3597 §5). Returns null
 * for anything else, so that typos are not accepted.
 */
export function canonicalType(raw: string): string | null {
  const name = raw.toUpperCase();
  if (names.has(name)) return name;
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

const numbers = new Map(Object.entries(mnemonics).map(([number, name]) => [name, Number(number)]));

/** Returns the number of a type given by its canonical name, or null for a vendor-specific type. */
export function typeNumber(name: string): number | null {
  return numbers.get(name) ?? (/^TYPE\d+$/.test(name) ? Number(name.slice(4)) : null);
}

/** Returns the canonical name of a type number: its mnemonic, or `TYPE65280`. */
export function typeName(number: number): string {
  return mnemonics[number] ?? `TYPE${number}`;
}
