import type { Database } from "../database/database.ts";
import { queries } from "../database/database.ts";
import type { ConnectedConfig } from "../dns-providers/provider-configs.ts";
import { ProviderError, type RecordChange } from "../dns-providers/provider.ts";
import { AppError } from "../errors.ts";
import { limitIssues } from "../records/drafts.ts";
import { withLease } from "../records/lease.ts";
import { dataOf } from "../records/live-record.ts";
import { liveZone } from "../records/live-queries.ts";

/**
 * Writes a zone to another provider and then points the domain there. The zone at the old provider stays.
 * @throws AppError CONFLICT when the target serves other records for it, BAD_REQUEST when it cannot store ours,
 * PROVIDER_ERROR; the domain then stays where it is.
 */
export async function moveZone(
  database: Database,
  domain: { id: string; name: string },
  target: ConnectedConfig,
): Promise<void> {
  const fork = () => database.fork();
  await withLease(fork, domain.id, async (lease) => {
    const records = await liveZone(fork(), domain.id);
    const issues = records.flatMap((record) =>
      limitIssues(record, target.kind).map(({ message }) => ({
        path: ["providerConfigId"],
        message: `${record.name} ${record.recordType}: ${message}`,
      })),
    );
    if (issues.length > 0) {
      throw new AppError("BAD_REQUEST", `${target.kind.name} cannot store ${issues.length} of this zone's records.`, {
        issues: issues.slice(0, 100),
      });
    }
    if (target.provider) {
      const changes = records.map((record): RecordChange => ({
        action: "create",
        before: null,
        after: dataOf(record),
      }));
      await fill(target, domain.name, changes);
    }
    const fingerprint = (await target.provider?.fingerprint(domain.name).catch(() => null)) ?? null;
    await queries(fork())
      .updateTable("domains")
      .set({ provider_config_id: target.id, provider_fingerprint: fingerprint })
      .where("id", "=", domain.id)
      .where("lease_token", "=", lease.token)
      .execute();
  });
}

async function fill({ provider }: ConnectedConfig, zone: string, changes: readonly RecordChange[]): Promise<void> {
  if (!provider) return;
  try {
    await provider.createZone(zone);
    for await (const batch of provider.readZone(zone)) {
      if (batch.length > 0) {
        throw new AppError(
          "CONFLICT",
          `${zone} has records of its own at that provider; empty the zone there first, or import it from there.`,
        );
      }
    }
    const outcomes = await provider.applyChanges(zone, changes);
    const refused = outcomes.find((outcome) => !outcome.ok);
    if (refused && !refused.ok)
      throw new AppError("PROVIDER_ERROR", `Not all records could be written there: ${refused.message}`);
  } catch (error) {
    if (error instanceof ProviderError) throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
    throw error;
  }
}
