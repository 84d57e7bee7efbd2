import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { readName, WireError, writeName } from "../names/wire-names.ts";
import { typeName, types } from "../zone-file/type-names.ts";
import type { ZoneKey } from "./keys.ts";

/** A record, its names uncompressed. */
export interface SignedRecord {
  /** Canonical. */
  name: string;
  /** Mnemonic. */
  type: string;
  rdata: Buffer;
}

/** An RRSIG record (RFC 4034 §3.1). */
export interface Signature {
  covers: string;
  algorithm: number;
  labels: number;
  ttl: number;
  expiresAt: Date;
  beginsAt: Date;
  tag: number;
  signer: string;
  /** Its RDATA without the signature, in canonical form. */
  head: Buffer;
  value: Buffer;
}

interface Algorithm {
  hash: string | null;
  /** Reads a public key (RFC 3110, 6605, 8080). @throws if it is malformed */
  key: (octets: Buffer) => KeyObject;
}

/** Algorithms that are validated (RFC 8624 §3.1), by number. */
const algorithms: ReadonlyMap<number, Algorithm> = new Map([
  [5, { hash: "sha1", key: rsaKey }],
  [7, { hash: "sha1", key: rsaKey }],
  [8, { hash: "sha256", key: rsaKey }],
  [10, { hash: "sha512", key: rsaKey }],
  [13, { hash: "sha256", key: curveKey("P-256", 32) }],
  [14, { hash: "sha384", key: curveKey("P-384", 48) }],
  [15, { hash: null, key: edwardsKey("Ed25519") }],
  [16, { hash: null, key: edwardsKey("Ed448") }],
]);

export function isSupported({ algorithm }: { algorithm: number }): boolean {
  return algorithms.has(algorithm);
}

/** Limits of RSA keys: larger ones take long to verify. */
const longestModulus = 512;
const longestExponent = 8;

function rsaKey(octets: Buffer): KeyObject {
  const short = octets.readUInt8(0);
  const [length, start] = short === 0 ? [octets.readUInt16BE(1), 3] : [short, 1];
  const [e, n] = [octets.subarray(start, start + length), octets.subarray(start + length)];
  if (length > longestExponent || n.length > longestModulus) throw new RangeError("The RSA key is too large.");
  return createPublicKey({
    format: "jwk",
    key: { kty: "RSA", n: n.toString("base64url"), e: e.toString("base64url") },
  });
}

function curveKey(crv: string, size: number) {
  return (octets: Buffer) => {
    const [x, y] = [octets.subarray(0, size).toString("base64url"), octets.subarray(size).toString("base64url")];
    return createPublicKey({ format: "jwk", key: { kty: "EC", crv, x, y } });
  };
}

function edwardsKey(crv: string) {
  return (octets: Buffer) =>
    createPublicKey({ format: "jwk", key: { kty: "OKP", crv, x: octets.toString("base64url") } });
}

const signatureStart = 18;

