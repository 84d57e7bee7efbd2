import { sql } from "kysely";
import { jsonRows, queries, type Database, type EntityManager } from "../../database/database.ts";
import { absoluteName } from "../../dns/names/names.ts";
import type { Notifications } from "../../notifications/notify.ts";
import type { Job } from "../../ops/jobs/runner.ts";
import type { Logger } from "../../platform/log.ts";
import type { Egress } from "../../platform/net/egress.ts";
import { Slots } from "../../platform/net/slots.ts";
import { endingFrom } from "./findings.ts";
import { certificatesExpiring, certificatesInvalid } from "./notices.ts";
import { invalid, readCertificate, type Problem, type Reading } from "./read.ts";

export const checkJobName = "certificates.check";
/** Hosts read at once. Leaves room among the outgoing calls for those that somebody waits for. */
const atOnce = 48;
/** Domains checked at once. A crash delays at most this many. */
const domainsAtOnce = 12;
/** Of one domain, so that a large one leaves room for others. */
const ofDomainAtOnce = 16;
/**
 * Lease of a claim. If the process crashes, another one checks its domains after this time. It exceeds the longest possible check: even
 * if all domains have the most hosts, listed and found, and each of these stalls, they take less than two hours.
 */
const turnMinutes = 180;
const betweenChecks = 24 * 3_600_000;
/** After a known host could not be read for the first time. */
const beforeRetry = 3_600_000;
/** Notices of certificates that are no longer shown. */
const keptNotices = 400 * 24 * 3_600_000;
/** A run claims no domain after this time; the next run continues. */
const longestRunMilliseconds = 30 * 60_000;
/** Hosts found in one zone. */
export const mostHosts = 1_000;
const httpsPort = 443;

interface Parts {
  database: Database;
  egress: Egress;
  notifications: Notifications;
  /** How to greet mail servers. */
  greeting: string;
  log: Logger;
  now: () => Date;
}

/** A host to check. */
interface Target {
  /** Relative to the domain. */
  host: string;
  name: string;
  port: number;
  starttls: "smtp" | null;
  /** Whether it was found before, or somebody listed it. Others count only if they answer. */
  known: boolean;
  listed: boolean;
  /** Whether its certificate was read at the last check. */
  wasRead: boolean;
}

interface Checked extends Target {
  /** Null: it was not asked. */
  reading: Reading | null;
}

/** Reads the certificates of watched hosts once a day. */
export class CertificateCheckJob implements Job {
  readonly #parts: Parts;
  readonly name = checkJobName;
  readonly description = "Reads the certificates of watched hosts whose last check is a day old.";
  readonly schedule = "*/10 * * * *";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param signal aborts checks in flight; their domains are checked again when their claims end. */
  async work(_data: object, signal: AbortSignal): Promise<void> {
    const { database, log, now } = this.#parts;
    const ends = performance.now() + longestRunMilliseconds;
    const slots = new Slots(atOnce, domainsAtOnce * ofDomainAtOnce);
    let hosts = 0;
    const work = async () => {
      while (!signal.aborted && performance.now() < ends) {
        const domain = await claimDue(database.fork(), now());
        if (!domain) return;
        try {
          hosts += await this.#check(domain, slots, signal);
        } catch (error) {
          if (signal.aborted) return;
          // What one domain's hosts show must not keep others from being checked.
          log.error({ err: error, domainId: domain.id }, "certificates of a domain could not be checked");
        }
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: domainsAtOnce }, work));
    if (hosts > 0) log.info({ hosts }, "read certificates");
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** Reads a domain's hosts and stores what they show. @returns how many count */
  async #check(domain: Due, slots: Slots, stop: AbortSignal): Promise<number> {
    const { database } = this.#parts;
    const checked = await this.#readAll(await targetsOf(database.fork(), domain), slots, stop);
    await this.#store(domain, checked);
    return checked.length;
  }

  /** Returns what the hosts show, without those that are neither known nor answer. @throws the signal's reason */
  async #readAll(targets: readonly Target[], slots: Slots, stop: AbortSignal): Promise<Checked[]> {
    const { egress, greeting, now } = this.#parts;
    const checked: Checked[] = [];
    const waiting = targets.values();
    const work = async () => {
      for (const target of waiting) {
        const release = await slots.take(stop);
        try {
          const reading = await readCertificate(egress, target, { greeting, now: now(), stop });
          const answers = reading !== null && reading.problem !== "unreachable";
          if (target.known || answers) checked.push({ ...target, reading });
        } finally {
          release?.();
        }
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: ofDomainAtOnce }, work));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return checked;
  }

  async #store(domain: Due, checked: readonly Checked[]): Promise<void> {
    const { database, notifications, now } = this.#parts;
    await database.fork().transactional(async (tx) => {
      const stored = await storeChecked(tx, domain, checked, now());
      if (stored) await notifications.notifyAll(tx, await takeNotices(tx, stored.domain, stored.hosts, now()));
    });
  }
}

interface Due {
  id: string;
  name: string;
  mode: "listed" | "all";
  /** When the claim ends. */
  claimedUntil: Date;
}

