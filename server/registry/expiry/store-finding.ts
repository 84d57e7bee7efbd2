import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import { failure, type DateSource, type Finding, type ExpirySource, type Registration } from "./registration.ts";
import {
  afterReading,
  isOutdated,
  noteDifferences,
  storedReading,
  watchedFields,
  watchedIn,
  type RegistrarReading,
  type StoredReading,
} from "../registrars/stored-reading.ts";

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
  /** What the registrar said, if it was stored, with what was stored before. */
  registrar: { known: StoredReading | null; reading: RegistrarReading } | null;
  /** The date that the lookup found; null if none. */
  date: FoundDate | null;
}

interface FoundDate {
  expiresAt: Date;
  source: DateSource;
}

/**
 * Returns the date that a lookup found. The registrar's own account is the exact source: a registry's date may be that of its automatic
 * renewal, and what it publishes may be outdated. While the account cannot be read, its last date counts if it is earlier than the
 * registry's: an early reminder only costs a look, and a late one can cost the name.
 * @param lastSaid the account's last date
 */
function foundDate(finding: Finding, reading: RegistrarReading | null, lastSaid: Date | null): FoundDate | null {
  const expiresAt = reading?.state?.expiresAt ?? null;
  if (expiresAt) return { expiresAt, source: "registrar" };
  if (finding.kind !== "found") return null;
  if (lastSaid && lastSaid < finding.expiresAt) return { expiresAt: lastSaid, source: "registrar" };
  return { expiresAt: finding.expiresAt, source: finding.source };
}

/** How long after it passed a date still counts that an unreadable account had: the longest time that registries leave for a renewal. */
const graceMilliseconds = 45 * day;

/** Returns the date that an account had before it could no longer be read; null if it can be read, or if the date is long past. */
function lastDate(heard: StoredReading | null, reading: RegistrarReading | null, now: Date): Date | null {
  const date = reading?.error ? (heard?.state?.expiresAt ?? null) : null;
  return date && now.getTime() - date.getTime() <= graceMilliseconds ? date : null;
}

/** Returns why a lookup failed as a whole; null if it did not. A registrar that does not answer is a failure, even if the registry does. */
export function lookupFailure(finding: Finding, reading: RegistrarReading | null): string | null {
  if (reading?.error) return reading.error;
  if (reading?.state?.expiresAt) return null;
  return "message" in finding ? finding.message : null;
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
  { now, byItself, reading: given = null }: { now: Date; byItself: boolean; reading?: RegistrarReading | null },
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
      "registrar_config_id",
      "registrar_state",
    ])
    .where("id", "=", domainId)
    .forUpdate()
    .executeTakeFirst();
  if (!old || (byItself && old.expiry_source === "manual")) return null;
  const before: Known = { expiresAt: old.expires_at, expirySource: old.expiry_source, registrar: old.registrar };
  const known = fromJson(old.registration) as RegistrationFacts | null;
  const answered = "registration" in finding ? finding : null;
  const facts = answered ? factsAfter(known, answered.source, answered.registration) : known;
  const heard = storedReading(old.registrar_state, old.registrar_config_id);
  // The domain may name another registrar since it was asked.
  const asked = given?.configId === old.registrar_config_id ? given : null;
  const isLate = asked !== null && isOutdated(heard, asked);
  const reading = isLate ? readingAgain(heard) : asked;
  const changes = [...(facts ? factChanges(known, facts) : []), ...(isLate ? [] : switchChanges(heard, reading))];
  const lastSaid = lastDate(heard, reading, now);
  const date = foundDate(finding, reading, lastSaid);
  const after: Known = {
    expiresAt: date?.expiresAt ?? before.expiresAt,
    expirySource: date?.source ?? before.expirySource,
    registrar: answered?.registration.registrar ?? before.registrar,
  };
  const outcome = outcomeOf(finding, reading, date);
  const failures = failuresAfter(outcome, old.expiry_check_failures, byItself);
  const plan = byItself || outcome.kind === "found" ? { expiry_next_check_at: nextCheck(outcome, failures, now) } : {};
  await queries(tx)
    .updateTable("domains")
    .set({
      ...plan,
      ...(date
        ? { expires_at: date.expiresAt, expiring_from: expiringFrom(date.expiresAt, old.expiry_remind_days) }
        : {}),
      ...(date ? { expiry_source: date.source } : {}),
      ...ofBothDates(finding, reading, lastSaid),
      ...(reading &&
        !isLate && {
          registrar_state: JSON.stringify(afterReading(heard, reading, now, reading.state ?? {})),
        }),
      ...(changed(before, after) || changes.length > 0 ? { updated_at: now } : {}),
      registration: facts === null ? null : JSON.stringify(facts),
      registrar: after.registrar,
      expiry_checked_at: now,
      expiry_check_failures: failures,
    })
    .where("id", "=", domainId)
    .execute();
  if (reading?.state) await noteDifferences(tx, domainId);
  const registrar = reading && !isLate ? { known: heard, reading } : null;
  const failuresBefore = old.expiry_check_failures;
  return { before, after, failuresBefore, failures, changes, ownerId: old.owner_id, registrar, date };
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

