import { writeEntry } from "../../notifications/audit/audit.ts";
import { type Caller, ZoneScope } from "../../access/caller.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { allMade } from "../../dns-providers/applying/apply-to-records.ts";
import { primary } from "../../dns-providers/primary.ts";
import type { ConnectedConfig } from "../../dns-providers/provider-configs.ts";
import {
  throughProvider,
  ProviderError,
  providerZoneOf,
  type BeforeCall,
  type DnsProvider,
  type ProviderKind,
} from "../../dns-providers/provider.ts";
import { AppError } from "../../platform/errors.ts";
import { bookmark } from "../changes/bookmark.ts";
import { noDrift, settle } from "../changes/settle.ts";
import type { Notifications } from "../../notifications/notify.ts";
import type { MirrorReconciler } from "../mirrors/reconciler.ts";
import { kindOfZone, limitIssues, withPlainTtls, asHeld } from "../records/provider-limits.ts";
import { refusalsOf } from "../../dns/server-rules/name-servers.ts";
import {
  conflictOf,
  followsExpiry,
  movedMeanwhile,
  refuseSharedZone,
  refuseTaken,
  refuseUnnamable,
  type MoveAbout,
} from "./identity.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { takeLease, zoneTurn, type Lease } from "../changes/zone-context.ts";
import { storeSigning, adoptSerial, hasSerial } from "../changes/state/store-signing.ts";
import { dataOf, isActive, isApexNs, recordKey, type LiveRecord, type PlannedChange } from "../../dns/record.ts";
import { isServerManaged, managedReason, withoutManaged, type ZoneSigning } from "../../dns/zone-file/type-names.ts";
import { liveZone } from "../changes/state/live-queries.ts";
import { callProvider, readAll, readWhole } from "../changes/provider-call.ts";
import { repairZone } from "../changes/repair.ts";
import { whileHeld } from "../changes/send-changes.ts";
import { announceZoneChange } from "../changes/zone-watchers.ts";
import { lostAt, ownTyped, planMove, withoutOwnOf, lastSerial, readOldSplits, sourceOf } from "./move-plan.ts";
import { planState } from "../../dns/desired-state.ts";
import { inSlices } from "../../platform/slices.ts";

const unsigned: ZoneSigning = { signed: false, managed: [] };

/** The domain's state at its new provider. */
interface Arrival {
  fingerprint: string | null;
  /** Our records that the target's own replace, including those it maintains itself. */
  changes: PlannedChange[];
  /** What the target maintains itself, as found there. */
  signing: ZoneSigning;
}

/** What a move depends on besides the zone. */
interface MoveCircumstances {
  force: boolean;
  about: MoveAbout;
  now: () => Date;
  notifications: Notifications;
  /** Brings a mirror to the newest revision. */
  mirrors: Pick<MirrorReconciler, "reconcile">;
}

/**
 * Writes a zone to another provider and then points the domain there. The zone at the old provider stays. Records that the target manages
 * itself are not written and do not block the move. They replace the domain's records of that kind, after a snapshot of the earlier state.
 * @throws AppError CONFLICT when the target serves other records for the zone, BAD_REQUEST when it cannot store ours, PROVIDER_ERROR. The
 * domain then stays where it is. A mirror there gets the newest records first.
 */
