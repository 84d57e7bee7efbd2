import { sql } from "kysely";
import { type Caller, hasPermission } from "../../access/caller.ts";
import { rightsOf } from "../../access/zone-access.ts";
import { type Database, queries, type EntityManager } from "../../database/database.ts";
import { dsText, parseDs, readKey, standsFor, type Ds, type ZoneKey } from "../../dns/dnssec/keys.ts";
import { ownerWithin, zoneNameOf } from "../../dns/names/names.ts";
import { isActive } from "../../dns/record.ts";
import { ancestorsOf } from "../../dns/server-rules/known-names.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { ProviderError, throughProvider, type ZoneSigner } from "../../dns-providers/provider.ts";
import { writeEntry, type AuditEvent } from "../../notifications/audit/audit.ts";
import { AppError, badField } from "../../platform/errors.ts";
import type { Pause } from "../../platform/pause.ts";
import { dsToPublish } from "../../registry/dnssec/findings.ts";
import type { DnssecSeen } from "../../registry/dnssec/observe.ts";
import type { Dnssec } from "../../registry/dnssec/service.ts";
import type { Registrations } from "../../registry/registrars/registrations.ts";
import type { ReviewPolicy } from "../changes/locks-and-reviews.ts";
import { LiveNames } from "../changes/state/live-queries.ts";
import { lostLease, readZoneContext, withZone, type ZoneContext } from "../changes/zone-context.ts";
import type { DriftJob } from "../drift/drift-job.ts";
import type { ChangeInput } from "../records/change-schemas.ts";
import type { Records } from "../records/service.ts";

interface Parts {
  database: Database;
  connections: ProviderConnections;
  dnssec: Dnssec;
  registrations: Registrations;
  records: Records;
  drift: Pick<DriftJob, "checkZone">;
  review: Pick<ReviewPolicy, "refuseRegistration">;
  pause: Pause;
  now: () => Date;
}

