import { ZoneScope } from "../../access/zone-scope.ts";
import { zoneAt } from "../changes/state/live-queries.ts";
import { readWhole } from "../changes/provider-call.ts";
import type { EntityManager } from "../../database/database.ts";
import { isActive, recordKey, type RecordData } from "../../dns/record.ts";
import { isServerManaged, managedReason, withoutManaged } from "../../dns/zone-file/type-names.ts";
import { ProviderError, type DnsProvider, type ProviderKind } from "../../dns-providers/provider.ts";
import { inSlices } from "../../platform/slices.ts";
import { asHeld } from "../records/joined-texts.ts";
import { withPlainTtls } from "../records/plain-ttls.ts";
import { kindOfZone } from "../records/provider-limits.ts";
import { extraRecords, planningMirror, type MirrorPlan } from "./plan.ts";
import { everOurs } from "./store.ts";

/** A domain as its mirrors follow it. */
export interface Followed {
  id: string;
  name: string;
  revision: number;
  /** The kind of its main provider. */
  kind: ProviderKind;
  /** Whether its main provider signs the zone. */
  signed: boolean;
}

export interface Compared extends MirrorPlan {
  /** Fingerprint of what was read; null if there is none. */
  fingerprint: string | null;
  /** Whether the mirror's provider has the zone. */
  exists: boolean;
  /** Whether the mirror's provider signs the zone. */
  signed: boolean;
}

/** Plans a mirror from which secondaries transfer the zone: it serves the stored records, so that nothing is written. */
async function compareServed(domain: Followed, kind: ProviderKind, held: readonly RecordData[]): Promise<Compared> {
  const sides = { zone: domain.name, kind, wanted: held, present: [], readOnly: new Map<string, string>() };
  const plan = await inSlices(planningMirror(sides, new Set()));
  return { ...plan, fingerprint: null, exists: true, signed: false };
}

/** Reads a mirror and plans it. A zone that does not exist there is empty. @throws ProviderError, AppError PROVIDER_ERROR */
export async function compareMirror(
  em: EntityManager,
  domain: Followed,
  { kind, provider, zone }: { kind: ProviderKind; provider: DnsProvider | null; zone: string },
): Promise<Compared> {
  const stored = await zoneAt(em, domain.id, domain.revision, ZoneScope.all);
  const records = withoutManaged(stored.filter(isActive), domain.signed);
  const { records: held } = await inSlices(asHeld(withPlainTtls(domain.kind, kind, records), kind));
  if (!provider) return await compareServed(domain, kind, held);
  const there = await readMirror(provider, zone);
  const readOnly = new Map(there.exists ? await provider.readOnlyRecords?.(zone) : []);
  if (there.signed)
    for (const record of records) if (isServerManaged(record)) readOnly.set(recordKey(record), managedReason(record));
  const ttls = there.exists ? held.map(({ ttl }) => ttl) : [];
  const limits = await kindOfZone({ providerZone: zone, kind, provider }, ttls);
  const sides = { zone: domain.name, kind: limits, wanted: held, present: there.records, readOnly };
  const wasOurs = await everOurs(em, domain.id, await inSlices(extraRecords(sides)));
  const plan = await inSlices(planningMirror(sides, wasOurs));
  return { ...plan, fingerprint: there.fingerprint, exists: there.exists, signed: there.signed };
}

async function readMirror(
  provider: DnsProvider,
  zone: string,
): Promise<{ exists: boolean; records: RecordData[]; signed: boolean; fingerprint: string | null }> {
  try {
    const fingerprint = await provider.fingerprint(zone).catch(() => null);
    const { records, signing } = await readWhole(provider, zone);
    return { exists: true, records, signed: signing.signed, fingerprint };
  } catch (error) {
    if (!(error instanceof ProviderError) || !error.zoneMissing) throw error;
    return { exists: false, records: [], signed: false, fingerprint: null };
  }
}
