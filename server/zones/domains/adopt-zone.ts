import { writeEntry } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import { type EntityManager, queries } from "../../database/database.ts";
import { allMade } from "../../dns-providers/applying/apply-to-records.ts";
import type { ConnectedConfig } from "../../dns-providers/provider-configs.ts";
import {
  providerZoneOf,
  throughProvider,
  type DnsProvider,
  type ProviderKind,
  ProviderError,
} from "../../dns-providers/provider.ts";
import { settle } from "../changes/settle.ts";
import { storeSigning } from "../changes/state/store-signing.ts";
import { ownersRights } from "../../access/zone-access.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { noNotes, type LiveRecord, type PlannedChange, type RecordData } from "../../dns/record.ts";
import { newId } from "../../platform/ids.ts";
import type { ZoneSigning } from "../../dns/zone-file/type-names.ts";
import { planServed } from "../../dns/desired-state.ts";
import type { Domain } from "../../database/tables/domains.ts";
import { conflictOf, refuseCatalog, refuseSharedZone, refuseTaken, refuseUnnamable } from "./identity.ts";
import { groupingOf, movedRights } from "./named-by-assignments.ts";
import { escapeLike } from "../../database/query-helpers.ts";
import { AppError } from "../../platform/errors.ts";

/** Stores what belongs to a new domain, in the transaction that stores it. */
export type Alongside = (tx: EntityManager, domain: { id: string; revision: number }) => Promise<void>;

/**
 * Stores a new domain. Creates its zone at the provider, or reads the records of an existing zone.
 * Members may add only zones that are new at the provider and neither above nor below a domain they do not own.
 * @returns the number of records read.
 * @throws AppError CONFLICT when the name is taken, FORBIDDEN, PROVIDER_ERROR. Nothing is stored then.
 */
export async function adoptZone(
  em: EntityManager,
  domain: Domain,
  config: ConnectedConfig,
  caller: Caller,
  {
    action,
    now,
    alongside,
  }: { action: "domain.create" | "domain.import"; now: Date; alongside?: Alongside | undefined },
): Promise<number> {
  const { provider } = config;
  // Before a zone is created at the provider.
  await movedRights(em, caller, { before: null, after: groupingOf(domain), now });
  await refuseNew(em, domain, config, caller);
  const { changes, fingerprint, signing } = provider
    ? await readNewZone(provider, domain.providerZone, action)
    : { changes: config.initialRecords().map(asCreated), fingerprint: null, signing: null };
  try {
    await em.transactional(async (tx) => {
      await tx.persist(domain).flush();
      const { name, view, providerConfigId, ownerId } = domain;
      const moved = await movedRights(tx, caller, { before: null, after: groupingOf(domain), now });
      const after = { name, view, providerConfigId, ownerId, recordCount: changes.length, ...moved };
      await writeEntry(tx, now, caller, { action, targetType: "domain", targetId: domain.id, after });
      if (signing) await storeSigning(tx, domain.id, signing, now);
      const outcomes = allMade(changes);
      const { revision } = await settle(tx, domain.id, {
        kind: "import",
        actorId: caller.userId,
        actor: caller,
        changes,
        outcomes,
        lease: null,
        locked: null,
        fingerprint,
        repaired: false,
        now,
      });
      await alongside?.(tx, { id: domain.id, revision });
    });
  } catch (error) {
    throw await conflictOf(em.fork(), domain, error);
  }
  return changes.length;
}

/** Refuses a domain that the caller may not add, or not there. @throws AppError as `adoptZone` */
async function refuseNew(em: EntityManager, domain: NewPlace, config: ConnectedConfig, caller: Caller): Promise<void> {
  refuseUnnamable(config.kind, domain.providerZone);
  // Before anything that tells which views of another user's domain exist.
  if (caller.role !== "admin") await refuseOverlap(em, caller, domain.name);
  await refuseTaken(em, domain);
  await refuseCatalog(em, domain.name);
  await refuseSharedZone(em, domain, caller.role === "admin");
  if (caller.role !== "admin") await refuseServed(config.provider, domain);
}

type NewPlace = Pick<Domain, "id" | "name" | "view" | "providerConfigId" | "providerZone">;

/** A zone that its domain does not have yet, and the records that it would begin with. */
export interface NewZone {
  zone: ZoneContext;
  live: LiveRecord[];
}

/** Runs before the provider is asked for a zone. @throws AppError to stop there */
export type BeforeReading = (zone: Pick<ZoneContext, "name" | "kind">) => Promise<void>;

/**
 * Returns the zone that a new domain would have, and creates nothing.
 * @throws AppError as `adoptZone`, as far as that can be known before
 */