/** Claims the domain that is overdue longest, so that no other instance checks it. Skips disabled domains. */
async function claimDue(em: EntityManager, now: Date): Promise<Due | undefined> {
  const { rows } = await sql<Due>`
    with due as (
      select w.domain_id from tls_watches w join domains d on d.id = w.domain_id
      where w.next_check_at <= ${now}::timestamptz and d.status = 'active'
      order by w.next_check_at limit 1
      for update of w skip locked
    )
    update tls_watches set next_check_at = ${now}::timestamptz + make_interval(mins => ${turnMinutes})
    from due join domains d on d.id = due.domain_id
    where tls_watches.domain_id = due.domain_id
    returning d.id, d.name, tls_watches.mode, tls_watches.next_check_at as "claimedUntil"
  `.execute(queries(em));
  return rows[0];
}

/** Hosts whose names a client can connect to: neither a wildcard, nor a name such as `_dmarc`. */
const found = sql`select distinct r.name as host from records r
  where r.until is null and r.status = 'active' and r.record_type in ('A', 'AAAA', 'CNAME')
    and r.name ~ '^(@|[a-z0-9-]+([.][a-z0-9-]+)*)$'`;

/** Returns the hosts to check, and notes how many there are beyond the limit. */
async function targetsOf(em: EntityManager, { id, name, mode }: Due): Promise<Target[]> {
  const known = await queries(em)
    .selectFrom("tls_hosts")
    .select(["host", "port", "starttls", "listed", "fingerprint", "problem"])
    .where("domain_id", "=", id)
    .execute();
  const targets = known
    .filter(({ listed }) => listed)
    .map(({ host, port, starttls, listed, ...row }): Target => ({
      host,
      port,
      starttls,
      listed,
      name: absoluteName(host, name),
      known: true,
      wasRead: isRead(row),
    }));
  if (mode === "listed") return targets;
  const { rows } = await sql<{ host: string; total: string }>`
    select host, count(*) over () as total from (${found} and r.domain_id = ${id}) f order by host limit ${mostHosts}
  `.execute(queries(em));
  const leftOut = Math.max(0, Number(rows[0]?.total ?? 0) - mostHosts);
  await queries(em).updateTable("tls_watches").set({ left_out: leftOut }).where("domain_id", "=", id).execute();
  const seen = new Map(known.filter(({ port }) => port === httpsPort).map((row) => [row.host, isRead(row)]));
  const listed = new Set(targets.filter(({ port }) => port === httpsPort).map(({ host }) => host));
  const others = rows
    .filter(({ host }) => !listed.has(host))
    .map(({ host }): Target => ({
      host,
      name: absoluteName(host, name),
      port: httpsPort,
      starttls: null,
      known: seen.has(host),
      listed: false,
      wasRead: seen.get(host) ?? false,
    }));
  return [...targets, ...others];
}

function isRead({ fingerprint, problem }: { fingerprint: string | null; problem: string | null }): boolean {
  return fingerprint !== null && problem !== "unreachable";
}

interface Domain {
  id: string;
  name: string;
  view: string;
  ownerId: string | null;
  remindDays: number[];
}

/** A host as it is after a check. What an unreachable one showed before stays. */
interface Stored extends Reading {
  host: string;
  port: number;
}

/**
 * Stores what hosts showed, within a transaction. What is no longer watched is left alone, and so is a next check that was set meanwhile.
 * @returns null if nothing is watched
 */
