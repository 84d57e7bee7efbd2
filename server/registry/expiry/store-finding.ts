import { queries, type EntityManager } from "../../database/database.ts";
import { factChanges, factsAfter, type FactChange, type RegistrationFacts } from "./facts.ts";
import { expiringFrom } from "./status.ts";
import type { Finding } from "./registration.ts";

const hour = 3_600_000;
const day = 24 * hour;
/** Maximum jitter, which spreads the lookups of domains that were added together. */
const spreadMilliseconds = hour;
/** Delays after the first and second failed lookups; later ones wait until the next day. */
const pausesAfterFailure = [hour, 4 * hour];

/** Stored registration data of a domain, before and after a lookup. */
interface Known {
  expiresAt: Date | null;
  expirySource: string | null;
  registrar: string | null;
}

export interface StoredFinding {
  before: Known;
  after: Known;
  /** Consecutive failed automatic lookups, before and after this one. */
  failuresBefore: number;
  failures: number;
  /** The registration data that changed since the last answer. */
  changes: FactChange[];
  ownerId: string | null;
}

/**
 * Stores the result of a lookup, within a transaction: a found date and the values derived from it, or only the time of the lookup.
 * Without a found date, the stored one is unchanged.
 * @param byItself automatic lookup: skips a domain whose date was set manually in the meantime.
 * @returns null if the domain was deleted or skipped.
 */
export async function storeFinding(
  tx: EntityManager,
  domainId: string,
  finding: Finding,
  { now, byItself }: { now: Date; byItself: boolean },
): Promise<StoredFinding | null> {
  const old = await queries(tx)
    .selectFrom("domains")
    .select([
      "expires_at",
      "expiry_source",
      "registrar",
      "expiry_remind_days",
      "expiry_check_failures",
      "owner_id",
      "registration",
    ])
    .where("id", "=", domainId)
    .forUpdate()
    .executeTakeFirst();
  if (!old || (byItself && old.expiry_source === "manual")) return null;
  const before: Known = { expiresAt: old.expires_at, expirySource: old.expiry_source, registrar: old.registrar };
  const known = fromJson(old.registration);
  const answered = "registration" in finding ? finding : null;
  const facts = answered ? factsAfter(known, answered.source, answered.registration) : known;
  const changes = facts ? factChanges(known, facts) : [];
  const after: Known = {
    expiresAt: finding.kind === "found" ? finding.expiresAt : before.expiresAt,
    expirySource: finding.kind === "found" ? finding.source : before.expirySource,
    registrar: answered?.registration.registrar ?? before.registrar,
  };
  const failures = failuresAfter(finding, old.expiry_check_failures, byItself);
  const plan = byItself || finding.kind === "found" ? { expiry_next_check_at: nextCheck(finding, failures, now) } : {};
  await queries(tx)
    .updateTable("domains")
    .set({
      ...plan,
      ...(finding.kind === "found" ? datesOf(finding, old.expiry_remind_days) : {}),
      ...(changed(before, after) || changes.length > 0 ? { updated_at: now } : {}),
      registration: facts === null ? null : JSON.stringify(facts),
      registrar: after.registrar,
      expiry_checked_at: now,
      expiry_check_failures: failures,
    })
    .where("id", "=", domainId)
    .execute();
  return { before, after, failuresBefore: old.expiry_check_failures, failures, changes, ownerId: old.owner_id };
}

/**
 * Returns the time of a domain's next lookup: within a day, or when its registration ends, if that is earlier. Transient failures are
 * retried sooner; names without a registry are looked up later.
 * @param failures consecutive failed lookups. @param chance position within the jitter, from 0 up to 1
 */
export function nextCheck(finding: Finding, failures: number, now: Date, chance = Math.random()): Date {
  const usual = new Date(now.getTime() + pauseAfter(finding, failures) - chance * spreadMilliseconds);
  // Many registries auto-renew at the moment of expiry. A lookup at that time avoids a false expiry notice.
  const ends = finding.kind === "found" ? finding.expiresAt : usual;
  return ends > now && ends < usual ? ends : usual;
}

function fromJson(stored: unknown): RegistrationFacts | null {
  return (typeof stored === "string" ? JSON.parse(stored) : stored) as RegistrationFacts | null;
}

function datesOf({ expiresAt, source, registration }: Extract<Finding, { kind: "found" }>, remindDays: number[]) {
  return {
    expires_at: expiresAt,
    expiring_from: expiringFrom(expiresAt, remindDays),
    expiry_source: source,
    registry_expires_at: registration.registryExpiresAt,
    registrar_expires_at: registration.registrarExpiresAt,
  };
}

/** Returns the new failure count. Rate limits and manual lookups do not count, because they say nothing about the domain. */
function failuresAfter(finding: Finding, failures: number, byItself: boolean): number {
  if (finding.kind === "failed" || finding.kind === "unregistered") {
    const counts = byItself && !(finding.kind === "failed" && finding.limited);
    return failures + (counts ? 1 : 0);
  }
  return 0;
}

function changed(before: Known, after: Known): boolean {
  return (
    before.expiresAt?.getTime() !== after.expiresAt?.getTime() ||
    before.expirySource !== after.expirySource ||
    before.registrar !== after.registrar
  );
}

function pauseAfter(finding: Finding, failures: number): number {
  switch (finding.kind) {
    case "found":
    case "unpublished":
      return day;
    case "unknown":
      return 7 * day;
    case "failed":
    case "unregistered":
      if (finding.kind === "failed" && finding.limited) return 2 * hour;
      return (pausesAfterFailure[failures - 1] ?? day - spreadMilliseconds) + spreadMilliseconds;
    default:
      return finding satisfies never;
  }
}