export async function zoneToAdopt(
  em: EntityManager,
  caller: Caller,
  { name, view }: { name: string; view: string },
  config: ConnectedConfig,
  beforeReading: BeforeReading,
): Promise<NewZone> {
  const { id: configId, kind, provider } = config;
  const id = newId();
  const providerZone = providerZoneOf(kind, { name, view });
  await refuseNew(em, { id, name, view, providerConfigId: configId, providerZone }, config, caller);
  await beforeReading({ name, kind });
  const found = provider ? await foundZone(provider, kind, providerZone) : null;
  const changes = provider ? (found?.changes ?? []) : config.initialRecords().map(asCreated);
  const begun = { version: 1, createdAt: caller.at, updatedAt: caller.at };
  const live = changes.flatMap((change) => (change.after ? [{ ...change.after, id: change.id, ...begun }] : []));
  const zone: ZoneContext = {
    id,
    name,
    view,
    providerZone,
    configId,
    revision: 0,
    recordCount: live.length,
    fingerprint: found?.fingerprint ?? null,
    signed: found?.signing.signed ?? false,
    splitsUnread: false,
    reverse: "off",
    reviewRequired: null,
    reviewAcme: false,
    rights: ownersRights,
    locked: null,
    at: caller.at,
    // The records of a zone that is only found are not stored, where its server's rules look for them.
    kind: live.length === 0 ? kind : { ...kind, serverRules: null },
    provider: found ? provider : null,
  };
  return { zone, live };
}

/** Reads a zone at its provider; null if there is none and its API creates it. @throws AppError PROVIDER_ERROR */
async function foundZone(provider: DnsProvider, kind: ProviderKind, zone: string): Promise<ReadZone | null> {
  try {
    return await readZone(provider, zone);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (kind.createsZones !== false && (error.zoneMissing || (await isUnlisted(provider, zone)))) return null;
    throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
  }
}

/** An account without zones may look like a token without rights until its zones are listed. */
async function isUnlisted(provider: DnsProvider, zone: string): Promise<boolean> {
  const listed = await provider.listZones().catch(() => null);
  return listed !== null && !listed.names.includes(zone) && !listed.unusable.some(({ name }) => name === zone);
}

function asCreated(record: RecordData): PlannedChange {
  return { action: "create", id: newId(), before: null, after: { ...record, status: "active", ...noNotes } };
}

interface ReadZone {
  changes: PlannedChange[];
  signing: ZoneSigning;
  fingerprint: string | null;
}

/** Creates and reads the zone. An imported zone was just listed, so it is only read. */
async function readNewZone(
  provider: DnsProvider,
  zone: string,
  action: "domain.create" | "domain.import",
): Promise<ReadZone> {
  if (action === "domain.create") await throughProvider(provider.createZone(zone));
  return await throughProvider(readZone(provider, zone));
}

/** @throws ProviderError */
async function readZone(provider: DnsProvider, zone: string): Promise<ReadZone> {
  const fingerprint = await provider.fingerprint(zone).catch(() => null);
  const signs = async () => (await provider.signs?.(zone)) ?? false;
  const { changes, signing } = await planServed(new Map(), provider.readZone(zone), async () => [], signs);
  return { changes, fingerprint, signing };
}

/*
 * Limits on the zones a member may add, see docs/decisions/0009-members-and-zones.md: none that a provider already serves, and
 * none above or below a domain that the member does not own.
 */

/**
 * Refuses a zone that already exists at the provider.
 * @throws AppError CONFLICT when the provider serves the zone, PROVIDER_ERROR when that is unknown. Neither reveals the zone's content.
 */
export async function refuseServed(
  provider: DnsProvider | null,
  { name, providerZone }: { name: string; providerZone: string },
): Promise<void> {
  if (!provider || !(await serves(provider, providerZone))) return;
  throw new AppError("CONFLICT", `${name} exists at the provider; an administrator can import it.`);
}

async function serves(provider: DnsProvider, zone: string): Promise<boolean> {
  try {
    // The zone exists if the first read succeeds, even when it is empty.
    const records = provider.readZone(zone)[Symbol.asyncIterator]();
    await records.next();
    await records.return?.();
    return true;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.zoneMissing) return false;
    throw new AppError(
      "PROVIDER_ERROR",
      `The provider does not say whether it serves ${zone}; ask an administrator to look.`,
      { cause: error },
    );
  }
}

/**
 * Refuses a member's new domain above or below a domain that they do not own, and a view of such a domain. The owner of a parent domain controls the names
 * below it, and a new parent would take control of names that others own.
 * @throws AppError FORBIDDEN
 */
async function refuseOverlap(em: EntityManager, caller: Caller, name: string): Promise<void> {
  const other = await queries(em)
    .selectFrom("domains")
    .select("name")
    .where((eb) => eb.or([eb("name", "in", [name, ...parentsOf(name)]), eb("name", "like", `%.${escapeLike(name)}`)]))
    .where((eb) => eb.or([eb("owner_id", "is", null), eb("owner_id", "!=", caller.userId)]))
    .limit(1)
    .executeTakeFirst();
  if (!other) return;
  if (other.name === name)
    throw new AppError("FORBIDDEN", `Another user has ${name} here. Ask an administrator to add a view of it.`);
  const relation = other.name.length < name.length ? "below" : "above";
  throw new AppError(
    "FORBIDDEN",
    `${name} lies ${relation} a domain that somebody else has here; ask an administrator to add it.`,
  );
}

/** Returns the parent names, nearest first: `b.example.com`, `example.com` and `com` for `a.b.example.com`. */
function parentsOf(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