export async function moveZone(
  database: Database,
  connections: ProviderConnections,
  domain: { id: string; name: string; view: string; providerConfigId: string },
  { view, ...target }: ConnectedConfig & { view: string },
  caller: Caller,
  { force, about, now, notifications, mirrors }: MoveCircumstances,
): Promise<void> {
  const fork = () => database.fork();
  using turn = await zoneTurn(domain.id);
  await using lease = await takeLease(fork, domain.id, turn.deadline);
  // An interrupted change may have reached the old provider. It can be read back only before the move.
  const resolution = force ? "abandon" : "wait";
  await repairZone(fork(), domain.id, lease, { connections, notifications, now, resolution, actor: caller });
  const source = await sourceOf(fork(), domain.id);
  if (source.view !== domain.view || source.stored.id !== domain.providerConfigId) throw movedMeanwhile();
  if (source.splitsUnread) await readOldSplits(fork(), source, connections);
  const placed = { ...domain, view, providerConfigId: target.id };
  const zone = providerZoneOf(target.kind, placed);
  refuseUnnamable(target.kind, zone);
  await refuseTaken(fork(), placed);
  await refuseSharedZone(fork(), { ...placed, providerZone: zone }, caller.role === "admin");
  // Disabled records stay as they are: no provider has them.
  const active = (await liveZone(fork(), domain.id, ZoneScope.all)).filter(isActive);
  const records = withoutManaged(active, source.signed);
  const { records: wanted } = await inSlices(asHeld(withPlainTtls(source.kind, target.kind, records), target.kind));
  const written = withoutOwnOf(target.kind, wanted);
  refuseBeyondLimits(written, await limitsThere(target, zone, written), domain.name);
  // Between providers of the same kind, existing violations of the server rules move with the zone.
  if (source.kind.kind !== target.kind.kind) refuseUnloadable(written, target.kind, domain.name);
  const { provider } = target;
  if (provider) await completeMirror(fork, { domainId: domain.id, configId: target.id }, mirrors, now);
  const move = { records, wanted };
  const arrival = provider
    ? await throughProvider(fill(target.kind, provider, { ...placed, zone }, move, whileHeld(lease)))
    : { fingerprint: null, changes: heldHere(target, move), signing: unsigned };
  const adopts = target.kind.makesSerials && !(await isServedHere(fork(), domain.id));
  const last = adopts ? await lastSerial(source, connections) : null;
  const stored = fork().transactional(async (tx) => {
    const returns = target.kind.makesSerials === true && (await hasSerial(tx, domain.id));
    await arrive(tx, domain, { configId: target.id, zone, view, caller, now: now() }, arrival, lease);
    if (target.kind.makesSerials) await adoptSerial(tx, domain.id, { last, returns });
    if (target.kind.makesSerials) announceZoneChange(tx, { domainId: domain.id, ...(await reached(tx, domain.id)) });
    await writeEntry(tx, now(), caller, {
      action: "domain.move",
      targetType: "domain",
      targetId: domain.id,
      before: { providerConfigId: domain.providerConfigId, ...(view === domain.view ? {} : { view: domain.view }) },
      after: { providerConfigId: target.id, ...(view === domain.view ? {} : { view }), ...about },
    });
  });
  await stored.catch(async (error: unknown) => {
    throw await conflictOf(fork(), { ...placed, providerZone: zone }, error);
  });
}

/**
 * Brings the mirror that a domain has at the target to the newest revision, so that nothing has to be copied. The lease of the move keeps the
 * zone from changing meanwhile.
 * @throws AppError CONFLICT if the mirror cannot get there, UNAVAILABLE while its provider may not show what it has
 */
async function completeMirror(
  fork: () => EntityManager,
  { domainId, configId }: { domainId: string; configId: string },
  mirrors: MoveCircumstances["mirrors"],
  now: () => Date,
): Promise<void> {
  const read = async () =>
    await queries(fork())
      .selectFrom("mirrors as m")
      .innerJoin("domains as d", "d.id", "m.domain_id")
      .select(["m.id", "m.revision", "m.error", "m.failures", "m.foreign_records", "m.settles_at"])
      .select("d.revision as newest")
      .where("m.domain_id", "=", domainId)
      .where("m.provider_config_id", "=", configId)
      .executeTakeFirst();
  const found = await read();
  if (!found) return;
  await mirrors.reconcile(found.id);
  const mirror = await read();
  if (!mirror) return;
  const { revision, newest, foreign_records: foreign } = mirror;
  const seconds = Math.ceil(((mirror.settles_at?.getTime() ?? 0) - now().getTime()) / 1_000);
  if (mirror.failures === 0 && seconds > 0)
    throw new AppError(
      "UNAVAILABLE",
      `The mirror's provider may not show its newest records yet. Try again in ${seconds} seconds.`,
      {
        retryAfterSeconds: seconds,
      },
    );
  const why =
    mirror.failures > 0
      ? `The mirror does not follow the domain: ${mirror.error ?? ""} Reconcile it, then try again.`
      : revision !== newest
        ? `The mirror does not have the newest records (revision ${revision ?? 0} of ${newest}). Reconcile it, then try again.`
        : foreign > 0
          ? `The mirror has records that are not the domain's (${foreign}). Reconcile it with \`force: true\` to delete them, then try again.`
          : null;
  if (why !== null) throw new AppError("CONFLICT", why);
}

