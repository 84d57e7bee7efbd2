import { createHash } from "node:crypto";
import type { Caller } from "../../access/caller.ts";
import { refuseReserved } from "../../zones/changes/locks-and-reviews.ts";
import { zonesToPlan, type ZoneToPlan } from "../../zones/changes/zones-to-plan.ts";
import type { EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { ownerWithin } from "../../dns/names/names.ts";
import { AppError } from "../../platform/errors.ts";
import { inChunks, takeTurns } from "../../platform/slices.ts";
import { changesHash, lossWarning } from "../../zones/records/editing/reviewed-plan.ts";
import { zoneWarnings, type PlannedZone } from "../../zones/records/planned-zone.ts";
import { countsSeen, findZones, liveAtNamesOf, type FoundZone } from "./find.ts";
import { readWanted, type ReplaceRequest, type Wanted } from "./wanted.ts";
import { planZonePart } from "./zone-part.ts";

const zonesAtOnce = 100;

export interface ReplacementPlan {
  zones: PlannedZone[];
  /** Warnings about the new value itself. */
  warnings: string[];
  /** Hash of what is asked and of what is planned in each zone. */
  planHash: string;
}

/**
 * Plans a replacement over every zone that the caller sees. Asks no provider, so that ten thousand zones can be planned; what only a provider
 * knows is found when a zone is changed.
 * @throws AppError BAD_REQUEST, NOT_FOUND
 */
export async function planReplacement(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  request: ReplaceRequest,
): Promise<ReplacementPlan> {
  const { wanted, warnings } = readWanted(request);
  const found = await findZones(em, caller, request, wanted);
  const zones = await inChunks(found, zonesAtOnce, (some) => planChunk(em, connections, caller, wanted, some));
  const concerned = zones.filter(
    ({ hash, error, warnings: some }) => hash !== null || error !== null || some.length > 0,
  );
  const hash = createHash("sha256").update(JSON.stringify(wanted));
  for (const { domainId, hash: part } of concerned) hash.update(JSON.stringify([domainId, part]));
  return { zones: concerned, warnings, planHash: hash.digest("base64url") };
}

/** Plans some zones with a fixed number of queries, apart from rules between names. */
async function planChunk(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  wanted: Wanted,
  found: readonly FoundZone[],
): Promise<PlannedZone[]> {
  const zones = await zonesToPlan(
    em,
    connections,
    caller,
    found.map(({ domainId }) => domainId),
  );
  const toRead = found.flatMap(({ domainId, names }) => {
    const zone = zones.get(domainId)?.zone;
    return zone ? [{ domainId, names: withNameServer(zone, wanted, names) }] : [];
  });
  const present = await liveAtNamesOf(em, toRead);
  const planned: PlannedZone[] = [];
  const counted: ZoneToPlan[] = [];
  for (const { domainId } of found) {
    const known = zones.get(domainId);
    if (!known) continue;
    const { zone, qualifiedName: domainName } = known;
    const entry = {
      domainId,
      domainName,
      changes: [],
      warnings: [],
      hash: null,
      needsForce: false,
      error: known.error,
    };
    const part = zone ? await partOrReason(em, zone, wanted, present.get(domainId) ?? []) : entry;
    if (zone && part.changes.length > 1) counted.push(zone);
    planned.push({ ...entry, ...part });
    await takeTurns();
  }
  await addLosses(em, planned, counted);
  return planned;
}

/** Returns the names to load for a zone: a name server of its own must have an address. */
export function withNameServer(
  { name: zone }: { name: string },
  { recordType, to }: Wanted,
  names: readonly string[],
): string[] {
  const own = recordType === "NS" ? ownerWithin(to.rest, zone) : null;
  return [...new Set([...names, ...(own === null ? [] : [own])])];
}

async function partOrReason(
  em: EntityManager,
  zone: ZoneToPlan,
  wanted: Wanted,
  present: Parameters<typeof planZonePart>[3],
): Promise<Pick<PlannedZone, "changes" | "warnings" | "hash" | "error">> {
  try {
    const { changes, warnings } = await planZonePart(em, zone, wanted, present);
    if (!zone.rights.changesProtected) refuseReserved(changes);
    if (changes.length === 0) return { changes, warnings, hash: null, error: null };
    return {
      changes,
      warnings: [...warnings, ...zoneWarnings(zone, changes)],
      hash: await changesHash(zone, changes),
      error: null,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { changes: [], warnings: [], hash: null, error: error.message };
  }
}

/** Adds the warnings about large losses. */
async function addLosses(
  em: EntityManager,
  planned: readonly PlannedZone[],
  zones: readonly ZoneToPlan[],
): Promise<void> {
  const counts = await countsSeen(
    em,
    zones.filter(({ rights }) => !rights.sees.isAll),
  );
  const byId = new Map(planned.map((part) => [part.domainId, part]));
  for (const { id, recordCount } of zones) {
    const part = byId.get(id);
    const loss = part ? lossWarning(part.changes, counts.get(id) ?? recordCount) : null;
    if (!part || loss === null) continue;
    part.needsForce = true;
    part.warnings.push(loss);
  }
}
