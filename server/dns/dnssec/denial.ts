import { createHash } from "node:crypto";
import { readName, WireError, writeName } from "../names/wire-names.ts";
import { types } from "../zone-file/type-names.ts";
import { labelsOf, type SignedRecord, type Work } from "./signatures.ts";

/**
 * What a zone proves of a name for which it has no DS records. `insecure`: it is delegated without them; `no_cut`: it is not delegated;
 * `missing`: it does not exist; `unproven`: nothing.
 */
export type Denial = "insecure" | "no_cut" | "missing" | "unproven";

/** RFC 9276 §3.2: proofs that hash names more often are costly, and leave a zone insecure. */
const mostIterations = 100;
const optOut = 1;

/**
 * Judges the proof that a name has no DS records (RFC 4035 §5.4, RFC 5155 §8).
 * @param proof NSEC or NSEC3 records that the zone signed @throws TooMuchWork
 */
export function denialOfDs(name: string, zone: string, proof: readonly SignedRecord[], work: Work): Denial {
  const byHash = proof.flatMap((record) => (record.type === "NSEC3" ? (readNsec3(record, zone) ?? []) : []));
  if (byHash.length > 0) return denialByHash(name, zone, byHash, work);
  const byName = proof.flatMap((record) => (record.type === "NSEC" ? (readNsec(record) ?? []) : []));
  return denialByName(name, byName);
}

interface Nsec {
  owner: string;
  next: string;
  types: ReadonlySet<number>;
}

function denialByName(name: string, records: readonly Nsec[]): Denial {
  for (const { owner, next, types: present } of records) {
    if (owner === name) return denialAt(present);
    const [own, first, last] = [name, owner, next].map(labelsOf);
    if (!own || !first || !last || !isBetween(own, first, last)) continue;
    // A zone proves nothing of what it delegated (RFC 6840 §4.1).
    if (isBelowLabels(own, first) && isLeftToOthers(present)) continue;
    return isBelowLabels(last, own) ? "no_cut" : "missing";
  }
  return "unproven";
}

/** Returns what the types at a name say, in a proof of the parent zone. */
function denialAt(present: ReadonlySet<number>): Denial {
  // With an SOA record, the proof is of the lower zone.
  if (present.has(types.DS) || present.has(types.SOA)) return "unproven";
  return present.has(types.NS) ? "insecure" : "no_cut";
}

function isLeftToOthers(present: ReadonlySet<number>): boolean {
  return present.has(types.DNAME) || (present.has(types.NS) && !present.has(types.SOA));
}

/** Canonical order (RFC 4034 §6.1); the last name of a zone is followed by the first. */
function isBetween(name: readonly Buffer[], first: readonly Buffer[], last: readonly Buffer[]): boolean {
  if (compareNames(first, name) >= 0) return false;
  return compareNames(name, last) < 0 || compareNames(last, first) <= 0;
}

