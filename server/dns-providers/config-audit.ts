import type { Actor } from "../access/actor.ts";
import { writeEntry, type AuditEvent } from "../audit/audit.ts";
import type { EntityManager } from "../database/database.ts";
import type { ConfigSecrets } from "./connections.ts";
import type { ProviderConfig } from "../database/tables/provider-configs.ts";

/** Returns a configuration as the audit trail shows it, with secrets masked. */
export function auditedConfig(secrets: ConfigSecrets, { kind, name, config, membersMayUse }: ProviderConfig) {
  return { kind, name, config: secrets.masked(kind, config), membersMayUse };
}

/** Writes an audit entry about a configuration. */
export async function writeConfigEntry(
  tx: EntityManager,
  by: { actor: Actor; at: Date },
  action: `provider_config.${"create" | "update" | "delete"}`,
  id: string,
  states: Pick<AuditEvent, "before" | "after">,
): Promise<void> {
  await writeEntry(tx, by.at, by.actor, { action, targetType: "provider_config", targetId: id, ...states });
}
