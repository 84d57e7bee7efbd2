import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { serialOf } from "../dns/wire/serials.ts";
import type { Soa } from "../dns/zone-file/soa.ts";
import type { PrimaryService } from "./primary-configs.ts";

/** A zone that secondaries transfer, at one moment. */
export interface ServedZone {
  /** The domain's id; the configuration's for its catalog. */
  id: string;
  kind: "zone" | "catalog";
  /** Canonical name. */
  name: string;
  service: PrimaryService;
  revision: number;
  serialBase: number;
  /** Serials below those of this revision are unknown. */
  baseRevision: number;
  /** The first revision from which changes are stored. */
  historyFrom: number;
  recordCount: number;
  soa: Soa;
}

/** Returns the zone of a name in the first of some configurations that has it, with its SOA; null if none has. */
export async function findZone(
  em: EntityManager,
  services: readonly PrimaryService[],
  name: string,
): Promise<ServedZone | null> {
  const catalogOf = services.find(({ settings }) => settings.catalogZone === name);
  if (catalogOf) return await catalogZone(em, catalogOf);
  if (services.length === 0) return null;
  const rows = await zoneRows(em)
    .where("domains.provider_zone", "=", name)
    .where(
      "domains.provider_config_id",
      "in",
      services.map(({ configId }) => configId),
    )
    .execute();
  for (const service of services) {
    const row = rows.find(({ provider_config_id: configId }) => configId === service.configId);
    if (row) return servedZone(row, service);
  }
  return null;
}

/** Returns zones by the ids of their domains, leaving out those that are elsewhere. */
export async function zonesById(
  em: EntityManager,
  services: readonly PrimaryService[],
  ids: readonly string[],
): Promise<ServedZone[]> {
  if (ids.length === 0 || services.length === 0) return [];
  const rows = await zoneRows(em)
    .where("domains.id", "in", [...ids])
    .execute();
  return rows.flatMap((row) => {
    const service = services.find(({ configId }) => configId === row.provider_config_id);
    return service ? [servedZone(row, service)] : [];
  });
}

function zoneRows(em: EntityManager) {
  return queries(em)
    .selectFrom("domains")
    .innerJoin("primary_zones", "primary_zones.domain_id", "domains.id")
    .select([
      "domains.id",
      "domains.provider_zone",
      "domains.provider_config_id",
      "domains.revision",
      "domains.history_from",
      "domains.record_count",
      // A driver may return a bigint as text.
      sql<string>`primary_zones.serial_base`.as("serial_base"),
      "primary_zones.base_revision",
    ]);
}

type ZoneRow = Awaited<ReturnType<ReturnType<typeof zoneRows>["execute"]>>[number];

function servedZone(row: ZoneRow, service: PrimaryService): ServedZone {
  const serialBase = Number(row.serial_base);
  return {
    id: row.id,
    kind: "zone",
    name: row.provider_zone,
    service,
    revision: row.revision,
    serialBase,
    baseRevision: row.base_revision,
    historyFrom: row.history_from,
    recordCount: row.record_count,
    soa: { ...service.settings.soa, serial: serialOf(serialBase + row.revision) },
  };
}

/** Counts changes of its members since the last time, and returns the catalog. */
export async function catalogZone(em: EntityManager, service: PrimaryService): Promise<ServedZone | null> {
  const { configId, settings } = service;
  if (settings.catalogZone === null) return null;
  await sql`
    with counted as (
      delete from primary_catalog_changes where provider_config_id = ${configId}::uuid returning position
    )
    insert into primary_catalogs (provider_config_id, serial)
      select ${configId}::uuid, floor(extract(epoch from now()))::bigint
      where exists (select from counted)
        or not exists (select from primary_catalogs where provider_config_id = ${configId}::uuid)
      on conflict (provider_config_id) do update set serial = primary_catalogs.serial + 1
  `.execute(queries(em));
  const { serial } = await queries(em)
    .selectFrom("primary_catalogs")
    .select(sql<string>`serial`.as("serial"))
    .where("provider_config_id", "=", configId)
    .executeTakeFirstOrThrow();
  const revision = Number(serial);
  return {
    id: configId,
    kind: "catalog",
    name: settings.catalogZone,
    service,
    revision,
    serialBase: 0,
    baseRevision: revision,
    historyFrom: revision,
    recordCount: 0,
    soa: { ...settings.soa, serial: serialOf(revision) },
  };
}
