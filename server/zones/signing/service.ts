import { sql } from "kysely";
import { type Caller, hasPermission } from "../../access/caller.ts";
import { rightsOf } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { dsText, parseDs, readKey, standsFor, type ZoneKey } from "../../dns/dnssec/keys.ts";
import { ownerWithin, zoneNameOf } from "../../dns/names/names.ts";
import { isActive } from "../../dns/record.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { ProviderError, throughProvider } from "../../dns-providers/provider.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import { AppError } from "../../platform/errors.ts";
import type { Pause } from "../../platform/pause.ts";
import { withKeyedMutex } from "../../platform/slices.ts";
import { nameAbove } from "../../registry/delegation/resolver.ts";
import { dsToPublish } from "../../registry/dnssec/findings.ts";
import type { DnssecSeen } from "../../registry/dnssec/observe.ts";
import type { Dnssec } from "../../registry/dnssec/service.ts";
import type { Registrations } from "../../registry/registrars/registrations.ts";
import { LiveNames } from "../changes/state/live-queries.ts";
import { readZoneContext, type ZoneContext } from "../changes/zone-context.ts";
import type { DriftJob } from "../drift/drift-job.ts";
import type { ChangeInput } from "../records/change-schemas.ts";
import type { Records } from "../records/service.ts";

interface Parts {
  connections: ProviderConnections;
  dnssec: Dnssec;
  registrations: Registrations;
  records: Records;
  drift: Pick<DriftJob, "checkZone">;
  pause: Pause;
  now: () => Date;
}

/** How DS records are published, as a client asks for it. */
interface Publishing {
  id: string;
  dryRun: boolean;
  planHash?: string | undefined;
  force: boolean;
  message?: string | undefined;
  override?: boolean | undefined;
  unlock?: boolean | undefined;
}

/** A domain here that delegates another one. */
interface ParentZone {
  id: string;
  name: string;
  /** The delegated name, relative to it. */
  child: string;
}

/** How often, and with which pause, the zone's servers are asked for new signatures. */
const mostLooks = 5;
const betweenLooks = 1_000;

/** Turns the signing of zones on and off at their providers, and publishes their DS records. */
export class Signing {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Turns signing on or off, and checks the domain.
   * @throws AppError NOT_FOUND, FORBIDDEN, PROVIDER_ERROR; CONFLICT if the provider cannot, or while resolvers may have DS records;
   *   CONFIRMATION_REQUIRED if the parent zone cannot be asked
   */
  async set(
    em: EntityManager,
    caller: Caller,
    { id, enabled, force }: { id: string; enabled: boolean; force: boolean },
  ) {
    return await withKeyedMutex(`dnssec ${id}`, async () => {
      const { connections, dnssec, now } = this.#parts;
      const zone = await readZoneContext(em, connections, { domainId: id, caller, need: "manage" });
      const signing = zone.provider?.signing;
      if (!signing) throw new AppError("CONFLICT", whoSigns(zone));
      const isOn = (await throughProvider(signing.keys(zone.providerZone))).length > 0;
      if (isOn !== enabled) {
        if (!enabled) await this.#refuseWhileTrusted(em, caller, zone, force);
        await throughProvider(signing.set(zone.providerZone, enabled));
        await em.transactional(async (tx) => {
          await writeEntry(tx, now(), caller, {
            action: "domain.set_dnssec",
            targetType: "domain",
            targetId: id,
            before: { enabled: isOn },
            after: { enabled },
          });
        });
        await this.#learn(zone);
      }
      for (let look = 1; ; look++) {
        const seen = await dnssec.look(em, zone);
        // Null: the domain is not checked, or no server answers yet.
        const keys = seen?.apex.keys ?? null;
        if (keys === null || keys.length > 0 === enabled || look === mostLooks) break;
        await this.#parts.pause(betweenLooks);
      }
      const view = await dnssec.get(em, caller, id);
      if (!enabled || view.dsToPublish.length > 0) return view;
      const keys = keysIn(await throughProvider(signing.keys(zone.providerZone)));
      return { ...view, dsToPublish: dsToPublish(zone.name, keys).map(dsText) };
    });
  }

