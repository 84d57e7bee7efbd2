import { queries, type EntityManager } from "../database/database.ts";
import type { ProviderId } from "../database/tables/identity.ts";

const tables = ["identity_flows", "identity_tickets", "pending_identities"] as const;

/** Ends every sign-in in progress through a provider that is disabled, changed or deleted. */
export async function endFlowsThrough(tx: EntityManager, providerId: ProviderId): Promise<void> {
  for (const table of tables) await queries(tx).deleteFrom(table).where("provider_id", "=", providerId).execute();
}

/** Deletes expired flows, tickets, pending registrations and codes. */
export async function deleteExpiredFlows(em: EntityManager, now: Date): Promise<void> {
  for (const table of [...tables, "identity_codes"] as const)
    await queries(em).deleteFrom(table).where("expires_at", "<=", now).execute();
}
