import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Caller } from "../auth/caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/entities.ts";
import { notFound } from "../errors.ts";

/**
 * Who may see and change which zone: the one place where that is decided. Administrators reach everything, members the
 * domains that they own. What a caller may not see does not exist for them.
 */
export function visibleDomains(eb: ExpressionBuilder<Tables, "domains">, caller: Caller): Expression<SqlBool> {
  return caller.role === "admin" ? eb.lit(true) : eb("domains.owner_id", "=", caller.userId);
}

/** A zone that the caller may reach, with what reads and changes need of it. */
export interface Zone {
  id: string;
  name: string;
  revision: number;
  recordCount: number;
  providerConfigId: string;
}

/** @throws AppError NOT_FOUND when there is no such domain or the caller may not see it. */
export async function zoneFor(em: EntityManager, caller: Caller, domainId: string): Promise<Zone> {
  const row = await queries(em)
    .selectFrom("domains")
    .select(["id", "name", "revision", "record_count", "provider_config_id"])
    .where("id", "=", domainId)
    .where((eb) => visibleDomains(eb, caller))
    .executeTakeFirst();
  if (!row) throw notFound("domain");
  return {
    id: row.id,
    name: row.name,
    revision: row.revision,
    recordCount: row.record_count,
    providerConfigId: row.provider_config_id,
  };
}