  /** Has the next reading of the zone know whether it is signed. */
  async #learn({ provider, configId, providerZone }: ZoneContext): Promise<void> {
    if (!provider?.signs) return;
    try {
      await this.#parts.drift.checkZone(configId, providerZone, this.#parts.now());
    } catch (error) {
      // The daily comparison reads it again.
      if (!(error instanceof ProviderError)) throw error;
    }
  }

  /** @throws AppError CONFLICT while resolvers may have DS records, CONFIRMATION_REQUIRED if that cannot be known */
  async #refuseWhileTrusted(em: EntityManager, caller: Caller, zone: ZoneContext, force: boolean): Promise<void> {
    const { name } = zone;
    const parent = await parentHere(em, caller, zone);
    const trusted = (where: string) =>
      new AppError(
        "CONFLICT",
        `${where} has DS records of ${name}, so resolvers would refuse the domain without its signatures. Remove the DS records first, and wait for their TTL.`,
      );
    if (parent && (await dsIn(em, parent)).length > 0) throw trusted(`The zone ${parent.name}`);
    const seen = await this.#parts.dnssec.look(em, zone);
    if (seen?.parentDs && seen.parentDs.length > 0) throw trusted("The parent zone");
    const gone = parent ? await removedIn(em, parent) : seen && (await this.#parts.dnssec.lastDs(em, zone.id));
    const until = gone ? new Date(gone.at.getTime() + gone.ttl * 1_000) : null;
    if (until && until > this.#parts.now())
      throw new AppError(
        "CONFLICT",
        `Resolvers may remember the removed DS records of ${name} until ${until.toISOString()}. Turn DNSSEC off after that.`,
      );
    if ((parent ?? seen?.parentDs) || force) return;
    const why = seen === null ? "This domain is not checked from outside" : "The parent zone did not answer";
    throw new AppError(
      "CONFIRMATION_REQUIRED",
      `${why}, so it is not known whether it has DS records of ${name}. Make sure that it has none, then repeat the call with force: true.`,
    );
  }

  /**
   * Publishes the DS records of a zone's keys at its registrar or in the parent zone, if that is a domain here; or plans it.
   * @throws AppError as a change of the registration, or of records in the parent zone; CONFLICT if there is no key
   */
  async publish(em: EntityManager, caller: Caller, input: Publishing) {
    return await withKeyedMutex(`dnssec ${input.id}`, async () => {
      const { connections, dnssec } = this.#parts;
      const zone = await readZoneContext(em, connections, { domainId: input.id, caller, need: "manage" });
      const keys = keysToTrust(zone, await dnssec.look(em, zone), await providerKeys(zone));
      const own = dsToPublish(zone.name, keys).map(dsText);
      const shown = { domainId: zone.id, dsToPublish: own };
      const wanted = (before: readonly string[]) => [...new Set([...before.filter(matching(zone, keys)), ...own])];
      const registration = await this.#parts.registrations.get(em, caller, zone.id);
      const { registrar } = registration;
      if (registrar?.changes.includes("ds") && registration.name === zone.name && zone.view === "") {
        const ds = wanted(registrar.ds ?? []);
        const { dryRun, planHash, force, message, override } = input;
        const change = { id: zone.id, ds, keys, dryRun, planHash, force, message, override };
        const { changes, ...result } = await this.#parts.registrations.change(em, caller, change, async () => {});
        const [changed] = changes;
        const before = changed ? changed.before : ds;
        return {
          ...shown,
          through: "registrar" as const,
          parentZone: null,
          before: Array.isArray(before) ? before : null,
          after: ds,
          warnings: result.warnings,
          planHash: result.planHash,
          applied: result.applied,
          instructions: null,
        };
      }
      const parent = await parentHere(em, caller, zone);
      if (!parent) {
        const where = zone.view === "" ? "at the registrar, or in the parent zone" : "in the parent zone";
        return {
          ...shown,
          through: null,
          parentZone: null,
          before: null,
          after: own,
          warnings: [],
          planHash: null,
          applied: false,
          instructions: `Enter these DS records of ${zone.name} ${where}: ${own.join(", ")}.`,
        };
      }
      return { ...shown, ...(await this.#publishIn(em, caller, parent, input, wanted)) };
    });
  }

  async #publishIn(
    em: EntityManager,
    caller: Caller,
    parent: ParentZone,
    input: Publishing,
    wanted: (before: readonly string[]) => string[],
  ) {
    // The permission of this call is for registrations.
    if (!hasPermission(caller, "records:write"))
      throw new AppError(
        "FORBIDDEN",
        `The DS records are records of ${parent.name}. Use a token that also has the permission records:write.`,
      );
    const present = await dsIn(em, parent);
    const before = present.map(({ ds }) => ds).toSorted();
    const after = wanted(before).toSorted();
    const changes: ChangeInput[] = [
      ...present.filter(({ ds }) => !after.includes(ds)).map(({ id }) => ({ action: "delete" as const, recordId: id })),
      ...after
        .filter((ds) => !before.includes(ds))
        .map((value) => ({ action: "create" as const, record: { recordType: "DS", name: parent.child, value } })),
    ];
    const shown = {
      through: "parent_zone" as const,
      parentZone: { id: parent.id, name: parent.name },
      before,
      after,
      instructions: null,
    };
    if (changes.length === 0) return { ...shown, warnings: [], planHash: null, applied: false };
    const { unlock, message, override, force, planHash } = input;
    const asked = { id: parent.id, changes, unlock };
    const plan = await this.#parts.records.plan(em, caller, asked);
    const planned = { ...shown, warnings: plan.warnings, planHash: plan.planHash };
    if (input.dryRun) return { ...planned, applied: false };
    // What is added are DS records of keys that the zone serves, so nobody has to look at a plan first.
    await this.#parts.records.apply(em, caller, {
      ...asked,
      message,
      override,
      force,
      planHash: planHash ?? plan.planHash,
    });
    return { ...planned, applied: true };
  }
}

