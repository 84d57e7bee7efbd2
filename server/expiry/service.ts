import { zoneFor } from "../access/zone-access.ts";
import { writeEntry } from "../audit/audit.ts";
import { changedFields } from "../audit/changed-fields.ts";
import type { Caller } from "../access/caller.ts";
import type { EntityManager } from "../database/database.ts";
import { badField, notFound } from "../platform/errors.ts";
import { parseZoneName } from "../dns/names/names.ts";
import { failure } from "./failure.ts";
import type { ExpiryLookUp } from "./look-up.ts";
import type { Finding } from "./registration.ts";
import { keepFinding } from "./keep-finding.ts";

/** Maximum duration of a manual lookup, including the maximum wait for one server's rate limit. */
const lookUpSeconds = 25;
const turnMilliseconds = 8_000;

/** Runs lookups that users request. */
export class Expiry {
  readonly #lookUp: ExpiryLookUp;
  readonly #now: () => Date;

  constructor(lookUp: ExpiryLookUp, now: () => Date) {
    this.#lookUp = lookUp;
    this.#now = now;
  }

  /** Looks up a domain's expiry date and stores it, even over a manually set one. @throws AppError NOT_FOUND, FORBIDDEN */
  async check(em: EntityManager, caller: Caller, id: string) {
    const zone = await zoneFor(em, caller, id, "manage");
    const finding = await this.#find(zone.name);
    const now = this.#now();
    await em.transactional(async (tx) => {
      const kept = await keepFinding(tx, zone.id, finding, { now, byItself: false });
      if (!kept) throw notFound("domain");
      const told = changedFields({ ...kept.before }, { ...kept.after });
      await writeEntry(tx, now, caller, {
        action: "domain.check_expiry",
        targetType: "domain",
        targetId: zone.id,
        before: told?.before ?? {},
        after: { ...told?.after, success: finding.kind === "found" },
      });
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
      error: finding.kind === "found" ? null : finding.message,
    };
  }

  async #find(name: string): Promise<Finding> {
    const signal = AbortSignal.timeout(lookUpSeconds * 1_000);
    try {
      return await this.#lookUp.find(name, { turnMilliseconds, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      return failure(`The look-up took longer than ${lookUpSeconds} s; try again.`);
    }
  }
}