function compareNames(one: readonly Buffer[], other: readonly Buffer[]): number {
  for (let from = 1; from <= Math.min(one.length, other.length); from++) {
    const [left, right] = [one.at(-from), other.at(-from)];
    const order = left && right ? Buffer.compare(left, right) : 0;
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function isBelowLabels(name: readonly Buffer[], above: readonly Buffer[]): boolean {
  return name.length > above.length && above.every((label, index) => name.at(index - above.length)?.equals(label));
}

interface Nsec3 {
  /** The hash in its owner name. */
  hash: Buffer;
  optOut: boolean;
  iterations: number;
  salt: Buffer;
  next: Buffer;
  types: ReadonlySet<number>;
}

function denialByHash(name: string, zone: string, records: readonly Nsec3[], work: Work): Denial {
  const [first] = records;
  if (!first) return "unproven";
  if (first.iterations > mostIterations) return "insecure";
  const same = records.filter(({ iterations, salt }) => iterations === first.iterations && salt.equals(first.salt));
  const names = namesUpTo(name, zone);
  let nextCloser: Buffer | null = null;
  for (const [index, candidate] of names.entries()) {
    work.hashes(first.iterations + 1);
    const hash = hashOf(candidate, first);
    const match = same.find((record) => record.hash.equals(hash));
    if (match && index === 0) return denialAt(match.types);
    if (match) {
      if (isLeftToOthers(match.types)) return "unproven";
      const covered = same.find((record) => nextCloser !== null && covers(record, nextCloser));
      if (!covered) return "unproven";
      return covered.optOut ? "insecure" : "missing";
    }
    nextCloser = hash;
  }
  return "unproven";
}

/** Returns the wire forms of a name and those above it, down to the zone. */
function namesUpTo(name: string, zone: string): Buffer[] {
  const wire = writeName(name);
  const end = wire.length - writeName(zone).length;
  const names: Buffer[] = [];
  for (let at = 0; at <= end; at += 1 + (wire[at] ?? 0)) {
    names.push(wire.subarray(at));
    if (wire[at] === 0) break;
  }
  return names;
}

function hashOf(name: Buffer, { iterations, salt }: Nsec3): Buffer {
  let hash = name;
  for (let done = 0; done <= iterations; done++) hash = createHash("sha1").update(hash).update(salt).digest();
  return hash;
}

function covers({ hash: first, next }: Nsec3, hash: Buffer): boolean {
  const [afterFirst, beforeNext] = [Buffer.compare(first, hash) < 0, Buffer.compare(hash, next) < 0];
  return Buffer.compare(first, next) < 0 ? afterFirst && beforeNext : afterFirst || beforeNext;
}

function readNsec({ name, rdata }: SignedRecord): Nsec[] | null {
  try {
    const { name: next, end } = readName(rdata, 0);
    const present = readTypes(rdata.subarray(end));
    return present && [{ owner: name, next, types: present }];
  } catch (error) {
    if (error instanceof WireError) return null;
    throw error;
  }
}

const sha1 = 1;

/** RFC 5155 §3.2. Records with an unknown hash or unknown flags are ignored (§8.1, §8.2). */
function readNsec3({ name, rdata }: SignedRecord, zone: string): Nsec3[] | null {
  const [label] = labelsOf(name);
  if (!label || labelsOf(name).length !== labelsOf(zone).length + 1 || rdata.length < 6) return null;
  const saltEnd = 5 + rdata.readUInt8(4);
  const nextEnd = saltEnd + 1 + (rdata[saltEnd] ?? 0);
  const hash = base32Hex(label.toString("latin1"));
  const flags = rdata.readUInt8(1);
  if (hash === null || nextEnd > rdata.length || rdata.readUInt8(0) !== sha1 || flags > optOut) return null;
  const present = readTypes(rdata.subarray(nextEnd));
  return (
    present && [
      {
        hash,
        optOut: flags === optOut,
        iterations: rdata.readUInt16BE(2),
        salt: rdata.subarray(5, saltEnd),
        next: rdata.subarray(saltEnd + 1, nextEnd),
        types: present,
      },
    ]
  );
}

/** RFC 4648 §7, without padding; null if it is malformed. */
function base32Hex(text: string): Buffer | null {
  if (!/^[\da-v]{32}$/i.test(text)) return null;
  const bits = Array.from(text, (digit) => Number.parseInt(digit, 32).toString(2).padStart(5, "0")).join("");
  return Buffer.from(bits.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? []);
}

/** Reads a type bit map (RFC 4034 §4.1.2); null if it is malformed. */
function readTypes(map: Buffer): ReadonlySet<number> | null {
  const present = new Set<number>();
  for (let at = 0; at < map.length;) {
    const [window = 0, length = 0] = map.subarray(at, at + 2);
    const octets = map.subarray(at + 2, at + 2 + length);
    if (length === 0 || length > 32 || octets.length < length) return null;
    for (const [index, octet] of octets.entries())
      for (let bit = 0; bit < 8; bit++) if (octet & (0x80 >> bit)) present.add(window * 256 + index * 8 + bit);
    at += 2 + length;
  }
  return present;
}
