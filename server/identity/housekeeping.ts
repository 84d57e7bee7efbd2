import { queries, type EntityManager } from "../database/database.ts";
import type { ProviderId } from "../database/tables/identity.ts";

const tables = ["identity_flows", "identity_tickets", "pending_identities"] as const;

/** Ends every sign-in under way through a provider: nobody comes back from one that is disabled or gone. */
export async function endFlowsThrough(tx: EntityManager, providerId: ProviderId): Promise<void> {
  for (const table of tables) await queries(tx).deleteFrom(table).where("provider_id", "=", providerId).execute();
}

/** Deletes what was never completed and cannot be any more. */
export async function deleteExpiredFlows(em: EntityManager, now: Date): Promise<void> {
  for (const table of [...tables, "identity_codes"] as const)
    await queries(em).deleteFrom(table).where("expires_at", "<=", now).execute();
}