/** How signing is turned on or off, as a client asks for it. */
interface Setting {
  id: string;
  enabled: boolean;
  force: boolean;
  message?: string | undefined;
  override?: boolean | undefined;
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

const lost = "Another process may be changing this zone, so nothing was sent. Try again in a few seconds.";

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
   *   CONFIRMATION_REQUIRED if the parent zone cannot be asked; REVIEW_REQUIRED to turn it off
   */
  async set(em: EntityManager, caller: Caller, { id, enabled, force, message, override }: Setting) {
    const { database, connections, dnssec } = this.#parts;
    // Callers without the right do not wait for the lease.
    const { provider, ...asked } = await readZoneContext(em, connections, { domainId: id, caller, need: "manage" });
    if (!provider?.signing) throw new AppError("CONFLICT", whoSigns(asked));
    // A first look after the zone is signed could not tell DS records that are to come from those that were removed.
    if (enabled && (await dnssec.get(em, caller, id)).checkedAt === null) await dnssec.look(em, asked);
    const setting = { id, enabled, force, message, override };
    const { zone, signing, changed } = await withZone(database, id, async (isHeld) => {
      return await this.#setAlone(em, caller, setting, async () => {
        if (!isHeld()) throw await lostLease(database.fork(), id, lost);
      });
    });
    if (changed) await this.#learn(zone);
    for (let look = 1; ; look++) {
      const seen = await dnssec.look(em, zone);
      // Null: the domain is not checked, or no server answers yet.
      const keys = seen?.apex.keys ?? null;
      if (keys === null || keys.length > 0 === enabled || look === mostLooks) break;
      await this.#parts.pause(betweenLooks);
    }
    const view = await dnssec.get(em, caller, id);
    if (!enabled || view.dsToPublish.length > 0) return view;
    return { ...view, dsToPublish: dsShown(zone.name, await shownKeys(signing, zone.providerZone)) };
  }

  async #setAlone(
    em: EntityManager,
    caller: Caller,
    { id, enabled, force, message, override }: Setting,
    beforeCall: () => Promise<void>,
  ) {
    const { connections, review } = this.#parts;
    const zone = await readZoneContext(em, connections, { domainId: id, caller, need: "manage" });
    const signing = zone.provider?.signing;
    if (!signing) throw new AppError("CONFLICT", whoSigns(zone));
    const isOn = await throughProvider(isSigned(signing, zone.providerZone));
    const idle = enabled || isOn || !signing.idleKeys ? 0 : await throughProvider(signing.idleKeys(zone.providerZone));
    const changed = isOn !== enabled || idle > 0;
    if (!changed) return { zone, signing, changed };
    // Turning it on changes nothing for resolvers until DS records are published.
    const by = { role: caller.role, message, override };
    const reviewOverridden = !enabled && review.refuseRegistration(zone, by, "turn its DNSSEC off");
    if (!enabled) await this.#refuseWhileTrusted(em, caller, zone, force);
    await beforeCall();
    await this.#carryOut(em, caller, zone, signing, { enabled, idle, message, reviewOverridden });
    return { zone, signing, changed };
  }

  /** Makes the provider's call, checks what it did, and writes the audit entry, also if the outcome is unknown. @throws AppError PROVIDER_ERROR */
  async #carryOut(
    em: EntityManager,
    caller: Caller,
    { id, kind, providerZone }: ZoneContext,
    signing: ZoneSigner,
    about: { enabled: boolean; idle: number; message?: string | undefined; reviewOverridden: boolean },
  ): Promise<void> {
    const { enabled, idle, message, reviewOverridden } = about;
    const word = enabled ? "on" : "off";
    const before = idle > 0 ? { enabled, inactiveKeys: idle } : { enabled: !enabled };
    const after = {
      enabled,
      ...(message === undefined ? {} : { message }),
      ...(reviewOverridden ? { reviewOverridden } : {}),
    };
    const write = (event: Pick<AuditEvent, "action" | "after">) =>
      em.transactional(async (tx) => {
        const target = { targetType: "domain", targetId: id, before };
        await writeEntry(tx, this.#parts.now(), caller, { ...target, ...event });
      });
    // Leaves a trace even if this process ends before the provider has answered.
    await write({ action: "domain.send_dnssec", after });
    let refusal: unknown = null;
    const error = await signing.set(providerZone, enabled).then(
      async () => {
        // Where the keys cannot be read, the answer counts.
        const isOn = await isSigned(signing, providerZone).catch(() => null);
        if (isOn === null || isOn === enabled) return null;
        const instead = enabled ? "lists no active key" : "still lists keys";
        return `${kind.name} answered that DNSSEC is ${word}, but ${instead}. Look at the zone there.`;
      },
      (failure: unknown) => {
        if (failure instanceof ProviderError && failure.effect === "unknown")
          return `${failure.message} DNSSEC may have been turned ${word}. Look at the domain's DNSSEC before you try again.`;
        refusal = failure;
        if (failure instanceof ProviderError) return `${failure.message} Nothing was changed.`;
        return `An internal error occurred. DNSSEC may have been turned ${word}.`;
      },
    );
    await write({ action: "domain.set_dnssec", after: { ...after, ...(error === null ? {} : { error }) } });
    if (refusal !== null) await throughProvider(Promise.reject(refusal));
    if (error !== null) throw new AppError("PROVIDER_ERROR", error);
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
    const { dnssec, now } = this.#parts;
    const trusted = (where: string) =>
      new AppError(
        "CONFLICT",
        `${where} has DS records of ${name}, so resolvers would refuse the domain without its signatures. Remove the DS records first, and wait for their TTL.`,
      );
    // Whoever may not see the parent zone is held back by its DS records all the same.
    const parent = await parentHere(em, zone);
    if (parent && (await dsIn(em, parent)).length > 0)
      throw trusted((await rightsOf(em, caller, parent.id)) ? `The zone ${parent.name}` : "The parent zone");
    if (parent && (await isChanging(em, parent)))
      throw new AppError(
        "CONFLICT",
        "A change of the parent zone is not finished, and may add DS records. Try again in a minute.",
      );
    const { registrar, name: registered } = await this.#parts.registrations.get(em, caller, zone.id);
    if (registered === name && zone.view === "" && (registrar?.ds ?? []).length > 0)
      throw trusted("The registrar, when it was last read,");
    const seen = await dnssec.look(em, zone);
    if (seen?.parentDs && seen.parentDs.length > 0) throw trusted("The parent zone");
    const last = seen && (await dnssec.lastDs(em, zone.id));
    // Where no check ever saw DS records, none may see them go, either: their change at the registrar counts.
    const gone = last && (last.goneAt ?? last.notedAt);
    if (last && gone === null) throw trusted("The parent zone does not answer now. When it last did, it");
    const seenUntil = last && gone ? gone.getTime() + last.ttl * 1_000 : 0;
    const storedUntil = parent ? ((await cachedUntil(em, parent))?.getTime() ?? 0) : 0;
    const until = Math.max(seenUntil, storedUntil);
    if (until > now().getTime())
      throw new AppError(
        "CONFLICT",
        `Resolvers may remember the removed DS records of ${name} until ${new Date(until).toISOString()}. Turn DNSSEC off after that.`,
      );
    if ((seen ? seen.parentDs : parent) || force) return;
    const silent = last?.notedAt
      ? "Its DS records were changed at the registrar, and the parent zone did not answer"
      : "The parent zone did not answer";
    const why = seen === null ? "This domain is not checked from outside" : silent;
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
    const { database, connections, dnssec } = this.#parts;
    const reading = { domainId: input.id, caller, need: "manage" } as const;
    // Servers that do not answer must not hold the zone.
    const seen = await dnssec.look(em, await readZoneContext(em, connections, reading));
    const servers = await this.#parts.registrations.ask(em, caller, input.id);
    return await withZone(database, input.id, async (isHeld) => {
      const zone = await readZoneContext(em, connections, reading);
      const { keys, confirmed } = keysToTrust(zone, seen, await providerKeys(zone));
      const own = dsShown(zone.name, confirmed, seen?.apex.keySigners);
      const shown = { domainId: zone.id, dsToPublish: own };
      const wanted = (before: readonly string[]) => [...new Set([...before.filter(matching(zone, keys)), ...own])];
      const registration = await this.#parts.registrations.get(em, caller, zone.id);
      const { registrar } = registration;
      if (registrar?.changes.includes("ds") && registration.name === zone.name && zone.view === "") {
        let after: string[] = [];
        const dsFrom = (present: readonly string[]) => (after = wanted(present).toSorted());
        const { dryRun, planHash, force, message, override } = input;
        const change = { id: zone.id, dsFrom, keys, dryRun, planHash, force, message, override };
        const held = { isHeld, seen: servers };
        const { changes, ...result } = await this.#parts.registrations.changeHeld(em, caller, change, held);
        const [changed] = changes;
        const before = changed ? changed.before : after;
        return {
          ...shown,
          through: "registrar" as const,
          parentZone: null,
          before: Array.isArray(before) ? before : null,
          after,
          warnings: result.warnings,
          planHash: result.planHash,
          applied: result.applied,
          instructions: null,
        };
      }
      const parent = await parentHere(em, zone);
      if (!parent || !(await rightsOf(em, caller, parent.id))) {
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
    // What is added are DS records of keys that the zone serves, so nobody has to look at a plan first. What is removed may be of a key to come.
    const removed = before.filter((one) => !after.includes(one));
    if (removed.length > 0 && planHash === undefined)
      throw badField(
        ["planHash"],
        `This removes the DS records ${removed.join(", ")}, which match no key. Send the \`planHash\` of a plan, which \`dryRun: true\` returns.`,
      );
    const applying = { ...asked, message, override, force, planHash: planHash ?? plan.planHash };
    try {
      await this.#parts.records.apply(em, caller, applying);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "REVIEW_REQUIRED") throw error;
      // "This domain" would be taken for the one whose DS records are published.
      throw new AppError(
        "REVIEW_REQUIRED",
        `The DS records are records of ${parent.name}, which requires a review of each change. Request one with POST /api/domains/${parent.id}/change-requests.`,
        { cause: error },
      );
    }
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
  hetzner: "Hetzner does not sign zones. Serve the zone elsewhere to have it signed.",
  webhook: "The service behind the webhook decides whether it signs the zone.",
};

/** What a provider shows of a zone's keys: the keys themselves, or only their DS records. */
interface ShownKeys {
  keys: ZoneKey[];
  ds: Ds[];
}

async function isSigned(signing: ZoneSigner, zone: string): Promise<boolean> {
  return signing.isOn ? await signing.isOn(zone) : (await signing.keys(zone)).length > 0;
}

/** @throws AppError PROVIDER_ERROR */
async function shownKeys(signing: ZoneSigner, zone: string): Promise<ShownKeys> {
  const shown = await throughProvider(signing.keys(zone));
  return {
    keys: shown.flatMap((one) => (typeof one === "string" ? [] : (readKey(one) ?? []))),
    ds: shown.flatMap((one) => (typeof one === "string" ? (parseDs(one) ?? []) : [])),
  };
}

/** Returns the DS records to publish. */
function dsShown(zone: string, { keys, ds }: ShownKeys, keySigners?: readonly number[]): string[] {
  return [...dsToPublish(zone, keys, keySigners), ...ds].map(dsText);
}

/** Returns what the provider shows; null if it has no call for signing, or signs the zone without showing its keys. */
async function providerKeys({ provider, providerZone }: ZoneContext): Promise<ShownKeys | null> {
  if (!provider?.signing) return null;
  const shown = await shownKeys(provider.signing, providerZone);
  const isHidden = shown.keys.length + shown.ds.length === 0 && provider.signing.isOn !== undefined;
  return isHidden && (await throughProvider(isSigned(provider.signing, providerZone))) ? null : shown;
}

/**
 * Returns the keys that the zone's servers serve with valid signatures, and those of them whose DS records may be published: a cache or another
 * server may show keys that the provider does not have. What the provider shows, where nobody can look from outside.
 * @throws AppError CONFLICT if there are none
 */
function keysToTrust(
  { name, provider, kind }: ZoneContext,
  seen: DnssecSeen | null,
  atProvider: ShownKeys | null,
): { keys: ZoneKey[]; confirmed: ShownKeys } {
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
  const isHidden = atProvider === null && provider?.signing !== undefined;
  const isShown = atProvider !== null && atProvider.keys.length + atProvider.ds.length > 0;
  if (served === null && isHidden)
    throw new AppError(
      "CONFLICT",
      `${kind.name} does not show the keys of ${name}, and this domain is not checked from outside. Enter the DS records that its console shows.`,
    );
  if (served === null && isShown) return { keys: atProvider.keys, confirmed: atProvider };
  const keys = served ?? [];
  if (keys.length === 0)
    throw new AppError(
      "CONFLICT",
      isShown || isHidden
        ? `The servers of ${name} do not serve its keys yet. Try again when they have the signed zone.`
        : `${name} is not signed, so it has no DS records to publish. Turn DNSSEC on first.`,
    );
  const confirmed = atProvider
    ? keys.filter(
        (key) =>
          atProvider.keys.some(({ rdata }) => rdata === key.rdata) ||
          atProvider.ds.some((ds) => standsFor(ds, key, name)),
      )
    : keys;
  if (confirmed.length === 0)
    throw new AppError(
      "CONFLICT",
      `The keys that are served for ${name} are not those that ${kind.name} has. Resolvers may remember former keys: try again later. ` +
        "If another server signs the zone, enter its DS records at the registrar yourself.",
    );
  return { keys, confirmed: { keys: confirmed, ds: [] } };
}

/** Returns whether a DS record is of one of the keys. */
function matching({ name }: ZoneContext, keys: readonly ZoneKey[]) {
  return (text: string) => {
    const ds = parseDs(text);
    return ds !== null && keys.some((key) => standsFor(ds, key, name));
  };
}

/** Returns the domain here that delegates a zone, whoever may see it; null if there is none. Views have their own trees. */
async function parentHere(
  em: EntityManager,
  { name, view }: Pick<ZoneContext, "name" | "view">,
): Promise<ParentZone | null> {
  const above = ancestorsOf(name);
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
  if (!row) return null;
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

/** Returns whether a change of a zone is still under way, or its outcome is not known yet. */
async function isChanging(em: EntityManager, { id }: ParentZone): Promise<boolean> {
  const row = await queries(em)
    .selectFrom("change_sets")
    .select("id")
    .where("domain_id", "=", id)
    .where("state", "=", "pending")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns until when resolvers may remember DS records that a delegation had; null if it had none, as far as is known. */
async function cachedUntil(em: EntityManager, { id, child }: ParentZone): Promise<Date | null> {
  const row = await queries(em)
    .selectFrom("records")
    .innerJoin("change_sets", (join) =>
      join.onRef("change_sets.domain_id", "=", "records.domain_id").onRef("change_sets.revision", "=", "records.until"),
    )
    .select(
      sql<Date | null>`max(coalesce(change_sets.finished_at, change_sets.created_at) + records.ttl * interval '1 second')`.as(
        "until",
      ),
    )
    .where("records.domain_id", "=", id)
    .where("records.name", "=", child)
    .where("records.record_type", "=", "DS")
    .where("records.until", "is not", null)
    .executeTakeFirst();
  return row?.until ?? null;
}
