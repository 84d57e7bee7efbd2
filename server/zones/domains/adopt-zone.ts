import { writeEntry } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import { type EntityManager, queries } from "../../database/database.ts";
import { allMade } from "../../dns-providers/applying/apply-to-records.ts";
import type { ConnectedConfig } from "../../dns-providers/provider-configs.ts";
import { throughProvider, type DnsProvider, ProviderError } from "../../dns-providers/provider.ts";
import { settle } from "../changes/settle.ts";
import { storeSigning } from "../changes/state/store-signing.ts";
import { noNotes, type PlannedChange, type RecordData } from "../../dns/record.ts";
import { newId } from "../../platform/ids.ts";
import type { ZoneSigning } from "../../dns/zone-file/type-names.ts";
import { planServed } from "../../dns/desired-state.ts";
import type { Domain } from "../../database/tables/domains.ts";
import { conflictOf, refuseCatalog, refuseSharedZone, refuseTaken, refuseUnnamable } from "./identity.ts";
import { groupingOf, movedRights } from "./named-by-assignments.ts";
import { escapeLike } from "../../database/query-helpers.ts";
import { AppError } from "../../platform/errors.ts";

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
  { action, now }: { action: "domain.create" | "domain.import"; now: Date },
): Promise<number> {
  const { provider } = config;
  // Before a zone is created at the provider.
  await movedRights(em, caller, { before: null, after: groupingOf(domain), now });
  refuseUnnamable(config.kind, domain.providerZone);
  // Before anything that tells which views of another user's domain exist.
  if (caller.role !== "admin") await refuseOverlap(em, caller, domain.name);
  await refuseTaken(em, domain);
  await refuseCatalog(em, domain.name);
  await refuseSharedZone(em, domain, caller.role === "admin");
  if (caller.role !== "admin") await refuseServed(provider, domain);
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
      await settle(tx, domain.id, {
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
    });
  } catch (error) {
    throw await conflictOf(em.fork(), domain, error);
  }
  return changes.length;
}

function asCreated(record: RecordData): PlannedChange {
  return { action: "create", id: newId(), before: null, after: { ...record, status: "active", ...noNotes } };
}

interface NewZone {
  changes: PlannedChange[];
  signing: ZoneSigning;
  fingerprint: string | null;
}

/** Creates and reads the zone. An imported zone was just listed, so it is only read. */
async function readNewZone(
  provider: DnsProvider,
  zone: string,
  action: "domain.create" | "domain.import",
): Promise<NewZone> {
  if (action === "domain.create") await throughProvider(provider.createZone(zone));
  const fingerprint = await provider.fingerprint(zone).catch(() => null);
  const signs = async () => (await provider.signs?.(zone)) ?? false;
  const read = planServed(new Map(), provider.readZone(zone), async () => [], signs);
  const { changes, signing } = await throughProvider(read);
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
