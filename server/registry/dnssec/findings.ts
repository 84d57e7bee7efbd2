import { dsOf, dsText, readKey, standsFor, type Ds, type ZoneKey } from "../../dns/dnssec/keys.ts";
import { shownZone } from "../../dns/dnssec/signatures.ts";
import type { DnssecSeen } from "./observe.ts";

export const dnssecCodes = [
  "ds_mismatch",
  "broken",
  "signatures_invalid",
  "signatures_expiring",
  "ds_missing",
  "ds_extra",
  "cds_differs",
] as const;

/** Those that harm a domain or soon will, and that the findings of its delegation do not have. */
export const harmfulDnssecCodes = ["ds_mismatch", "broken", "signatures_invalid", "signatures_expiring"] as const;

export interface DnssecFinding {
  code: (typeof dnssecCodes)[number];
  severity: "error" | "warning" | "info";
  /** What is wrong and what to do. */
  message: string;
}

export const dnssecStates = ["unsigned", "signed", "pending", "broken"] as const;

const hour = 3_600_000;
/** Signers renew signatures before this share of their lifetime is left: Knot at a tenth, BIND at a quarter, PowerDNS at a third. */
const lastShare = 1 / 12;

/** Judges what was seen, worst first. Pure: no time, no network. */
export function judgeDnssec(seen: DnssecSeen, now: Date): DnssecFinding[] {
  const findings = [...dsFindings(seen), ...signatureFindings(seen, now), ...cdsFindings(seen)];
  const order = ["error", "warning", "info"];
  return findings.toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
}

/** `pending`: it is signed, and the parent zone has no DS records yet. Null: not known. */
export function stateOf(seen: DnssecSeen, findings: readonly DnssecFinding[]): (typeof dnssecStates)[number] | null {
  const { keys } = seen.apex;
  if (findings.some(({ severity }) => severity === "error")) return "broken";
  if (keys === null || seen.parentDs === null) return null;
  if (keys.length === 0) return "unsigned";
  return seen.parentDs.length === 0 ? "pending" : "signed";
}

/**
 * Returns the keys that the parent zone should vouch for: the key-signing keys, or all if there are none. Those that sign the keys, if no
 * key-signing key does: a DS record of another key leads nowhere.
 */
function entryPoints(keys: readonly ZoneKey[], keySigners: readonly number[]): readonly ZoneKey[] {
  const marked = keys.filter(({ entryPoint }) => entryPoint);
  const chosen = marked.length > 0 ? marked : keys;
  const signing = keys.filter(({ tag }) => keySigners.includes(tag));
  return signing.length === 0 || chosen.some((key) => signing.includes(key)) ? chosen : signing;
}

/** Returns the DS records to publish for a zone, in canonical order. @param keySigners tags of the keys that sign the keys, if that is known */
export function dsToPublish(zone: string, keys: readonly ZoneKey[], keySigners: readonly number[] = []): Ds[] {
  return entryPoints(keys, keySigners)
    .map((key) => dsOf(key, zone))
    .toSorted((one, other) => (dsText(one) < dsText(other) ? -1 : 1));
}

function dsFindings({ zone, apex, parentDs, chain }: DnssecSeen): DnssecFinding[] {
  const { keys } = apex;
  if (keys === null || parentDs === null) return broken(chain, zone);
  const publish = dsToPublish(zone, keys, apex.keySigners).map(dsText).join(", ");
  if (parentDs.length === 0) {
    if (keys.length === 0 || apex.fault !== null) return broken(chain, zone);
    const message = `${zone} is signed, but the parent zone has no DS record for it, so no resolver validates it. Enter this DS record at the registrar: ${publish}.`;
    return [{ code: "ds_missing", severity: "warning", message }, ...broken(chain, zone)];
  }
  const stale = parentDs.filter((ds) => !keys.some((key) => standsFor(ds, key, zone)));
  // Nobody validates an insecure zone, and a fault above says nothing of this one.
  if (stale.length > 0 && isFaultAbove(chain, zone)) return broken(chain, zone);
  if (stale.length === parentDs.length && chain.result !== "insecure") {
    const seenHere =
      keys.length === 0
        ? `The parent zone has a DS record for ${zone}, but the zone is not signed.`
        : `No DS record in the parent zone matches a key of ${zone}.`;
    // Nothing shows that anybody validates it, or that others see the same zone.
    if (chain.result === "unknown") {
      const message = `${seenHere} Whether resolvers refuse the zone is not known: ${chain.reason} Compare the DS records with the zone as the public sees it before you change anything.`;
      return [{ code: "ds_mismatch", severity: "warning", message }];
    }
    const remedy =
      keys.length === 0
        ? "Sign the zone with its key again, or remove the DS record at the registrar. If other servers have a signed zone of this name (split horizon), look at that one first."
        : `Replace the DS records at the registrar with: ${publish}.`;
    return [
      {
        code: "ds_mismatch",
        severity: "error",
        message: `${seenHere} Validating resolvers refuse all its names. ${remedy}`,
      },
    ];
  }
  const findings = broken(chain, zone);
  if (stale.length === 0) return findings;
  const message = `The parent zone has a DS record for a key that ${zone} does not have: ${stale.map(dsText).join(", ")}. Remove it at the registrar, unless it is of a key that will be used soon.`;
  return [...findings, { code: "ds_extra", severity: "info", message }];
}

