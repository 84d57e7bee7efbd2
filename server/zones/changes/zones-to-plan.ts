import { accessColumns, rightsIn, type Rights } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import type { ReverseMode } from "../../database/tables/domains.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { AppError } from "../../platform/errors.ts";
import { sql } from "kysely";

/** What the plan of a zone needs if it asks no provider. */
export interface ZoneToPlan {
  id: string;
  name: string;
  /** Empty: the default view. */
  view: string;
  recordCount: number;
  /** Whether PTR records follow its addresses. */
  reverse: ReverseMode;
  /** Whether the provider signs the zone, as last read. */
  signed: boolean;
  /** Whether somebody else signs it, so that every change invalidates signatures. */
  signedElsewhere: boolean;
  rights: Rights;
  kind: ProviderKind;
}

/** A zone of a plan over many zones, or why it cannot be planned. */
export type ZoneOrRefusal = { id: string; qualifiedName: string } & (
  | { zone: ZoneToPlan; error: null }
  | { zone: null; error: string }
);

/** Reads zones that the caller may write in with one query. Zones that the caller may not see are left out. */
export async function zonesToPlan(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  ids: readonly string[],
): Promise<Map<string, ZoneOrRefusal>> {
  const rows = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "domains.id",
      "domains.name",
      "domains.view",
      "domains.record_count",
      "domains.provider_signed",
      "domains.soa_signed",
      "domains.reverse",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .select(accessColumns(caller))
    .where("domains.id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  const kinds = new Map<string, ProviderKind>();
  const kindOf = (row: (typeof rows)[number]) => {
    const kind = kinds.get(row.config_id) ?? connections.connect({ ...row, id: row.config_id }).kind;
    kinds.set(row.config_id, kind);
    return kind;
  };
  return new Map(
    rows.flatMap((row): [string, ZoneOrRefusal][] => {
      const named = { id: row.id, qualifiedName: qualifiedName(row) };
      try {
        const zone: ZoneToPlan = {
          id: row.id,
          name: row.name,
          view: row.view,
          recordCount: row.record_count,
          reverse: row.reverse,
          signed: row.provider_signed,
          signedElsewhere: row.soa_signed && !row.provider_signed,
          rights: rightsIn(row, caller, "write"),
          kind: kindOf(row),
        };
        return [[row.id, { ...named, zone, error: null }]];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return error.code === "NOT_FOUND" ? [] : [[row.id, { ...named, zone: null, error: error.message }]];
      }
    }),
  );
}