/** Returns whether secondaries transfer the zone from here already, because a mirror of it is of such a kind. */
async function isServedHere(em: EntityManager, domainId: string): Promise<boolean> {
  const row = await queries(em)
    .selectFrom("mirrors")
    .innerJoin("provider_configs", "provider_configs.id", "mirrors.provider_config_id")
    .select("provider_configs.kind")
    .where("mirrors.domain_id", "=", domainId)
    .where("provider_configs.kind", "=", primary.kind)
    .executeTakeFirst();
  return row !== undefined;
}

async function reached(tx: EntityManager, domainId: string): Promise<{ revision: number; changeSetId: null }> {
  const { revision } = await queries(tx)
    .selectFrom("domains")
    .select("revision")
    .where("id", "=", domainId)
    .executeTakeFirstOrThrow();
  return { revision, changeSetId: null };
}

/** Returns the changes that a move to a kind without a back end makes: its name servers replace those at the apex. */
function heldHere(
  { kind, initialRecords }: ConnectedConfig,
  { records, wanted }: Parameters<typeof planMove>[2],
): PlannedChange[] {
  const own = initialRecords();
  const kept = own.length === 0 ? wanted : wanted.filter((record) => !isApexNs(record));
  return planState(records, [...withoutOwnOf(kind, kept), ...own]).changes;
}

/** Points the domain at its new provider and stores the records it has there. @throws AppError UNAVAILABLE */
async function arrive(
  tx: EntityManager,
  { id: domainId, name, view: viewBefore }: { id: string; name: string; view: string },
  { configId, zone, view, caller, now }: { configId: string; zone: string; view: string; caller: Caller; now: Date },
  { fingerprint, changes, signing }: Arrival,
  lease: Lease,
): Promise<void> {
  if (changes.length > 0) await bookmark(tx, domainId, { trigger: "on_change", createdBy: caller.userId, now });
  // Ends the records that the target maintains, as every read does. They are excluded from the changes below.
  await storeSigning(tx, domainId, signing, now);
  const others = changes.filter(({ before }) => !(signing.signed && before && isServerManaged(before)));
  if (others.length > 0) {
    const outcomes = allMade(others);
    await settle(tx, domainId, {
      kind: "sync",
      actorId: caller.userId,
      actor: caller,
      changes: others,
      outcomes,
      lease,
      locked: null,
      fingerprint,
      repaired: false,
      now,
    });
  }
  const moved = await queries(tx)
    .updateTable("domains")
    .set({ view, provider_config_id: configId, provider_zone: zone, provider_fingerprint: fingerprint, ...noDrift })
    .$if(view !== viewBefore, (update) => update.set({ auto_check_expiry: followsExpiry(name, view) }))
    .where("id", "=", domainId)
    .where("view", "=", viewBefore)
    .where("lease_token", "=", lease.token)
    .executeTakeFirst();
  // A mirror becomes the main provider.
  await queries(tx)
    .deleteFrom("mirrors")
    .where("domain_id", "=", domainId)
    .where("provider_config_id", "=", configId)
    .execute();
  if (moved.numUpdatedRows > 0n) return;
  throw new AppError("UNAVAILABLE", "The move took too long and was given up; try again.", { retryAfterSeconds: 5 });
}

/** Returns the target's limits for this zone, or its general limits if the zone does not exist yet. @throws AppError PROVIDER_ERROR */
async function limitsThere(
  { kind, provider }: ConnectedConfig,
  providerZone: string,
  records: readonly LiveRecord[],
): Promise<ProviderKind> {
  const ttls = records.map(({ ttl }) => ttl);
  return await kindOfZone({ providerZone, kind, provider }, ttls).catch((error: unknown) => {
    if (error instanceof AppError && error.cause instanceof ProviderError && error.cause.zoneMissing) return kind;
    throw error;
  });
}