/** Whether the chain is broken in a zone above, where this zone can change nothing. */
function isFaultAbove(chain: DnssecSeen["chain"], zone: string): boolean {
  return chain.result === "bogus" && chain.zone !== zone;
}

function broken(chain: DnssecSeen["chain"], zone: string): DnssecFinding[] {
  const { result, reason } = chain;
  if (result !== "bogus") return [];
  if (isFaultAbove(chain, zone)) {
    const message = `${reason} The fault is in ${shownZone(chain.zone)}, so there is nothing to change in ${zone}.`;
    return [{ code: "broken", severity: "warning", message }];
  }
  const message = `Validating resolvers refuse all names of ${zone}. ${reason} Re-sign the zone, or remove its DS records at the registrar until it is.`;
  return [{ code: "broken", severity: "error", message }];
}

function signatureFindings({ zone, apex, parentDs, chain }: DnssecSeen, now: Date): DnssecFinding[] {
  const { fault, expiresAt, beginsAt } = apex;
  if (fault !== null) {
    const hasDs = (parentDs?.length ?? 0) > 0;
    // The chain says the same, and worse; or it is proven that nobody validates.
    if (chain.result === "bogus" || (hasDs && chain.result !== "unknown")) return [];
    if (hasDs) {
      const message = `${fault} Whether resolvers refuse ${zone} is not known: ${chain.reason} Re-sign the zone.`;
      return [{ code: "signatures_invalid", severity: "warning", message }];
    }
    const message = `${fault} Resolvers do not check them yet, because the parent zone has no DS record for ${zone}. Re-sign the zone before you publish one.`;
    return [{ code: "signatures_invalid", severity: "warning", message }];
  }
  if (expiresAt === null || beginsAt === null) return [];
  const left = expiresAt.getTime() - now.getTime();
  if (left > (expiresAt.getTime() - beginsAt.getTime()) * lastShare) return [];
  const hours = Math.max(1, Math.floor(left / hour));
  const message = `Signatures of ${zone} expire in ${hours === 1 ? "an hour" : `${hours} hours`}, and should have been renewed by now. Check the server that signs the zone, and that its secondaries get the new signatures.`;
  return [{ code: "signatures_expiring", severity: "warning", message }];
}

function differs(message: string): DnssecFinding[] {
  return [{ code: "cds_differs", severity: "info", message }];
}

/** Compares what the zone asks for by CDS and CDNSKEY records with what the parent zone has (RFC 7344 §4.1). */
function cdsFindings({ zone, apex, parentDs, cds, cdnskeys }: DnssecSeen): DnssecFinding[] {
  if (!cds || !cdnskeys || parentDs === null || (cds.length === 0 && cdnskeys.length === 0)) return [];
  // RFC 8078 §4: both with algorithm 0 ask to remove the DS records.
  if (cds.some(({ algorithm }) => algorithm === 0) || cdnskeys.some((rdata) => rdata[3] === 0))
    return parentDs.length === 0
      ? []
      : differs(
          `${zone} asks the parent zone, by CDS records, to remove its DS records. If the registry does not do that, remove them at the registrar before the keys go.`,
        );
  const asked = cdnskeys.flatMap((rdata) => readKey(rdata) ?? []);
  const fits = (ds: Ds) =>
    cds.length > 0 ? cds.some((one) => dsText(one) === dsText(ds)) : asked.some((key) => standsFor(ds, key, zone));
  const wanted = cds.length > 0 ? cds : asked.map((key) => dsOf(key, zone));
  const isSame =
    parentDs.every(fits) &&
    wanted.every((ds) => parentDs.some((one) => one.tag === ds.tag && one.algorithm === ds.algorithm));
  if (isSame || (apex.keys ?? []).length === 0) return [];
  return differs(
    `${zone} asks the parent zone, by CDS records, for DS records that it does not have: ${wanted.map(dsText).join(", ")}. If the registry does not read CDS records, enter them at the registrar.`,
  );
}
