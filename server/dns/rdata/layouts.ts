import { ipv4, ipv6, name, addressSuffix, prefixes } from "./addresses.ts";
import { parameters } from "./bindings.ts";
import { atmAddress, base64, dashedBase64, hardwareAddress, hash, hex, locator, nsap, salt } from "./blobs.ts";
import type { RdataPart } from "./field.ts";
import { location } from "./location.ts";
import { algorithms, certificates, digests, moment, number, synchronisations } from "./numbers.ts";
import { amtRelay, hostIdentity, ipsecGateway, services, coveredType, oldTypeSet, typeSet } from "./relays.ts";
import { optionalString, psdnFault, string, strings, substitutionFault, tag, text } from "./texts.ts";

/** The format of a type's data. */
export interface Layout {
  parts: readonly RdataPart[];
  /** Checks across parts; the message ends a sentence. */
  fault?: (rdata: Buffer) => string | null;
}

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
