import { zoneFor } from "../../access/zone-access.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import { changedFields } from "../../notifications/audit/changed-fields.ts";
import type { Caller } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { badField, notFound } from "../../platform/errors.ts";
import { parseZoneName } from "../../dns/names/names.ts";
import { failure, type Finding } from "./registration.ts";
import type { ExpiryLookup } from "./lookup.ts";
import { registrationChanged } from "./notices.ts";
import { storeFinding, type StoredFinding } from "./store-finding.ts";

/** Maximum duration of a manual lookup, including the maximum wait for one server's rate limit. */
const lookupSeconds = 25;
const turnMilliseconds = 8_000;

/** Runs lookups that users request. */
export class Expiry {
  readonly #lookUp: ExpiryLookup;
  readonly #notifications: Notifications;
  readonly #now: () => Date;

  constructor(lookUp: ExpiryLookup, notifications: Notifications, now: () => Date) {
    this.#lookUp = lookUp;
    this.#notifications = notifications;
    this.#now = now;
  }

  /** Looks up a domain's expiry date and stores it, even over a manually set one. @throws AppError NOT_FOUND, FORBIDDEN */
  async check(em: EntityManager, caller: Caller, id: string) {
    const zone = await zoneFor(em, caller, id, "manage");
    const finding = await this.#find(zone.name);
    const now = this.#now();
    await em.transactional(async (tx) => {
      const stored = await storeFinding(tx, zone.id, finding, { now, byItself: false });
      if (!stored) throw notFound("domain");
      const found = { before: factsOf(stored, "before"), after: factsOf(stored, "after") };
      const audited = changedFields({ ...stored.before, ...found.before }, { ...stored.after, ...found.after });
      await writeEntry(tx, now, caller, {
        action: "domain.check_expiry",
        targetType: "domain",
        targetId: zone.id,
        before: audited?.before ?? {},
        after: { ...audited?.after, success: finding.kind === "found" },
      });
      if (stored.changes.length > 0)
        await this.#notifications.notify(tx, registrationChanged(zone, stored.ownerId, stored.changes));
    });
    return finding.kind === "found"
      ? { success: true, expiresAt: finding.expiresAt, source: finding.source, error: null }
      : { success: false, expiresAt: null, source: null, error: finding.message };
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
      return await this.#lookUp.find(name, { turnMilliseconds, signal });
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
