import { rcodes } from "../wire/messages.ts";
import { denialOfDs } from "./denial.ts";
import { comparableDs, readDs, readKey, standsFor, type Ds, type ZoneKey } from "./keys.ts";
import {
  isSupported,
  readSignature,
  shownZone,
  TooMuchWork,
  verifySet,
  Work,
  type Signature,
  type SignedRecord,
  type Verified,
} from "./signatures.ts";

/** An answer, with its signatures and proofs. */
export interface DnssecAnswer {
  rcode: number;
  answers: readonly SignedRecord[];
  authorities: readonly SignedRecord[];
}

/** Asks the parent zone for DS records, and the zone itself for others; null if no server answers. */
export type Fetch = (name: string, type: "DS" | "DNSKEY" | "SOA" | "NS") => Promise<DnssecAnswer | null>;

/**
 * `secure`: signatures lead from a trust anchor to the zone. `insecure`: it is proven that they need not. `bogus`: they must, but do not.
 * `unknown`: it could not be found out.
 */
export const chainResults = ["secure", "insecure", "bogus", "unknown"] as const;

export interface Chain {
  result: (typeof chainResults)[number];
  /** Why; begins with a capital and ends with a period. */
  reason: string;
  /** The last zone that was looked at. */
  zone: string;
}

/** What a zone's own signatures are worth, if its keys are trusted. */
export interface ApexSignatures {
  /** Null: no server answered, or there is no such name. */
  keys: ZoneKey[] | null;
  /** What is wrong with its signatures; null if nothing is, or there are no keys. */
  fault: string | null;
  /** When the first of the signatures over its DNSKEY, SOA and NS records begins and expires; null if one is missing. */
  beginsAt: Date | null;
  expiresAt: Date | null;
  /** Tags of the keys that signed its DNSKEY records, and of those that signed others. */
  keySigners: number[];
  signers: number[];
}

interface Look {
  fetch: Fetch;
  now: Date;
}

/**
 * Follows signatures from the trust anchors of the root to the apex of a zone (RFC 4035 §5). Pure but for `fetch`; the work that a zone can
 * ask for is limited.
 */
export async function validateZone(
  zone: string,
  { anchors, ...look }: Look & { anchors: readonly Ds[] },
): Promise<Chain> {
  const work = new Work();
  let current = ".";
  const ended = (result: Chain["result"], reason: string): Chain => ({ result, reason, zone: current });
  try {
    const root = await trustedKeys(".", anchors, look, work);
    // Whoever replaces the root's keys is not the zone's affair.
    if (!root.ok) return ended("unknown", `${root.reason} Check the trust anchor, and the resolver.`);
    let keys = root.keys;
    for (const name of namesDownTo(zone)) {
      const answer = await look.fetch(name, "DS");
      if (!answer) return ended("unknown", `The servers of ${shownZone(current)} did not answer for ${name}.`);
      const signer = { zone: current, keys, now: look.now, work };
      const found = setIn(answer.answers, name, "DS", look.now);
      if (found.set.length === 0) {
        const denial = denialIn(answer, name, signer);
        if (denial === "no_cut") continue;
        const above = subject(current);
        if (denial === "alias") return ended("unknown", `An alias answers for ${name}, so ${zone} is not delegated.`);
        if (denial === "insecure") return ended("insecure", `${above} proves that ${name} has no DS records.`);
        if (denial === "missing") return ended("unknown", `${above} proves that ${name} does not exist.`);
        return ended("bogus", `${above} does not prove that ${name} has no DS records.`);
      }
      const verified = verifySet(found.set, found.signatures, signer);
      if (!verified.ok) return ended("bogus", verified.reason);
      const all = found.set.flatMap(({ rdata }) => readDs(rdata) ?? []);
      const usable = comparableDs(all.filter(isSupported));
      if (usable.length === 0)
        return ended("insecure", `The DS records of ${name} are of algorithms that are not supported.`);
      current = name;
      const next = await trustedKeys(name, usable, look, work);
      if (!next.ok) return ended(next.answered ? "bogus" : "unknown", next.reason);
      ({ keys } = next);
    }
    if (current !== zone) return ended("unknown", `${subject(current)} proves that ${zone} is not delegated.`);
    for (const type of ["SOA", "NS"] as const) {
      const answer = await look.fetch(zone, type);
      if (!answer) return ended("unknown", `The servers of ${zone} did not answer.`);
      const { set, signatures } = setIn(answer.answers, zone, type, look.now);
      if (set.length === 0) return ended("unknown", `The servers of ${zone} have no ${type} records for it.`);
      const verified = verifySet(set, signatures, { zone, keys, now: look.now, work });
      if (!verified.ok) return ended("bogus", verified.reason);
    }
    return ended("secure", `Signatures lead from the root to ${zone}.`);
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return ended("bogus", `Validating ${shownZone(current)} takes more work than resolvers allow.`);
  }
}

