import type { Config } from "../../ops/config/config.ts";
import type { Egress } from "../../platform/net/egress.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Job } from "../../ops/jobs/runner.ts";
import type { Logger } from "../../platform/log.ts";
import { takeTurns } from "../../platform/slices.ts";
import { DelegationCheck, whyNotPublic } from "./check.ts";
import { Dnssec } from "../dnssec/service.ts";
import { Delegations } from "./service.ts";
import { betweenChecks } from "./store.ts";

const atOnce = 8;
/** Number of domains claimed with one statement. A crash delays at most this many. */
const claimed = 32;
/** Maximum duration of a run; the next run continues. */
const longestRunMilliseconds = 30 * 60_000;

interface Parts {
  database: Database;
  delegations: Delegations;
  dnssec: Pick<Dnssec, "observe" | "store">;
  log: Logger;
  now: () => Date;
}

/** Checks delegation and DNSSEC of every active public domain once a day. */
class DelegationCheckJob implements Job {
  readonly #parts: Parts;
  readonly name = "delegation.check";
  readonly description =
    "Checks delegations, DNSSEC, name servers and dangling records of domains whose last check is a day old.";
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
    const { database, delegations, dnssec, now } = this.#parts;
    if (whyNotPublic({ name: domain.name, view: "" }) !== null) {
      await postpone(database.fork(), domain.id, new Date(now().getTime() + betweenChecks));
      return;
    }
    const seen = await delegations.observe(database.fork(), domain, signal);
    const signing = await dnssec.observe(domain.name, signal);
    await database.fork().transactional(async (tx) => {
      if (seen) await delegations.store(tx, domain.id, seen);
      if (signing) await dnssec.store(tx, domain.id, signing);
    });
  }
}

interface DueDomain {
  id: string;
  name: string;
}

/** Lease of a claim. If the process crashes, another one checks its domains after this time. */
const turnMinutes = 60;
/** More domains than this at once, as after an upgrade, are spread over a day. */
const mostAtOnce = 200;

/** Domains whose first check is planned with one statement. */
const plannedAtOnce = 500;

/**
 * Plans the first check of domains that have none yet. Others are not read: the condition is the expression of `domains_first_check_idx`. A
 * domain that is being changed is left to the next run.
 */
export async function planFirstChecks(em: EntityManager, now: Date): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      with taken as (
        select id from domains where not first_check_planned and case when not first_check_planned then view end = ''
        limit ${plannedAtOnce} for update skip locked
      ), planned as (
        insert into delegations (domain_id, next_check_at)
        select id, ${now}::timestamptz + case when total > ${mostAtOnce} then random() else 0 end * interval '1 day'
        from (select id, count(*) over () as total from taken) as counted
        on conflict do nothing
      )
      update domains set first_check_planned = true where id = any(array(select id from taken)) returning id
    `.execute(queries(em));
    if (rows.length < plannedAtOnce) return;
    await takeTurns();
  }
}

/**
 * Claims domains that are due, longest overdue first, so that no other instance checks them. Disabled domains and those of other views
 * are skipped and due again after a day: otherwise each run would read all of them first.
 */
export async function claimDue(em: EntityManager, now: Date, atMost: number): Promise<DueDomain[]> {
  for (;;) {
    const { rows } = await sql<DueDomain & { checked: boolean }>`
      with due as (
        select domain_id from delegations where next_check_at <= ${now}::timestamptz
        order by next_check_at limit ${atMost} for update skip locked
      ), found as (
        select d.id, d.name, d.status = 'active' and d.view = '' as checked from due join domains d on d.id = due.domain_id
      )
      update delegations set next_check_at = case when found.checked
        then ${now}::timestamptz + make_interval(mins => ${turnMinutes})
        else ${new Date(now.getTime() + betweenChecks)}::timestamptz end
      from found where delegations.domain_id = found.id
      returning found.id, found.name, found.checked
    `.execute(queries(em));
    const checked = rows.filter((row) => row.checked);
    if (checked.length > 0 || rows.length === 0) return checked.map(({ id, name }) => ({ id, name }));
    await takeTurns();
  }
}

/** Postpones domains that are not checked. */
async function postpone(em: EntityManager, id: string, until: Date): Promise<void> {
  await queries(em).updateTable("delegations").set({ next_check_at: until }).where("domain_id", "=", id).execute();
}

export type DelegationServices = ReturnType<typeof composeDelegation>;

/** Builds the checks of delegation and DNSSEC, and their job. */
export function composeDelegation(parts: {
  config: Config;
  database: Database;
  notifications: Notifications;
  egress: Egress;
  log: Logger;
  now: () => Date;
}) {
  const { config, database, notifications, egress, log, now } = parts;
  const roots = config.resolverRoots;
  const check = roots.kind === "off" ? null : new DelegationCheck(egress, roots, now);
  const delegations = new Delegations({ check, notifications, now });
  const dnssec = new Dnssec({ check, delegations, notifications, anchors: config.resolverTrustAnchor, now });
  const delegationCheck: Job = new DelegationCheckJob({ database, delegations, dnssec, log, now });
  return { delegations, dnssec, delegationCheck };
}
