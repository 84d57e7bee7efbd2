import { writeEntry } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { allMade } from "../../dns-providers/applying/apply-to-records.ts";
import type { ConnectedConfig } from "../../dns-providers/provider-configs.ts";
import { throughProvider, type DnsProvider } from "../../dns-providers/provider.ts";
import { settle } from "../changes/settle.ts";
import { storeSigning } from "../changes/state/store-signing.ts";
import { noNotes, type PlannedChange, type RecordData } from "../../dns/record.ts";
import { newId } from "../../platform/ids.ts";
import type { ZoneSigning } from "../../dns/zone-file/type-names.ts";
import { planServed } from "../../dns/desired-state.ts";
import type { Domain } from "../../database/tables/domains.ts";
import { conflictOf, refuseCatalog, refuseSharedZone, refuseTaken, refuseUnnamable } from "./identity.ts";
import { groupingOf, movedRights } from "./named-by-assignments.ts";
import { refuseOverlap, refuseServed } from "./member-guard.ts";

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
