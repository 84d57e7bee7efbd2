import type { Database } from "../database/database.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Logger } from "../platform/log.ts";
import { claimDue, planFirstChecks, postpone, type DueDomain } from "./due-domains.ts";
import { whyNotPublic } from "./public-names.ts";
import type { Delegations } from "./service.ts";
import { betweenChecks } from "./store.ts";

const atOnce = 8;
/** Number of domains claimed with one statement. A crash delays at most this many. */
const claimed = 32;
/** Maximum duration of a run; the next run continues. */
const longestRunMilliseconds = 30 * 60_000;

interface Parts {
  database: Database;
  delegations: Delegations;
  log: Logger;
  now: () => Date;
}

/** Checks the delegation of every active public domain once a day. */
export class DelegationCheckJob implements Job {
  readonly #parts: Parts;
  readonly name = "delegation.check";
  readonly description =
    "Checks delegations, name servers and dangling records of domains whose last check is a day old.";
  readonly schedule = "*/10 * * * *";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param signal aborts checks in flight; their domains are retried within the hour. */
  async work(_data: object, signal: AbortSignal): Promise<void> {
    const { database, delegations, log, now } = this.#parts;
    if (!delegations.enabled) return;
    await planFirstChecks(database.fork(), now());
    const ends = performance.now() + longestRunMilliseconds;
    let checked = 0;
    while (!signal.aborted && performance.now() < ends) {
      const due = await claimDue(database.fork(), now(), claimed);
      if (due.length === 0) break;
      checked += due.length;
      await this.#checkAll(due, signal);
    }
    if (checked > 0) log.info({ domains: checked }, "checked delegations");
  }

  async #checkAll(due: DueDomain[], signal: AbortSignal): Promise<void> {
    const work = async () => {
      for (let next = due.pop(); next && !signal.aborted; next = due.pop()) await this.#check(next, signal);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, work));
    for (const outcome of outcomes) if (outcome.status === "rejected" && !signal.aborted) throw outcome.reason;
  }

  async #check(domain: DueDomain, signal: AbortSignal): Promise<void> {
    const { database, delegations, now } = this.#parts;
    if (whyNotPublic({ name: domain.name, view: "" }) !== null) {
      await postpone(database.fork(), domain.id, new Date(now().getTime() + betweenChecks));
      return;
    }
    const seen = await delegations.observe(database.fork(), domain, signal);
    if (seen) await database.fork().transactional((tx) => delegations.store(tx, domain.id, seen));
  }
}