/** Reads the RDATA of an RRSIG record; null if it is malformed. Its times are the nearest to now (RFC 4034 §3.1.5). */
export function readSignature(rdata: Buffer, now: Date): Signature | null {
  if (rdata.length <= signatureStart) return null;
  const seconds = Math.floor(now.getTime() / 1_000);
  const time = (offset: number) => new Date((seconds + ((rdata.readUInt32BE(offset) - seconds) | 0)) * 1_000);
  try {
    const { name, end } = readName(rdata, signatureStart);
    return {
      covers: typeName(rdata.readUInt16BE(0)),
      algorithm: rdata.readUInt8(2),
      labels: rdata.readUInt8(3),
      ttl: rdata.readUInt32BE(4),
      expiresAt: time(8),
      beginsAt: time(12),
      tag: rdata.readUInt16BE(16),
      signer: name,
      head: Buffer.concat([rdata.subarray(0, signatureStart), writeName(name)]),
      value: rdata.subarray(end),
    };
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}

/** Returns the labels of a canonical name, from left to right, without the root. */
export function labelsOf(name: string): Buffer[] {
  const wire = writeName(name);
  const labels: Buffer[] = [];
  for (let at = 0; (wire[at] ?? 0) > 0; at += 1 + (wire[at] ?? 0))
    labels.push(wire.subarray(at + 1, at + 1 + (wire[at] ?? 0)));
  return labels;
}

/** What of the work that a zone asks for is left. Zones can be made so that validating them takes for ever (CVE-2023-50387, CVE-2023-50868). */
export class Work {
  #verifications = 100;
  #hashes = 30_000;

  /** @throws TooMuchWork */
  verification(): void {
    if (this.#verifications-- <= 0) throw new TooMuchWork();
  }

  /** @throws TooMuchWork */
  hashes(count: number): void {
    this.#hashes -= count;
    if (this.#hashes < 0) throw new TooMuchWork();
  }
}

export class TooMuchWork extends Error {}

/** Keys with one tag, and signatures of one RRset, that are tried. */
const mostKeys = 4;
const mostSignatures = 8;

/** The times are those of the signature that lasts longest; the tags, those of the keys whose signatures are valid. */
export type Verified = { ok: true; beginsAt: Date; expiresAt: Date; tags: number[] } | { ok: false; reason: string };

interface Verification {
  /** The zone that must have signed. */
  zone: string;
  keys: readonly ZoneKey[];
  now: Date;
  work: Work;
}

/**
 * Verifies that keys of a zone signed an RRset (RFC 4035 §5.3). Wildcard expansions do not count: none of the RRsets that delegations
 * are made of may be one. @param signatures those of its name and type
 * @throws TooMuchWork
 */
export function verifySet(
  set: readonly SignedRecord[],
  signatures: readonly Signature[],
  { zone, keys, now, work }: Verification,
): Verified {
  const [first] = set;
  const what = first ? `The ${first.type} records of ${shownZone(first.name)}` : "There are no records that";
  if (!first || signatures.length === 0) return { ok: false, reason: `${what} have no signature.` };
  const labels = labelsOf(first.name);
  const count = labels[0]?.equals(Buffer.from("*")) ? labels.length - 1 : labels.length;
  const valid: Signature[] = [];
  let reason = `${what} have no signature by a key of ${shownZone(zone)} that leads to its DS records.`;
  // Signatures of other keys do not use up the limit.
  const own = signatures.filter(
    (one) =>
      one.signer === zone &&
      one.labels === count &&
      keys.some(({ tag, algorithm }) => tag === one.tag && algorithm === one.algorithm),
  );
  const current = own.filter((one) => timeFault(one, now) === null);
  for (const signature of (current.length > 0 ? current : own).slice(0, mostSignatures)) {
    const fitting = keys.filter(({ tag, algorithm }) => tag === signature.tag && algorithm === signature.algorithm);
    const time = timeFault(signature, now);
    if (time !== null) {
      reason = `${what} have a signature that ${time}.`;
      continue;
    }
    if (fitting.slice(0, mostKeys).some((key) => isSignedBy(set, signature, key, work))) {
      valid.push(signature);
    } else {
      reason = `${what} have a signature that does not match them.`;
    }
  }
  const [longest] = valid.toSorted((one, other) => other.expiresAt.getTime() - one.expiresAt.getTime());
  if (!longest) return { ok: false, reason };
  const { beginsAt, expiresAt } = longest;
  return { ok: true, beginsAt, expiresAt, tags: valid.map(({ tag }) => tag) };
}

export function shownZone(name: string): string {
  return name === "." ? "the root" : name;
}

function timeFault({ beginsAt, expiresAt }: Signature, now: Date): string | null {
  if (expiresAt < now) return `expired on ${shownTime(expiresAt)}`;
  return beginsAt > now ? `is not valid before ${shownTime(beginsAt)}` : null;
}

function shownTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " at ")} UTC`;
}

function isSignedBy(set: readonly SignedRecord[], signature: Signature, key: ZoneKey, work: Work): boolean {
  const algorithm = algorithms.get(signature.algorithm);
  if (!algorithm) return false;
  work.verification();
  const rdata = Buffer.from(key.rdata, "hex");
  const dnssecProtocol = 3;
  if (rdata[2] !== dnssecProtocol) return false;
  try {
    const publicKey = algorithm.key(rdata.subarray(4));
    return verify(
      algorithm.hash,
      signedOctets(set, signature),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      signature.value,
    );
  } catch {
    // A malformed key or signature.
    return false;
  }
}

/** RFC 4034 §3.1.8.1. */
function signedOctets(set: readonly SignedRecord[], { head, ttl, covers }: Signature): Buffer {
  const owner = writeName(set[0]?.name ?? ".");
  const values = set.map((record) => canonicalRdata(record)).toSorted((one, other) => Buffer.compare(one, other));
  const distinct = values.filter((value, index) => index === 0 || !value.equals(values[index - 1] ?? value));
  const fixed = Buffer.alloc(8);
  fixed.writeUInt16BE(types[covers as keyof typeof types], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  return Buffer.concat([
    head,
    ...distinct.flatMap((value) => [owner, fixed, Buffer.of(value.length >> 8, value.length & 255), value]),
  ]);
}

const soaNumbers = 20;

/** Folds the names in RDATA (RFC 4034 §6.2), of the types that delegations are made of. */
function canonicalRdata({ type, rdata }: SignedRecord): Buffer {
  const folded = { NS: rdata.length, CNAME: rdata.length, SOA: rdata.length - soaNumbers }[type] ?? 0;
  return folded === 0
    ? rdata
    : Buffer.from(rdata.map((octet, index) => (index < folded && octet >= 65 && octet <= 90 ? octet + 32 : octet)));
}
