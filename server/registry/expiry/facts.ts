import type { ExpirySource, Registration } from "./registration.ts";

/** What a registry said about a name, besides its dates, as stored with a domain. */
export interface RegistrationFacts {
  /** The protocol of the answer. The wording of statuses and registrars depends on it. */
  source: ExpirySource;
  registrar: string | null;
  /** In the server's wording; null: not reported. */
  statuses: string[] | null;
  /** Host names in lower-case A-labels, sorted; null: not reported. */
  nameServers: string[] | null;
  /** DS records in the form of zone files, sorted; empty: the name is not signed; null: not reported. */
  ds: string[] | null;
}

const factNames = ["registrar", "statuses", "nameServers", "ds"] as const;
export type FactName = (typeof factNames)[number];

/** A fact that changed. A registrar is a list of one. */
export interface FactChange {
  fact: FactName;
  before: string[];
  after: string[];
}

/**
 * Returns the facts to store after an answer. What it does not report stays: servers leave fields out at times, and a registrar's server
 * that fails takes its fields with it.
 */
export function factsAfter(
  known: RegistrationFacts | null,
  source: ExpirySource,
  { registrar, statuses, nameServers, ds }: Registration,
): RegistrationFacts {
  return {
    source,
    registrar: registrar ?? known?.registrar ?? null,
    statuses: statuses.length > 0 ? statuses : (known?.statuses ?? null),
    nameServers: nameServers ?? known?.nameServers ?? null,
    ds: ds ?? known?.ds ?? null,
  };
}

/**
 * Returns what changed between two answers. Facts that were unknown before are no change. RDAP and WHOIS write statuses and registrars
 * differently, so these are compared only between answers of one protocol.
 */
export function factChanges(before: RegistrationFacts | null, after: RegistrationFacts): FactChange[] {
  if (!before) return [];
  return factNames.flatMap((fact) => {
    const [old, current] = [listOf(before[fact]), listOf(after[fact])];
    if (!old || !current) return [];
    if ((fact === "statuses" || fact === "registrar") && before.source !== after.source) return [];
    return sameSet(comparable(fact, old), comparable(fact, current)) ? [] : [{ fact, before: old, after: current }];
  });
}

function listOf(value: string | readonly string[] | null): string[] | null {
  if (value === null) return null;
  return typeof value === "string" ? [value] : [...value];
}

/** Grace periods after a registration or renewal (RFC 3915 §3.1), which come and go by themselves. */
const gracePeriods = new Set(["addperiod", "autorenewperiod", "renewperiod"]);

function comparable(fact: FactName, values: readonly string[]): ReadonlySet<string> {
  if (fact !== "statuses") return new Set(values);
  return new Set(values.map(plainStatus).filter((status) => !gracePeriods.has(status)));
}

/** RDAP's `client hold` is EPP's `clientHold`, and `active` is `ok` (RFC 8056 §2). */
function plainStatus(status: string): string {
  const plain = status.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  return plain === "active" ? "ok" : plain;
}

function sameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}
