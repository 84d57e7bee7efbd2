import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Job } from "../../ops/jobs/runner.ts";
import type { Logger } from "../../platform/log.ts";
import type { Notifications } from "../../notifications/notify.ts";
import {
  failedLookup,
  manyFailedLookups,
  NoticeBudget,
  auditRegistration,
  manyRegistrationsChanged,
  registrationChanged,
} from "./notices.ts";
import { failure, type Finding } from "./registration.ts";
import type { ExpiryLookup } from "./lookup.ts";
import type { RegistrarConfigs } from "../registrars/configs.ts";
import type { RegistrarTasks } from "../registrars/tasks.ts";
import { lookupFailure, storeFinding, type StoredFinding } from "./store-finding.ts";

const atOnce = 16;
/** Number of domains claimed with one statement. A crash delays at most this many. */
const claimed = 64;
/** Lease of a claim. If the process crashes, another one looks up its domains after this time. */
const turnMinutes = 60;
/** Maximum time for one domain, including waits for rate-limited servers. */
const lookUpMilliseconds = 120_000;
const turnMilliseconds = 60_000;
/** Maximum duration of a run; the next run continues. */
const longestRunMilliseconds = 30 * 60_000;
/** Consecutive failed lookups before users are notified; with the delays between them, about five hours. */
const failuresBeforeNotice = 3;

interface DueDomain {
  id: string;
  name: string;
  view: string;
  registrarConfigId: string | null;
}

interface Parts {
  database: Database;
  lookUp: ExpiryLookup;
  registrarConfigs: RegistrarConfigs;
  registrarTasks: RegistrarTasks;
  notifications: Notifications;
  log: Logger;
  now: () => Date;
}

/**
 * Looks up the expiry date of every domain with automatic checks once a day. Lookups are spread over the day, in the order in which
 * the domains were added. `ServerPace` limits the queries to each registry server.
 */
export class ExpiryCheckJob implements Job {
  readonly #parts: Parts;
  readonly name = "expiry.check";
  readonly description = "Looks up the expiry dates of domains whose last lookup is a day old.";
  readonly schedule = "*/10 * * * *";
  readonly #budget = new NoticeBudget();
  readonly #changes = new NoticeBudget();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Runs until no domain is due or half an hour has passed.
   * @param signal aborts lookups in flight; their domains are retried within the hour.
   */
  async work(_data: object, signal: AbortSignal): Promise<void> {
    const counts: Partial<Record<Finding["kind"], number>> = {};
    const turns: DueDomain[] = [];
    const ends = performance.now() + longestRunMilliseconds;
    let claiming: Promise<void> | null = null;
    const claim = async () => {
      turns.push(...(await claimDue(this.#parts.database.fork(), this.#parts.now(), claimed)));
    };
    const work = async () => {
      while (!signal.aborted) {
        if (turns.length === 0) {
          if (performance.now() > ends) return;
          await (claiming ??= claim().finally(() => {
            claiming = null;
          }));
        }
        const domain = turns.shift();
        if (!domain) return;
        const kind = await this.#check(domain, signal);
        if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, work));
    if (Object.keys(counts).length > 0) this.#parts.log.info({ domains: counts }, "looked up expiry dates");
    for (const outcome of outcomes) if (outcome.status === "rejected" && !signal.aborted) throw outcome.reason;
  }

  /** @returns the kind of finding; null if the lookup was aborted */
  async #check(domain: DueDomain, stop: AbortSignal): Promise<Finding["kind"] | null> {
    const [finding, reading] = await Promise.all([
      this.#find(domain, stop),
      this.#parts.registrarConfigs.read(this.#parts.database.fork(), domain, "drift"),
    ]);
    if (!finding) return null;
    return await this.#parts.database.fork().transactional(async (tx) => {
      const stored = await storeFinding(tx, domain.id, finding, { now: this.#parts.now(), byItself: true, reading });
      if (stored && stored.changes.length > 0) await this.#report(tx, domain, stored);
      if (stored?.registrar)
        await this.#parts.registrarTasks.report(tx, domain, stored.registrar.known, stored.registrar.reading);
      const isNew = stored && stored.failures >= failuresBeforeNotice && stored.failuresBefore < failuresBeforeNotice;
      const reason = isNew ? lookupFailure(finding, reading) : null;
      if (stored && reason !== null) await this.#notify(tx, domain, stored.ownerId, reason);
      return stored?.date ? "found" : finding.kind;
    });
  }

  async #find({ name }: DueDomain, stop: AbortSignal): Promise<Finding | null> {
    const late = AbortSignal.timeout(lookUpMilliseconds);
    try {
      return await this.#parts.lookUp.find(name, { turnMilliseconds, signal: AbortSignal.any([stop, late]) });
    } catch (error) {
      if (stop.aborted) return null;
      if (!late.aborted) throw error;
      return failure(`The lookup of ${name} took too long.`);
    }
  }

  async #report(tx: EntityManager, domain: DueDomain, { changes, ownerId }: StoredFinding): Promise<void> {
    const now = this.#parts.now();
    await auditRegistration(tx, domain.id, changes, now);
    const notice = this.#changes.take(now);
    const { notifications } = this.#parts;
    if (notice === "single") await notifications.notify(tx, registrationChanged(domain, ownerId, changes));
    if (notice === "summary") await notifications.notify(tx, manyRegistrationsChanged(domain, changes));
  }

  async #notify(tx: EntityManager, domain: DueDomain, ownerId: string | null, reason: string): Promise<void> {
    this.#parts.log.warn({ domain: domain.name, reason }, "an expiry date could not be looked up");
    const notice = this.#budget.take(this.#parts.now());
    if (notice === "single") await this.#parts.notifications.notify(tx, failedLookup(domain, ownerId, reason));
    if (notice === "summary") await this.#parts.notifications.notify(tx, manyFailedLookups(domain, reason));
  }
}

/**
 * Claims domains that are due for a lookup, longest overdue first, so that no other instance looks them up. Skips domains that are
 * disabled, have no automatic checks, or have a manually set date.
 */
async function claimDue(em: EntityManager, now: Date, atMost: number): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    with due as (
      select id from domains
      where status = 'active' and auto_check_expiry and expiry_source is distinct from 'manual'
        and (expiry_next_check_at is null or expiry_next_check_at <= ${now}::timestamptz)
      order by expiry_next_check_at nulls first
      limit ${atMost}
      for update skip locked
    )
    update domains set expiry_next_check_at = ${now}::timestamptz + make_interval(mins => ${turnMinutes})
    from due where domains.id = due.id
    returning domains.id, domains.name, domains.view, domains.registrar_config_id as "registrarConfigId"
  `.execute(queries(em));
  return rows;
}
