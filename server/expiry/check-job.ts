import type { Database, EntityManager } from "../database/database.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Logger } from "../platform/log.ts";
import type { Notifications } from "../notifications/notify.ts";
import { claimDue, type DueDomain } from "./due-domains.ts";
import { failedLookUp, manyFailedLookUps, TellingBudget } from "./failed-look-up-notice.ts";
import { failure } from "./failure.ts";
import type { ExpiryLookUp } from "./look-up.ts";
import type { Finding } from "./registration.ts";
import { keepFinding } from "./keep-finding.ts";

const atOnce = 16;
/** Turns taken together: what they cost is one statement, and what a crash delays is so many domains. */
const claimed = 64;
/** For one domain, waiting for its turns at servers included. */
const lookUpMilliseconds = 120_000;
const turnMilliseconds = 60_000;
/** A run that has more to do leaves it to the next one. */
const longestRunMilliseconds = 30 * 60_000;
/** Look-ups in a row that come to nothing before people are told; the pauses between make that five hours. */
const failuresToTell = 3;

/**
 * Looks up, once a day, the expiry date of every domain that wants it. Turns come spread over the day, as the domains came in; servers of
 * registries are asked no faster than `ServerPace` lets anybody.
 */
export class ExpiryCheckJob implements Job {
  readonly name = "expiry.check";
  readonly description = "Looks up the expiry dates of domains whose last look-up is a day old.";
  readonly schedule = "*/10 * * * *";
  readonly #database: Database;
  readonly #lookUp: ExpiryLookUp;
  readonly #notifications: Notifications;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #budget = new TellingBudget();

  constructor(parts: {
    database: Database;
    lookUp: ExpiryLookUp;
    notifications: Notifications;
    log: Logger;
    now: () => Date;
  }) {
    this.#database = parts.database;
    this.#lookUp = parts.lookUp;
    this.#notifications = parts.notifications;
    this.#log = parts.log;
    this.#now = parts.now;
  }

  /** Goes on until no domain is due, or half an hour has passed. @param signal abandons look-ups under way; their domains have their turn within the hour. */
  async work(_data: object, signal: AbortSignal): Promise<void> {
    const counts: Partial<Record<Finding["kind"], number>> = {};
    const turns: DueDomain[] = [];
    const ends = performance.now() + longestRunMilliseconds;
    let claiming: Promise<void> | null = null;
    const claim = async () => {
      turns.push(...(await claimDue(this.#database.fork(), this.#now(), claimed)));
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
    if (Object.keys(counts).length > 0) this.#log.info({ domains: counts }, "looked expiry dates up");
    for (const outcome of outcomes) if (outcome.status === "rejected" && !signal.aborted) throw outcome.reason;
  }

  /** @returns what came of it; null when it was abandoned. */
  async #check(domain: DueDomain, stop: AbortSignal): Promise<Finding["kind"] | null> {
    const finding = await this.#find(domain, stop);
    if (!finding) return null;
    await this.#database.fork().transactional(async (tx) => {
      const kept = await keepFinding(tx, domain.id, finding, { now: this.#now(), byItself: true });
      if (!kept || kept.failures < failuresToTell || kept.failuresBefore >= failuresToTell) return;
      if ("message" in finding) await this.#tell(tx, domain, kept.ownerId, finding.message);
    });
    return finding.kind;
  }

  async #find({ name }: DueDomain, stop: AbortSignal): Promise<Finding | null> {
    const late = AbortSignal.timeout(lookUpMilliseconds);
    try {
      return await this.#lookUp.find(name, { turnMilliseconds, signal: AbortSignal.any([stop, late]) });
    } catch (error) {
      if (stop.aborted) return null;
      if (!late.aborted) throw error;
      return failure(`The look-up of ${name} took too long.`);
    }
  }

  async #tell(tx: EntityManager, domain: DueDomain, ownerId: string | null, reason: string): Promise<void> {
    this.#log.warn({ domain: domain.name, reason }, "an expiry date cannot be looked up");
    const telling = this.#budget.take(this.#now());
    if (telling === "alone") await this.#notifications.notify(tx, failedLookUp(domain, ownerId, reason));
    if (telling === "together") await this.#notifications.notify(tx, manyFailedLookUps(domain, reason));
  }
}
