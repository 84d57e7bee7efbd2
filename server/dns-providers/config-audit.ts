import type { Actor } from "../access/actor.ts";
import { writeEntry, type AuditEvent } from "../audit/audit.ts";
import type { EntityManager } from "../database/database.ts";
import type { ConfigSecrets } from "./config-secrets.ts";
import type { ProviderConfig } from "../database/tables/provider-configs.ts";

/** What the audit trail tells of a configuration. Of secrets it tells that they are there. */
export function toldConfig(secrets: ConfigSecrets, { kind, name, config, membersMayUse }: ProviderConfig) {
  return { kind, name, config: secrets.masked(kind, config), membersMayUse };
}

/** Adds what happened to a configuration to the trail. */
export async function tellConfig(
  tx: EntityManager,
  by: { actor: Actor; at: Date },
  action: `provider_config.${"create" | "update" | "delete"}`,
  id: string,
  states: Pick<AuditEvent, "before" | "after">,
): Promise<void> {
  await writeEntry(tx, by.at, by.actor, { action, targetType: "provider_config", targetId: id, ...states });
}