/** Returns where DNSSEC is turned on for a zone whose provider has no call for it. */
function whoSigns({ name, kind }: Pick<ZoneContext, "name" | "kind">): string {
  const advice = ownServers[kind.kind] ?? `Turn DNSSEC on or off for ${name} in the console of ${kind.name}.`;
  return `DNSSEC cannot be turned on or off through ${kind.name} here. ${advice} Then check the domain here, and publish its DS records.`;
}

const byPolicy =
  "The server decides whether it signs the zone: with dnssec-policy in BIND's named.conf, or dnssec-signing in Knot's knot.conf.";
const ownServers: Readonly<Record<string, string>> = {
  rfc2136: byPolicy,
  zonefile: byPolicy,
  primary: "A secondary can sign the zone while it copies it: see the guide on secondaries.",
  manual: "The servers that serve the zone decide whether they sign it.",
  webhook: "The service behind the webhook decides whether it signs the zone.",
};

function keysIn(rdata: readonly Buffer[]): ZoneKey[] {
  return rdata.flatMap((one) => readKey(one) ?? []);
}

async function providerKeys({ provider, providerZone }: ZoneContext): Promise<ZoneKey[]> {
  return provider?.signing ? keysIn(await throughProvider(provider.signing.keys(providerZone))) : [];
}

/**
 * Returns the keys whose DS records may be published: those that the zone's servers serve with valid signatures. Those of the provider,
 * where nobody can look from outside.
 * @throws AppError CONFLICT if there are none
 */
function keysToTrust({ name }: ZoneContext, seen: DnssecSeen | null, atProvider: ZoneKey[]): ZoneKey[] {
  const served = seen?.apex.keys ?? null;
  if (seen && served === null)
    throw new AppError(
      "CONFLICT",
      `The servers of ${name} do not answer, so nobody would find its keys. Try again later.`,
    );
  if (seen && seen.apex.fault !== null)
    throw new AppError(
      "CONFLICT",
      `${seen.apex.fault} With DS records, resolvers would refuse ${name}. Re-sign the zone first.`,
    );
  const keys = served ?? atProvider;
  if (keys.length > 0) return keys;
  throw new AppError(
    "CONFLICT",
    atProvider.length > 0
      ? `The servers of ${name} do not serve its keys yet. Try again when they have the signed zone.`
      : `${name} is not signed, so it has no DS records to publish. Turn DNSSEC on first.`,
  );
}

/** Returns whether a DS record is of one of the keys. */
function matching({ name }: ZoneContext, keys: readonly ZoneKey[]) {
  return (text: string) => {
    const ds = parseDs(text);
    return ds !== null && keys.some((key) => standsFor(ds, key, name));
  };
}

/** Returns the domain that delegates a zone, if it is one that the caller sees; null otherwise. Views have their own trees. */
async function parentHere(
  em: EntityManager,
  caller: Caller,
  { name, view }: Pick<ZoneContext, "name" | "view">,
): Promise<ParentZone | null> {
  const above: string[] = [];
  for (let next = nameAbove(name); next !== "."; next = nameAbove(next)) above.push(next);
  if (above.length === 0) return null;
  const row = await queries(em)
    .selectFrom("domains")
    .select(["id", "name"])
    .where("name", "in", above)
    .where("view", "=", view)
    .where("status", "=", "active")
    .orderBy(sql`length(name)`, "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row || !(await rightsOf(em, caller, row.id))) return null;
  const child = ownerWithin(zoneNameOf(name), row.name);
  if (child === null) return null;
  const between = above.slice(0, above.indexOf(row.name)).flatMap((one) => ownerWithin(one, row.name) ?? []);
  const records = (await new LiveNames(em, row.id).at([child, ...between])).filter(isActive);
  const cuts = new Set(records.filter(({ recordType }) => recordType === "NS").map((record) => record.name));
  return cuts.has(child) && !between.some((one) => cuts.has(one)) ? { ...row, child } : null;
}

/** Returns the live DS records of a delegation. */
async function dsIn(em: EntityManager, { id, child }: ParentZone): Promise<{ id: string; ds: string }[]> {
  const records = (await new LiveNames(em, id).at([child])).filter(isActive);
  return records.flatMap((record) => {
    const ds = record.recordType === "DS" ? parseDs(record.value) : null;
    return ds ? [{ id: record.id, ds: dsText(ds) }] : [];
  });
}

/** Returns when the last DS record of a delegation was removed, and its TTL; null if that is not known. */
async function removedIn(em: EntityManager, { id, child }: ParentZone): Promise<{ at: Date; ttl: number } | null> {
  const row = await queries(em)
    .selectFrom("records")
    .innerJoin("change_sets", (join) =>
      join.onRef("change_sets.domain_id", "=", "records.domain_id").onRef("change_sets.revision", "=", "records.until"),
    )
    .select(["records.ttl", "change_sets.finished_at", "change_sets.created_at"])
    .where("records.domain_id", "=", id)
    .where("records.name", "=", child)
    .where("records.record_type", "=", "DS")
    .where("records.until", "is not", null)
    .orderBy("records.until", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ? { at: row.finished_at ?? row.created_at, ttl: row.ttl } : null;
}
