import { specialUseAbove } from "../../dns/names/special-use.ts";
import {
  earliestExpiry,
  type Failure,
  type ExpirySource,
  type Finding,
  type Registration,
  isReverse,
  registrableOf,
} from "./registration.ts";
import type { RdapBootstrap } from "./rdap/bootstrap.ts";
import type { RdapClient } from "./rdap/client.ts";
import type { Patience } from "./server-pace.ts";
import type { WhoisClient } from "./whois/client.ts";

type WhoisSaid = Awaited<ReturnType<WhoisClient["ask"]>>;

interface Parts {
  bootstrap: RdapBootstrap;
  rdap: RdapClient;
  whois: WhoisClient;
  /** Whether the registries are those of the public DNS, which have no special-use names (RFC 6761). */
  isPublic: boolean;
}

/** Looks up when a registration expires: over RDAP, or over WHOIS if RDAP has no server, date or answer. */
export class ExpiryLookup {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param zone lower-case A-labels. @throws the signal's reason */
  async find(zone: string, patience: Patience): Promise<Finding> {
    const registrable = registrableOf(zone);
    if (!registrable) {
      const message = isReverse(zone)
        ? `${zone} is a reverse zone, which has no registration.`
        : `${zone} is a public suffix. Only names below it are registered.`;
      return { kind: "unknown", message };
    }
    const { name, suffixes } = registrable;
    const special = this.#parts.isPublic ? specialUseAbove(name) : null;
    if (special !== null) {
      return { kind: "unknown", message: `${special} is reserved (RFC 6761), so no registry has ${name}.` };
    }
    const bases = await this.#parts.bootstrap.serversFor(suffixes);
    const rdap = bases.length === 0 ? null : await this.#parts.rdap.ask(bases, name, patience);
    if (rdap?.kind === "unregistered") return unregistered(name);
    if (rdap?.kind === "failed" && rdap.limited) return rdap;
    const expiresAt = rdap?.kind === "registered" ? earliestExpiry(rdap.registration) : null;
    if (rdap?.kind === "registered" && expiresAt) return { ...rdap, kind: "found", source: "rdap", expiresAt };
    const whois = await this.#parts.whois.ask(registrable, patience);
    return rdap?.kind === "registered" ? datedBy(whois, rdap.registration, name) : saidBy(whois, rdap, name);
  }
}

/** Returns the finding from WHOIS if RDAP has the name but no date. */
function datedBy(whois: WhoisSaid, rdap: Registration, name: string): Finding {
  if (whois.kind === "failed" && whois.limited) return whois;
  const expiresAt = whois.kind === "registered" ? earliestExpiry(whois.registration) : null;
  if (whois.kind !== "registered" || !expiresAt) return unpublished(name, "rdap", rdap);
  const { registryExpiresAt, registrarExpiresAt } = whois.registration;
  const registrar = rdap.registrar ?? whois.registration.registrar;
  const registration = { ...rdap, registryExpiresAt, registrarExpiresAt, registrar };
  return { kind: "found", source: "whois", expiresAt, registration };
}

/** Returns the finding from WHOIS alone. `rdap` is null if the registry has no RDAP server. */
function saidBy(whois: WhoisSaid, rdap: Failure | null, name: string): Finding {
  switch (whois.kind) {
    case "registered": {
      const { registration } = whois;
      const expiresAt = earliestExpiry(registration);
      if (!expiresAt) return unpublished(name, "whois", registration);
      return { kind: "found", source: "whois", expiresAt, registration };
    }
    case "unregistered":
      return unregistered(name);
    case "failed":
      return rdap ? { ...whois, message: `${rdap.message} ${whois.message}` } : whois;
    default:
      return rdap ?? { kind: "unknown", message: `No registry is known for ${name}.` };
  }
}

function unregistered(name: string): Finding {
  return { kind: "unregistered", message: `${name} is not registered, or no longer.` };
}

function unpublished(name: string, source: ExpirySource, registration: Registration): Finding {
  const message = `The registry of ${name} publishes no expiry date. Set it manually.`;
  return { kind: "unpublished", source, registration, message };
}
