import { createHash } from "node:crypto";
import { writeName } from "../../dns/names/wire-names.ts";
import type { Ds, KeySeen } from "./observation.ts";

/** Digest algorithms of DS records (IANA), as OpenSSL names them. */
const digests: Readonly<Record<number, string>> = { 1: "sha1", 2: "sha256", 4: "sha384" };
const zoneKey = 0x0100;
const secureEntryPoint = 0x0001;
const revoked = 0x0080;

/** Reads the RDATA of a DS record (RFC 4034 §5.1); null if it is cut off. */
export function readDs(rdata: Buffer): Ds | null {
  if (rdata.length < 5) return null;
  const digest = rdata.subarray(4).toString("hex");
  return { tag: rdata.readUInt16BE(0), algorithm: rdata.readUInt8(2), digestType: rdata.readUInt8(3), digest };
}

/** Reads the RDATA of a DNSKEY record; null if it is cut off, revoked or not a zone key. */
export function readKey(rdata: Buffer): KeySeen | null {
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
export function standsFor(ds: Ds, key: KeySeen, zone: string): boolean {
  if (ds.tag !== key.tag || ds.algorithm !== key.algorithm) return false;
  const algorithm = digests[ds.digestType];
  if (algorithm === undefined) return true;
  const hash = createHash(algorithm).update(writeName(zone)).update(Buffer.from(key.rdata, "hex"));
  return hash.digest("hex") === ds.digest.toLowerCase();
}