/** Returns what registry and registrar say, which reminders name if they differ. What neither says now stays. */
function ofBothDates(finding: Finding, reading: RegistrarReading | null, lastSaid: Date | null) {
  const registrar = reading?.state?.expiresAt ?? lastSaid;
  const found = finding.kind === "found" ? finding.registration : null;
  return {
    ...(found ? { registry_expires_at: found.registryExpiresAt } : {}),
    ...(found || registrar ? { registrar_expires_at: registrar ?? found?.registrarExpiresAt ?? null } : {}),
  };
}

/** Returns the outcome that decides when to look again. */
function outcomeOf(finding: Finding, reading: RegistrarReading | null, date: FoundDate | null): Finding {
  if (reading?.error) return failure(reading.error);
  if (!date || date.source !== "registrar") return finding;
  const said = { registrar: null, statuses: [], nameServers: null, ds: null };
  const dates = { registryExpiresAt: null, registrarExpiresAt: date.expiresAt };
  return { kind: "found", source: "rdap", expiresAt: date.expiresAt, registration: { ...said, ...dates } };
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

/** Returns when a domain starts to count as expiring: its earliest reminder. */
export function expiringFrom(expiresAt: Date | null, remindDays: readonly number[]): Date | null {
  return expiresAt && new Date(expiresAt.getTime() - Math.max(0, ...remindDays) * day);
}

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
export type FactName = (typeof factNames)[number] | (typeof watchedFields)[number];

/** A fact that changed. A registrar is a list of one, and so is a switch at the registrar: `on` or `off`. */
export interface FactChange {
  fact: FactName;
  before: string[];
  after: string[];
}

/**
 * Returns the facts to store after an answer. What it does not report stays: servers leave fields out at times, and a registrar's server
 * that fails takes its fields with it.
 */
function factsAfter(
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
function factChanges(before: RegistrationFacts | null, after: RegistrationFacts): FactChange[] {
  if (!before) return [];
  return factNames.flatMap((fact) => {
    const [old, current] = [listOf(before[fact]), listOf(after[fact])];
    if (!old || !current) return [];
    if ((fact === "statuses" || fact === "registrar") && before.source !== after.source) return [];
    return sameSet(comparable(fact, old), comparable(fact, current)) ? [] : [{ fact, before: old, after: current }];
  });
}

/** Returns what a registrar said last as a reading, for one that came too late. */
function readingAgain(heard: StoredReading | null): RegistrarReading | null {
  if (!heard) return null;
  const { configId, version = 0, state, error } = heard;
  if (state && error === null) return { configId, version, state, error };
  return { configId, version, state: null, error: error ?? "" };
}

/** Returns which switches the registrar says to be other than it last said. One that was unknown before is no change. */
function switchChanges(known: StoredReading | null, reading: RegistrarReading | null): FactChange[] {
  const before = watchedIn(known);
  const after = reading?.state ?? null;
  return watchedFields.flatMap((fact) => {
    const [old, current] = [before?.[fact] ?? null, after?.[fact] ?? null];
    if (old === null || current === null || old === current || known?.sending?.includes(fact)) return [];
    return [{ fact, before: [old ? "on" : "off"], after: [current ? "on" : "off"] }];
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
