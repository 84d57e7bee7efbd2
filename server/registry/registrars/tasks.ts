import { theService } from "../../access/caller.ts";
import { sql } from "kysely";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import type { Job } from "../../ops/jobs/runner.ts";
import { NoticeBudget } from "../expiry/notices.ts";
import { registrableOf } from "../expiry/registration.ts";
import type { RegistrarConfigs } from "./configs.ts";
import { failureMessage } from "./plan.ts";
import {
  afterReading,
  failedTasks,
  isOutdated,
  sharing,
  storedReading,
  storeState,
  type FailedTask,
  type RegistrarReading,
  type StoredReading,
} from "./stored-reading.ts";

/** Domains whose registrars are asked at once. Each account has its own pace besides. */
const atOnce = 8;
const perPage = 100;
/** Maximum duration of a run; the next run continues. */
const longestRunMilliseconds = 20 * 60_000;

interface Domain {
  id: string;
  name: string;
  view: string;
}

interface OpenDomain extends Domain {
  registrarConfigId: string | null;
}

interface Parts {
  database: Database;
  registrarConfigs: RegistrarConfigs;
  notifications: Notifications;
  now: () => Date;
}

/**
 * Follows changes that registrars accepted, and reports those whose tasks fail. The tasks are stored with the domain, and a report commits
 * together with what ends the wait. So a restart loses none, and none is reported twice.
 */
export class RegistrarTasks implements Job {
  readonly #parts: Parts;
  readonly #budget = new NoticeBudget();
  readonly name = "registrars.follow";
  readonly description = "Asks registrars about changes that they accepted and do not show yet.";
  readonly schedule = "*/15 * * * *";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks about each open task once. A registrar that does not answer is left to the next run. */
  async work(_data: object, signal: AbortSignal): Promise<void> {
    const ends = performance.now() + longestRunMilliseconds;
    let after: string | null = null;
    do {
      const { domains, last } = await openDomains(this.#parts.database.fork(), after);
      after = last;
      const turns = domains.values();
      const work = async () => {
        for (const domain of turns) if (!signal.aborted) await this.#ask(domain);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    } while (after !== null && !signal.aborted && performance.now() < ends);
  }

  /** Stores what a registrar said of a name, unless something newer was stored since it was asked, and reports what failed. */
  async store(tx: EntityManager, zone: Domain, reading: RegistrarReading): Promise<void> {
    const domains = await sharing(tx, zone, reading.configId);
    const own = domains.find(({ id }) => id === zone.id);
    if (!own || isOutdated(own.known, reading)) return;
    const now = this.#parts.now();
    for (const { id, known } of domains) await storeState(tx, id, afterReading(known, reading, now));
    await this.report(tx, zone, own.known, reading);
  }

  /**
   * Reports the changes that a reading shows to have failed, within the transaction that stores it.
   * @param known what was stored before
   */
  async report(
    tx: EntityManager,
    domain: Domain,
    known: StoredReading | null,
    reading: RegistrarReading,
  ): Promise<void> {
    const failed = failedTasks(known, reading.tasks);
    if (failed.length === 0 || !isRegistered(domain)) return;
    const now = this.#parts.now();
    for (const { field, before, after, at, reason } of failed)
      await writeEntry(tx, now, theService, {
        action: "domain.registration_change_failed",
        targetType: "domain",
        targetId: domain.id,
        before: { [field]: before },
        after: { [field]: after, acceptedAt: at.toISOString(), error: reason },
      });
    const { notifications } = this.#parts;
    const notice = this.#budget.take(now);
    if (notice === "single") await notifications.notify(tx, changeFailed(domain, await ownerOf(tx, domain.id), failed));
    if (notice === "summary") await notifications.notify(tx, manyChangesFailed(domain, failed));
  }

  async #ask(domain: OpenDomain): Promise<void> {
    const { database, registrarConfigs } = this.#parts;
    const reading = await registrarConfigs.read(database.fork(), domain, "drift");
    // The daily lookup reports an account that cannot be read.
    if (reading?.state) await database.fork().transactional((tx) => this.store(tx, domain, reading));
  }
}

/** Returns the next domains with changes that are waited for, by id, and which of them have tasks to ask about. */
async function openDomains(em: EntityManager, after: string | null) {
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["id", "name", "view", "registrar_config_id", "registrar_state"])
    // The condition of its index.
    .where(sql<boolean>`registrar_state->'accepted' <> '{}'::jsonb`)
    .$if(after !== null, (query) => query.where("id", ">", after))
    .orderBy("id")
    .limit(perPage)
    .execute();
  const domains = rows.flatMap(({ id, name, view, registrar_config_id: registrarConfigId, registrar_state: state }) => {
    const accepted = Object.values(storedReading(state, registrarConfigId)?.accepted ?? {});
    const hasTasks = accepted.some(({ tasks = [] }) => tasks.length > 0);
    return hasTasks && isRegistered({ name, view }) ? [{ id, name, view, registrarConfigId }] : [];
  });
  return { domains, last: rows.length < perPage ? null : (rows.at(-1)?.id ?? null) };
}

/** Returns whether a domain is the registered name itself. Zones below it and those in other views share its registration. */
function isRegistered({ name, view }: Pick<Domain, "name" | "view">): boolean {
  return view === "" && registrableOf(name)?.name === name;
}

async function ownerOf(em: EntityManager, id: string): Promise<string | null> {
  const row = await queries(em).selectFrom("domains").select("owner_id").where("id", "=", id).executeTakeFirst();
  return row?.owner_id ?? null;
}

/** Returns the notice that a registrar did not carry out changes of a registration. */
export function changeFailed(
  domain: Domain,
  ownerId: string | null,
  failed: readonly FailedTask[],
): TypedNotice<"domain.registration_change_failed"> {
  const senders = failed.flatMap(({ by }) => by ?? []);
  return {
    event: "domain.registration_change_failed",
    title: `A change of the registration of ${qualifiedName(domain)} failed`,
    content: failed.map((each) => failureMessage(domain.name, each)).join(" "),
    level: "error",
    metadata: metadataOf(domain, failed),
    to: { userIds: [...new Set([...(ownerId === null ? [] : [ownerId]), ...senders])], administrators: true },
  };
}

/** Returns the notice for all failures beyond the daily limit, naming the first one. */
function manyChangesFailed(
  domain: Domain,
  failed: readonly FailedTask[],
): TypedNotice<"domain.registration_change_failed"> {
  return {
    event: "domain.registration_change_failed",
    title: "Changes of many registrations failed",
    content: `More changes failed today. ${failed.map((each) => failureMessage(domain.name, each)).join(" ")} The audit trail lists them all as \`domain.registration_change_failed\`.`,
    level: "error",
    metadata: metadataOf(domain, failed),
    to: { administrators: true },
  };
}

function metadataOf({ id, name }: Domain, failed: readonly FailedTask[]) {
  const changes = failed.map(({ field, before, after, at, reason }) => ({
    field,
    before,
    after,
    acceptedAt: at.toISOString(),
    reason,
  }));
  return { domainId: id, domainName: name, changes };
}
