import { createHash } from "node:crypto";
import { writeName } from "../names/wire-names.ts";

/** A DS record of the parent zone, in hexadecimal. */
export interface Ds {
  tag: number;
  algorithm: number;
  digestType: number;
  digest: string;
}

/** A DNSKEY record that may sign the zone. */
export interface ZoneKey {
  tag: number;
  algorithm: number;
  /** Whether it is a key-signing key (RFC 4034 §2.1.1). */
  entryPoint: boolean;
  /** The RDATA in hexadecimal, which digests are made of. */
  rdata: string;
}

/** Digest algorithms of DS records (IANA), as OpenSSL names them. */
const digests: Readonly<Record<number, string>> = { 1: "sha1", 2: "sha256", 4: "sha384" };
const sha1 = 1;
const zoneKey = 0x0100;
const secureEntryPoint = 0x0001;
const revoked = 0x0080;

/** The trust anchors of the root zone: the keys of 2017 and 2024 (IANA, root-anchors.xml). */
export const rootAnchors: readonly Ds[] = [
  {
    tag: 20_326,
    algorithm: 8,
    digestType: 2,
    digest: "e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d",
  },
  {
    tag: 38_696,
    algorithm: 8,
    digestType: 2,
    digest: "683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16",
  },
];

/** Reads the RDATA of a DS record (RFC 4034 §5.1); null if it is cut off. */
export function readDs(rdata: Buffer): Ds | null {
  if (rdata.length < 5) return null;
  const digest = rdata.subarray(4).toString("hex");
  return { tag: rdata.readUInt16BE(0), algorithm: rdata.readUInt8(2), digestType: rdata.readUInt8(3), digest };
}

/** Parses the data of a DS record as in a zone file (RFC 4034 §5.3); null if it is malformed. */
export function parseDs(text: string): Ds | null {
  const [, tag, algorithm, digestType, digest = ""] =
    /^\s*(\d{1,5})\s+(\d{1,3})\s+(\d{1,3})\s+([\da-f][\da-f\s]{0,300})$/i.exec(text) ?? [];
  const hex = digest.replaceAll(/\s/g, "").toLowerCase();
  const ds = { tag: Number(tag), algorithm: Number(algorithm), digestType: Number(digestType), digest: hex };
  const fits = ds.tag <= 0xffff && ds.algorithm <= 255 && ds.digestType <= 255 && hex.length % 2 === 0;
  return fits && hex !== "" ? ds : null;
}

/** Returns the data of a DS record as in a zone file (RFC 4034 §5.3). */
export function dsText({ tag, algorithm, digestType, digest }: Ds): string {
  return `${tag} ${algorithm} ${digestType} ${digest}`;
}

/** Reads the RDATA of a DNSKEY record; null if it is cut off, revoked or not a zone key. */
export function readKey(rdata: Buffer): ZoneKey | null {
  if (rdata.length < 5) return null;
  const flags = rdata.readUInt16BE(0);
  if ((flags & zoneKey) === 0 || (flags & revoked) !== 0) return null;
  return {
    tag: keyTag(rdata),
    algorithm: rdata.readUInt8(3),
    entryPoint: (flags & secureEntryPoint) !== 0,
    rdata: rdata.toString("hex"),
  };
}

/** RFC 4034 appendix B. */
function keyTag(rdata: Buffer): number {
  const sum = rdata.reduce((total, octet, index) => total + (index % 2 === 0 ? octet << 8 : octet), 0);
  return (sum + (sum >> 16)) & 0xffff;
}

/** Returns whether a DS record stands for a key of the zone. A digest of an unknown type is not compared. */
export function standsFor(ds: Ds, key: ZoneKey, zone: string): boolean {
  if (ds.tag !== key.tag || ds.algorithm !== key.algorithm) return false;
  const digest = digestOf(key, zone, ds.digestType);
  return digest === null || digest === ds.digest.toLowerCase();
}

/** Returns the DS record to publish for a key, with a SHA-256 digest (RFC 8624 §3.3). */
export function dsOf(key: ZoneKey, zone: string): Ds {
  const { tag, algorithm } = key;
  return { tag, algorithm, digestType: 2, digest: digestOf(key, zone, 2) ?? "" };
}

function digestOf(key: ZoneKey, zone: string, digestType: number): string | null {
  const algorithm = digests[digestType];
  if (algorithm === undefined) return null;
  return createHash(algorithm).update(writeName(zone)).update(Buffer.from(key.rdata, "hex")).digest("hex");
}

/** Returns whether a DS record has a digest of a known type, in full. */
export function hasWholeDigest({ digestType, digest }: Ds): boolean {
  const algorithm = digests[digestType];
  return algorithm !== undefined && digest.length === createHash(algorithm).digest("hex").length;
}

/** Returns the DS records whose digest can be compared. One of SHA-1 counts only if there is no better one (RFC 4509 §3). */
export function comparableDs(records: readonly Ds[]): Ds[] {
  const known = records.filter(({ digestType }) => digests[digestType] !== undefined);
  const better = known.filter(({ digestType }) => digestType !== sha1);
  return better.length > 0 ? better : known;
}