/** @param hint text appended to the error message. @throws AppError BAD_REQUEST */
function refuseBeyondLimits(records: readonly LiveRecord[], kind: ProviderKind, zone: string, hint = ""): void {
  const issues = records.flatMap((record) =>
    limitIssues(record, kind, zone).map(({ message }) => ({
      path: ["providerConfigId"],
      message: `${record.name} ${record.recordType}: ${message}`,
    })),
  );
  if (issues.length === 0) return;
  throw new AppError("BAD_REQUEST", `${kind.name} cannot store ${issues.length} of this zone's records.${hint}`, {
    issues: issues.slice(0, 100),
  });
}

/** @throws AppError BAD_REQUEST if the target's name servers would refuse to load the zone */
function refuseUnloadable(records: readonly LiveRecord[], kind: ProviderKind, zone: string): void {
  const reasons = kind.serverRules ? refusalsOf(zone, records, kind.serverRules) : [];
  const [first] = reasons;
  if (first === undefined) return;
  throw new AppError("BAD_REQUEST", first, {
    issues: reasons.slice(0, 100).map((message) => ({ path: ["providerConfigId"], message })),
  });
}

/**
 * Writes our records to the target's zone. The zone may hold the target's own records and part of ours from an interrupted move. A zone that
 * already has the same records is left unchanged. The fingerprint is null if there is none or another writer changed the zone meanwhile.
 */
async function fill(
  kind: ProviderKind,
  provider: DnsProvider,
  { name, view, zone }: { name: string; view: string; zone: string },
  move: Parameters<typeof planMove>[2],
  beforeCall: BeforeCall,
): Promise<Arrival> {
  await refuseLeftBehind(kind, provider, zone, move.wanted);
  await provider.createZone(zone);
  const found = await provider.fingerprint(zone).catch(() => null);
  const { records: present, signing } = await readWhole(provider, zone);
  const readOnly = new Map(await provider.readOnlyRecords?.(zone));
  // A target that signs generates its own signatures and keys, so ours are not written.
  for (const record of signing.signed ? move.records.filter(isServerManaged) : []) {
    readOnly.set(recordKey(record), managedReason(record));
  }
  const { missing, foreign, same, changes } = planMove(kind, readOnly, move, present);
  if (same) {
    // An earlier attempt may have stored them without having them served.
    await provider.publish?.(zone);
    return { fingerprint: found, changes, signing };
  }
  if (foreign.length > 0) {
    throw new AppError(
      "CONFLICT",
      `${qualifiedName({ name, view })} has other records at that provider; empty the zone there first, or import it from there.`,
    );
  }
  const ttls = missing.map(({ ttl }) => ttl);
  const hint = " The zone there stays as it is, without them.";
  refuseBeyondLimits(missing, await kindOfZone({ providerZone: zone, kind, provider }, ttls), name, hint);
  const { outcomes, before, after } = await callProvider(
    provider,
    zone,
    missing.map((record) => ({ action: "create", before: null, after: dataOf(record) })),
    // Existing rule violations move with the zone.
    { atomic: true, plannedOn: found, signed: signing.signed, beforeCall },
  );
  const refused = outcomes.find((outcome) => !outcome.ok);
  if (refused && !refused.ok) {
    throw new AppError("PROVIDER_ERROR", `The records could not be written there: ${refused.message}`);
  }
  return { fingerprint: before === found ? after : null, changes, signing };
}

/** Refuses a move that would lose records only this kind of provider has. Those already at the target become the domain's. */
async function refuseLeftBehind(
  kind: ProviderKind,
  provider: DnsProvider,
  zone: string,
  records: readonly LiveRecord[],
): Promise<void> {
  if (ownTyped(kind, records).length === 0) return;
  const present = await readAll(provider, zone).catch((error: unknown) => {
    if (error instanceof ProviderError && error.zoneMissing) return [];
    throw error;
  });
  const lost = lostAt(kind, records, present);
  if (lost.length === 0) return;
  const labels = lost.map(({ name, recordType }) => `${name} ${recordType}`);
  const named = labels.slice(0, 5).join(", ") + (labels.length > 5 ? ` and ${labels.length - 5} more` : "");
  throw new AppError(
    "BAD_REQUEST",
    `The move would lose records that ${kind.name} does not list: ${named}. Create them at the new provider first, or delete them at ${kind.name} and sync.`,
    {
      issues: lost.slice(0, 100).map(({ name, recordType, value }) => ({
        path: ["providerConfigId"],
        message: `${name} ${recordType} ${value} would be lost.`,
      })),
    },
  );
}