/** Checks the signatures at the apex of a zone as if its keys were trusted, whatever the parent zone says. */
export async function checkApex(zone: string, look: Look): Promise<ApexSignatures> {
  const work = new Work();
  const nothing = { fault: null, beginsAt: null, expiresAt: null, keySigners: [], signers: [] };
  const answer = await look.fetch(zone, "DNSKEY");
  // Of a name that does not exist, nothing is known.
  if (!answer || answer.rcode === rcodes.NXDOMAIN) return { keys: null, ...nothing };
  const found = setIn(answer.answers, zone, "DNSKEY", look.now);
  const keys = found.set.slice(0, mostRecords).flatMap(({ rdata }) => readKey(rdata) ?? []);
  if (keys.length === 0) return { keys, ...nothing };
  const signer = { zone, keys, now: look.now, work };
  try {
    const ofKeys = verifySet(found.set, found.signatures, signer);
    const others: Verified[] = [];
    for (const type of ["SOA", "NS"] as const) {
      const own = await look.fetch(zone, type);
      if (!own) continue;
      const { set, signatures } = setIn(own.answers, zone, type, look.now);
      others.push(verifySet(set, signatures, signer));
    }
    const all = [ofKeys, ...others];
    const fault = all.find((one) => !one.ok);
    const valid = all.flatMap((one) => (one.ok ? [one] : []));
    const [first] = valid.toSorted((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
    return {
      keys,
      fault: fault && !fault.ok ? fault.reason : null,
      beginsAt: fault ? null : (first?.beginsAt ?? null),
      expiresAt: fault ? null : (first?.expiresAt ?? null),
      keySigners: ofKeys.ok ? ofKeys.tags : [],
      signers: others.flatMap((one) => (one.ok ? one.tags : [])),
    };
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return { keys, ...nothing, fault: `Validating ${zone} takes more work than resolvers allow.` };
  }
}

type Trusted = { ok: true; keys: ZoneKey[] } | { ok: false; answered: boolean; reason: string };

/** Returns the keys of a zone, if one that its DS records stand for signed them (RFC 4035 §5.2). @throws TooMuchWork */
async function trustedKeys(zone: string, ds: readonly Ds[], { fetch, now }: Look, work: Work): Promise<Trusted> {
  const shown = shownZone(zone);
  const answer = await fetch(zone, "DNSKEY");
  if (!answer) return { ok: false, answered: false, reason: `The servers of ${shown} did not answer.` };
  const { set, signatures } = setIn(answer.answers, zone, "DNSKEY", now);
  if (ds.length > mostRecords || set.length > mostRecords) throw new TooMuchWork();
  const keys = set.flatMap(({ rdata }) => readKey(rdata) ?? []);
  if (keys.length === 0)
    return {
      ok: false,
      answered: true,
      reason: `${subject(zone)} has no DNSKEY records, though DS records stand for it.`,
    };
  // A digest of an unknown type is not evidence for a key.
  const comparable = comparableDs(ds.filter(isSupported));
  const entries = keys.filter((key) => comparable.some((one) => standsFor(one, key, zone)));
  if (entries.length === 0)
    return { ok: false, answered: true, reason: `No DS record of ${shown} matches one of its DNSKEY records.` };
  const verified = verifySet(set, signatures, { zone, keys: entries, now, work });
  return verified.ok ? { ok: true, keys } : { ok: false, answered: true, reason: verified.reason };
}

const mostProofs = 10;
/** Records of one set whose digests are compared: each DS record may stand for each key. */
export const mostRecords = 40;

function denialIn(answer: DnssecAnswer, name: string, signer: Parameters<typeof verifySet>[2]) {
  const { now, zone, work } = signer;
  const alias = setIn(answer.answers, name, "CNAME", now);
  if (alias.set.length > 0) return verifySet(alias.set, alias.signatures, signer).ok ? "no_cut" : "alias";
  // Whoever follows an alias, of a wildcard or a DNAME record, finds no delegation here.
  if (answer.answers.some(({ type }) => type === "DNAME")) return "alias";
  if (answer.rcode !== rcodes.NOERROR && answer.rcode !== rcodes.NXDOMAIN) return "unproven";
  const proofs = answer.authorities.filter(({ type }) => type === "NSEC" || type === "NSEC3").slice(0, mostProofs);
  const signed = proofs.filter((proof) => {
    const { set, signatures } = setIn(answer.authorities, proof.name, proof.type, now);
    return verifySet(set, signatures, signer).ok;
  });
  return denialOfDs(name, zone, signed, work);
}

function setIn(records: readonly SignedRecord[], name: string, type: string, now: Date) {
  const own = records.filter((record) => record.name === name);
  const signatures: Signature[] = own
    .flatMap((record) => (record.type === "RRSIG" ? (readSignature(record.rdata, now) ?? []) : []))
    .filter(({ covers }) => covers === type);
  return { set: own.filter((record) => record.type === type), signatures };
}

/** Returns the names from the top-level domain down to a zone. */
function namesDownTo(zone: string): string[] {
  const labels = zone === "." ? [] : (zone.match(/(?:\\[^]|[^.\\])+/g) ?? []);
  return labels.map((_, index) => labels.slice(index).join(".")).toReversed();
}

/** Returns the name of a zone as the subject of a sentence. */
function subject(zone: string): string {
  return zone === "." ? "The root" : `The zone ${zone}`;
}
