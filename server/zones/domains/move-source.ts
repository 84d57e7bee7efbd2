import { readSplits } from "../changes/state/unread-splits.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { StoredConfig, ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { ProviderError } from "../../dns-providers/provider.ts";
import { AppError, notFound } from "../../platform/errors.ts";

/** Returns the domain's current provider and whether it signs the zone. */
export async function sourceOf(em: EntityManager, domainId: string) {
  const {
    id,
    kind,
    config,
    view,
    provider_zone: providerZone,
    splits_unread: splitsUnread,
    provider_signed: signed,
  } = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "provider_configs.id",
      "provider_configs.kind",
      "provider_configs.config",
      "domains.view",
      "domains.provider_zone",
      "domains.splits_unread",
      "domains.provider_signed",
    ])
    .where("domains.id", "=", domainId)
    .executeTakeFirstOrThrow(() => notFound("domain"));
  return {
    kind: knownKind(kind),
    stored: { id, kind, config },
    id: domainId,
    view,
    providerZone,
    splitsUnread,
    signed,
  };
}

/** Reads how the TXT values of a zone from version 0.1 are split. If the provider is unavailable, each value moves as a single string. */
export async function readOldSplits(
  em: EntityManager,
  source: { id: string; providerZone: string; stored: StoredConfig },
  connections: ProviderConnections,
): Promise<void> {
  try {
    const { provider } = connections.connect(source.stored);
    if (provider) await readSplits(em, source, provider);
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof AppError)) throw error;
  }
}

/** Returns the zone's serial at its present provider; null if it has none, or does not answer. */
export async function lastSerial(
  { stored, providerZone }: { stored: StoredConfig; providerZone: string },
  connections: ProviderConnections,
): Promise<number | null> {
  try {
    const soa = await connections.connect(stored).provider?.readSoa(providerZone);
    return soa?.serial ?? null;
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof AppError)) throw error;
    return null;
  }
}
