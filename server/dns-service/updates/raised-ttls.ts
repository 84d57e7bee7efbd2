import type { ZoneContext } from "../../changes/zone-context.ts";
import type { UpdateOperation } from "../../dns/wire/updates.ts";
import { kindOfZone } from "../../records/provider-limits.ts";

/**
 * Returns operations with the TTLs that the zone's provider stores: those below its smallest are raised, because clients such as certbot's
 * plugin send a fixed one. Asks the provider only if one may be too short. @throws AppError PROVIDER_ERROR
 */
export async function withStoredTtls(
  operations: readonly UpdateOperation[],
  zone: Pick<ZoneContext, "providerZone" | "kind" | "provider">,
): Promise<UpdateOperation[]> {
  const { automaticTtl, minTtl } = zone.kind;
  const atLeast = (least: number, ttl: number) => (ttl === automaticTtl ? ttl : Math.max(ttl, least));
  const ttls = operations.flatMap((one) => (one.kind === "add" ? [atLeast(minTtl, one.record.ttl)] : []));
  const least = (await kindOfZone(zone, ttls)).minTtl;
  return operations.map((one) =>
    one.kind === "add" ? { ...one, record: { ...one.record, ttl: atLeast(least, one.record.ttl) } } : one,
  );
}
