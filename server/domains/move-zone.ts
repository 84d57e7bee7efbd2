import type { Database } from "../database/database.ts";
import { queries } from "../database/database.ts";
import type { ProviderConnections } from "../dns-providers/connections.ts";
import { throughProvider, type ConnectedConfig } from "../dns-providers/provider-configs.ts";
import type { DnsProvider } from "../dns-providers/provider.ts";
import { noDrift } from "../drift/due-zones.ts";
import { AppError } from "../errors.ts";
import { planState } from "../records/desired-state.ts";
import { limitIssues } from "../records/provider-limits.ts";
import { withLease } from "../changes/lease.ts";
import { dataOf, type LiveRecord } from "../records/live-record.ts";
import { liveZone } from "../records/live-queries.ts";
import { readAll } from "../changes/read-back.ts";
import { repairZone } from "../changes/repair.ts";

/**
 * Writes a zone to another provider and then points the domain there. The zone at the old provider stays.
 * @throws AppError CONFLICT when the target serves other records for it, BAD_REQUEST when it cannot store ours,
 * PROVIDER_ERROR; the domain then stays where it is.
 */
export async function moveZone(
  database: Database,
  connections: ProviderConnections,
  domain: { id: string; name: string },
  target: ConnectedConfig,
  now: () => Date,
): Promise<void> {
  const fork = () => database.fork();
  await withLease(fork, domain.id, async (lease) => {
    // What the old provider may have got from an interrupted change can be read from it only now.
    await repairZone(fork(), domain.id, lease, connections, now);
    const records = await liveZone(fork(), domain.id);
    refuseBeyondLimits(records, target);
    const { provider } = target;
    const fingerprint = provider ? await throughProvider(fill(provider, domain.name, records)) : null;
    const moved = await queries(fork())
      .updateTable("domains")
      .set({ provider_config_id: target.id, provider_fingerprint: fingerprint, ...noDrift })
      .where("id", "=", domain.id)
      .where("lease_token", "=", lease.token)
      .executeTakeFirst();
    if (moved.numUpdatedRows === 0n) {
      throw new AppError("UNAVAILABLE", "The move took too long and was given up; try again.", {
        retryAfterSeconds: 5,
      });
    }
  });
}

function refuseBeyondLimits(records: readonly LiveRecord[], { kind }: ConnectedConfig): void {
  const issues = records.flatMap((record) =>
    limitIssues(record, kind).map(({ message }) => ({
      path: ["providerConfigId"],
      message: `${record.name} ${record.recordType}: ${message}`,
    })),
  );
  if (issues.length === 0) return;
  throw new AppError("BAD_REQUEST", `${kind.name} cannot store ${issues.length} of this zone's records.`, {
    issues: issues.slice(0, 100),
  });
}

/**
 * Makes the target's zone ours: writes into an empty one, and takes one that has the same records as it is.
 * @returns the mark of that content; null where there is none or somebody else wrote at the same moment.
 */
async function fill(provider: DnsProvider, zone: string, records: readonly LiveRecord[]): Promise<string | null> {
  await provider.createZone(zone);
  const found = await provider.fingerprint(zone).catch(() => null);
  const present = await readAll(provider, zone);
  if (planState(records, present).changes.length === 0) return found;
  if (present.length > 0) {
    throw new AppError(
      "CONFLICT",
      `${zone} has other records at that provider; empty the zone there first, or import it from there.`,
    );
  }
  const { outcomes, before, after } = await provider.applyChanges(
    zone,
    records.map((record) => ({ action: "create", before: null, after: dataOf(record) })),
    // What the zone has broken of the rules since it was read in, moves with it.
    { together: true, plannedOn: found },
  );
  const refused = outcomes.find((outcome) => !outcome.ok);
  if (refused && !refused.ok) {
    throw new AppError("PROVIDER_ERROR", `The records could not be written there: ${refused.message}`);
  }
  return before === found ? after : null;
}
