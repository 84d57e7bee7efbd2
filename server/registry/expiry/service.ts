import { join } from "node:path";
import type { Config } from "../../ops/config/config.ts";
import type { Logger } from "../../platform/log.ts";
import type { Egress } from "../../platform/net/egress.ts";
import { RdapBootstrap } from "./rdap/bootstrap.ts";
import { ExpiryCheckJob } from "./check-job.ts";
import { RdapClient } from "./rdap/client.ts";
import { ExpiryReminderJob } from "./remind-job.ts";
import { ServerPace } from "./server-pace.ts";
import { WhoisClient } from "./whois/client.ts";
import { zoneFor } from "../../access/zone-access.ts";
import { writeEntry, changedFields } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { badField, notFound } from "../../platform/errors.ts";
import { parseZoneName } from "../../dns/names/names.ts";
import { failure, type Finding } from "./registration.ts";
import { ExpiryLookup } from "./lookup.ts";
import { registrationChanged } from "./notices.ts";
import type { RegistrarConfigs } from "../registrars/configs.ts";
import type { RegistrarTasks } from "../registrars/tasks.ts";
import { lookupFailure, storeFinding, type StoredFinding } from "./store-finding.ts";

/** Maximum duration of a manual lookup, including the maximum wait for one server's rate limit. */
const lookupSeconds = 25;
const turnMilliseconds = 8_000;

interface Parts {
  lookUp: ExpiryLookup;
  registrarConfigs: RegistrarConfigs;
  registrarTasks: RegistrarTasks;
  notifications: Notifications;
  now: () => Date;
}

/** Runs lookups that users request. */
export class Expiry {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks up a domain's expiry date and stores it, even over a manually set one. @throws AppError NOT_FOUND, FORBIDDEN */
  async check(em: EntityManager, caller: Caller, id: string) {
    const zone = await zoneFor(em, caller, id, "manage");
    const [finding, reading] = await Promise.all([
      this.#find(zone.name),
      this.#parts.registrarConfigs.read(em.fork(), zone, "person"),
    ]);
    const now = this.#parts.now();
    const date = await em.transactional(async (tx) => {
      const stored = await storeFinding(tx, zone.id, finding, { now, byItself: false, reading });
      if (!stored) throw notFound("domain");
      const found = { before: factsOf(stored, "before"), after: factsOf(stored, "after") };
      const audited = changedFields({ ...stored.before, ...found.before }, { ...stored.after, ...found.after });
      await writeEntry(tx, now, caller, {
        action: "domain.check_expiry",
        targetType: "domain",
        targetId: zone.id,
        before: audited?.before ?? {},
        after: { ...audited?.after, success: stored.date !== null },
      });
      if (stored.changes.length > 0)
        await this.#parts.notifications.notify(tx, registrationChanged(zone, stored.ownerId, stored.changes));
      if (stored.registrar)
        await this.#parts.registrarTasks.report(tx, zone, stored.registrar.known, stored.registrar.reading);
      return stored.date;
    });
    return date
      ? { success: true, ...date, error: null }
      : { success: false, expiresAt: null, source: null, error: lookupFailure(finding, reading) };
  }

  /** Looks up any name without storing the result. @throws AppError BAD_REQUEST if it is not a valid domain name */
  async preview(domain: string) {
    const name = parseZoneName(domain);
    if (!name.ok) throw badField(["domain"], name.message);
    const finding = await this.#find(name.value);
    const registration = "registration" in finding ? finding.registration : null;
    return {
      success: finding.kind === "found",
      domain: name.value,
      expiresAt: finding.kind === "found" ? finding.expiresAt : null,
      source: "source" in finding ? finding.source : null,
      registrar: registration?.registrar ?? null,
      statuses: registration?.statuses ?? [],
      nameServers: registration?.nameServers ?? null,
      ds: registration?.ds ?? null,
      error: finding.kind === "found" ? null : finding.message,
    };
  }

  async #find(name: string): Promise<Finding> {
    const signal = AbortSignal.timeout(lookupSeconds * 1_000);
    try {
      return await this.#parts.lookUp.find(name, { turnMilliseconds, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      return failure(`The lookup took longer than ${lookupSeconds} s. Try again later.`);
    }
  }
}

/** Returns the registration data that changed, for the audit trail. The registrar is a field of its own there. */
function factsOf({ changes }: StoredFinding, side: "before" | "after"): Record<string, readonly string[]> {
  return Object.fromEntries(
    changes.flatMap((change) => (change.fact === "registrar" ? [] : [[change.fact, change[side]]])),
  );
}

export type ExpiryServices = ReturnType<typeof composeExpiry>;

/** Builds the expiry lookup service and its jobs. */
export function composeExpiry(parts: {
  config: Config;
  database: Database;
  notifications: Notifications;
  registrarConfigs: RegistrarConfigs;
  registrarTasks: RegistrarTasks;
  egress: Egress;
  log: Logger;
  now: () => Date;
}) {
  const { config, database, notifications, registrarConfigs, registrarTasks, egress, log, now } = parts;
  const pace = new ServerPace(now);
  const lookUp = new ExpiryLookup({
    bootstrap: new RdapBootstrap({
      egress,
      log,
      now,
      file: join(config.dataDir, "rdap-servers.json"),
      url: config.rdapBootstrapUrl,
    }),
    rdap: new RdapClient(egress, pace, now),
    whois: new WhoisClient({ egress, pace, now, configured: config.whoisServer }),
    isPublic: config.rdapBootstrapUrl === undefined && config.whoisServer === undefined,
  });
  return {
    expiry: new Expiry({ lookUp, registrarConfigs, registrarTasks, notifications, now }),
    expiryCheck: new ExpiryCheckJob({ database, lookUp, registrarConfigs, registrarTasks, notifications, log, now }),
    expiryReminders: new ExpiryReminderJob({ database, notifications, log, now }),
  };
}