async function storeChecked(
  tx: EntityManager,
  { id: domainId, claimedUntil }: Due,
  checked: readonly Checked[],
  now: Date,
): Promise<{ domain: Domain; hosts: Stored[] } | null> {
  const isRetried = checked.some(({ wasRead, reading }) =>
    reading === null ? true : wasRead && reading.problem === "unreachable",
  );
  const next = new Date(now.getTime() + (isRetried ? beforeRetry : betweenChecks));
  const { rows } = await sql<Domain & { mode: string }>`
    update tls_watches set next_check_at =
      case next_check_at when ${claimedUntil}::timestamptz then ${next}::timestamptz else next_check_at end
    from domains d
    where tls_watches.domain_id = ${domainId} and d.id = tls_watches.domain_id and d.status = 'active' and tls_watches.mode <> 'off'
    returning d.id, d.name, d.view, d.owner_id as "ownerId", d.expiry_remind_days as "remindDays", tls_watches.mode
  `.execute(queries(tx));
  const [watch] = rows;
  if (!watch) return null;
  const readings = checked.map(({ host, port, starttls, listed, reading }) => ({
    host,
    port,
    starttls,
    listed,
    asked: reading !== null,
    problem: reading?.problem,
    error: reading?.error,
    issuer: reading?.issuer,
    fingerprint: reading?.fingerprint,
    notBefore: reading?.notBefore,
    notAfter: reading?.notAfter,
  }));
  const given = sql`${jsonRows(readings)} as r(host text, port int, starttls text, listed boolean, asked boolean, problem text,
    error text, issuer text, fingerprint text, "notBefore" timestamptz, "notAfter" timestamptz)`;
  if (watch.mode === "all") {
    await sql`
      insert into tls_hosts (domain_id, host, port, listed)
      select ${domainId}::uuid, r.host, r.port, false from ${given} where not r.listed
      on conflict do nothing
    `.execute(queries(tx));
    await sql`
      delete from tls_hosts h where h.domain_id = ${domainId} and not h.listed
        and not exists (select from ${given} where r.host = h.host and r.port = h.port)
    `.execute(queries(tx));
  }
  const { rows: hosts } = await sql<Stored>`
    update tls_hosts h set not_before = ${keptOr("not_before", "notBefore")}, not_after = ${keptOr("not_after", "notAfter")},
      issuer = ${keptOr("issuer", "issuer")}, fingerprint = ${keptOr("fingerprint", "fingerprint")}, problem = r.problem,
      error = r.error, checked_at = ${now}::timestamptz
    from ${given}
    where r.asked and h.domain_id = ${domainId} and h.host = r.host and h.port = r.port
      and h.starttls is not distinct from r.starttls
    returning h.host, h.port, h.not_before as "notBefore", h.not_after as "notAfter", h.issuer, h.fingerprint, h.problem, h.error
  `.execute(queries(tx));
  await sql`
    delete from certificate_notices n where n.domain_id = ${domainId} and (
      exists (
        select from tls_hosts h
        where h.domain_id = n.domain_id and n.host = h.host || ':' || h.port and h.problem is null and h.checked_at is not null
      )
      or n.told_at < ${new Date(now.getTime() - keptNotices)}::timestamptz and not exists (
        select from tls_hosts h
        where h.domain_id = n.domain_id and (h.fingerprint = n.fingerprint or n.host = h.host || ':' || h.port)
      )
    )
  `.execute(queries(tx));
  return { domain: watch, hosts };
}

/** A column of `tls_hosts` after a check: as read, or as before if the host is unreachable. */
function keptOr(column: string, read: string) {
  return sql`case r.problem when 'unreachable' then ${sql.ref(`h.${column}`)} else ${sql.ref(`r.${read}`)} end`;
}

/** A notice that is due. `about`: days before the end, or a problem. */
interface Notice {
  /** Empty for a problem of the host, whichever certificate it shows. */
  fingerprint: string;
  about: string;
  host: string;
}

/**
 * Returns what is to be reported of a check, within a transaction. Committing it marks them as sent. If several reminders of a
 * certificate have passed, only the nearest one counts; those further away than one already sent yield none.
 */
async function takeNotices(tx: EntityManager, domain: Domain, hosts: readonly Stored[], now: Date) {
  const ending = hosts.flatMap((host) => {
    const { notAfter, fingerprint } = host;
    // What has ended is a problem, unless the host is unreachable; then it may have been renewed.
    if (notAfter === null || fingerprint === null || notAfter <= now) return [];
    const passed = domain.remindDays.filter((days) => (endingFrom(host, days) ?? Infinity) <= now.getTime());
    return passed.length > 0 ? [{ ...host, notAfter, fingerprint, passed, nearest: Math.min(...passed) }] : [];
  });
  const broken = hosts.flatMap((host) => {
    const { fingerprint, problem } = host;
    if (fingerprint === null || !isInvalid(problem)) return [];
    // A host that keeps renewing a certificate with the same fault is reported once.
    const isOfHost = problem === "other_names" || problem === "untrusted";
    return [
      { ...host, problem, reported: { fingerprint: isOfHost ? "" : fingerprint, about: problem, host: placeOf(host) } },
    ];
  });
  if (ending.length === 0 && broken.length === 0) return [];
  const due: Notice[] = [
    ...ending.flatMap(({ fingerprint, passed }) =>
      passed.map((days) => ({ fingerprint, about: String(days), host: "" })),
    ),
    ...broken.map(({ reported }) => reported),
  ];
  const { rows } = await sql<Notice>`
    insert into certificate_notices (domain_id, fingerprint, about, host, told_at)
    select distinct ${domain.id}::uuid, n.fingerprint, n.about, n.host, ${now}::timestamptz
    from ${jsonRows(due)} as n(fingerprint text, about text, host text)
    on conflict do nothing
    returning fingerprint, about, host
  `.execute(queries(tx));
  const taken = new Set(rows.map(keyOf));
  const expiring = ending.filter(({ fingerprint, nearest }) =>
    taken.has(keyOf({ fingerprint, about: String(nearest), host: "" })),
  );
  const unsound = broken.filter(({ reported }) => taken.has(keyOf(reported)));
  return [
    ...(expiring.length > 0
      ? [certificatesExpiring(domain, expiring, Math.min(...expiring.map(({ nearest }) => nearest)), now)]
      : []),
    ...(unsound.length > 0 ? [certificatesInvalid(domain, unsound)] : []),
  ];
}

function isInvalid(problem: Problem | null): problem is (typeof invalid)[number] {
  return problem !== null && (invalid as readonly Problem[]).includes(problem);
}

function placeOf({ host, port }: Stored): string {
  return `${host}:${port}`;
}

function keyOf({ fingerprint, about, host }: Notice): string {
  return JSON.stringify([fingerprint, about, host]);
}
