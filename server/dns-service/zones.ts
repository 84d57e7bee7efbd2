import { sql } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import { serialOf } from "../dns/wire/serials.ts";
import { knownKind } from "../dns-providers/kinds.ts";
import { initialSoa, type Soa } from "../dns/zone-file/contents.ts";
import { ownerOf, soaEntry, type Mirrored } from "./wire-records.ts";
import type { PrimaryService } from "./primary-configs.ts";
import { readRdata } from "../dns/wire/rdata-read.ts";

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
  /** What the main provider of a domain that is only mirrored here makes of its records; null for others. */
  mirrored: Mirrored | null;
}

/** Where zones are: at the main configurations of their domains, and at mirrors. */
export const places = sql<{
  domain_id: string;
  provider_config_id: string;
  provider_zone: string;
  mirrored: boolean;
}>`(
  select id as domain_id, provider_config_id, provider_zone, false as mirrored from domains
  union all select domain_id, provider_config_id, provider_zone, true as mirrored from mirrors
)`;

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
    .where("place.provider_zone", "=", name)
    .where(
      "place.provider_config_id",
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

/** Returns zones by the ids of their domains, leaving out those that are elsewhere. A domain has one for each configuration. */
export async function zonesById(
  em: EntityManager,
  services: readonly PrimaryService[],
  ids: readonly string[],
): Promise<ServedZone[]> {
  if (ids.length === 0 || services.length === 0) return [];
  const rows = await zoneRows(em)
    .where("place.domain_id", "in", [...ids])
    .orderBy("place.mirrored")
    .orderBy("place.provider_config_id")
    .execute();
  return rows.flatMap((row) => {
    const service = services.find(({ configId }) => configId === row.provider_config_id);
    return service ? [servedZone(row, service)] : [];
  });
}

function zoneRows(em: EntityManager) {
  return queries(em)
    .selectFrom(places.as("place"))
    .innerJoin("domains", "domains.id", "place.domain_id")
    .innerJoin("provider_configs as main", "main.id", "domains.provider_config_id")
    .innerJoin("primary_zones", "primary_zones.domain_id", "place.domain_id")
    .select([
      "domains.id",
      "place.provider_zone",
      "place.provider_config_id",
      "place.mirrored",
      "main.kind as main_kind",
      "domains.provider_signed",
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
    mirrored: row.mirrored ? { kind: knownKind(row.main_kind), signed: row.provider_signed } : null,
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
    mirrored: null,
  };
}

/**
 * Returns the SOA with which Zonewright answers for a zone: that of its secondaries, for the kind `primary`; otherwise one of its own, with the
 * zone's first name server. Its serial rises with each change.
 */
export async function soaOf(
  em: EntityManager,
  services: readonly PrimaryService[],
  { id, name, revision }: { id: string; name: string; revision: number },
): Promise<Soa> {
  const [served] = await zonesById(em, services, [id]);
  if (served) return served.soa;
  const nameServer = await queries(em)
    .selectFrom("records")
    .select(["value", "written_value"])
    .where("domain_id", "=", id)
    .where("until", "is", null)
    .where("status", "=", "active")
    .where("name", "=", "@")
    .where("record_type", "=", "NS")
    .orderBy("value")
    .limit(1)
    .executeTakeFirst();
  const soa = initialSoa(name, new Date(0));
  return { ...soa, mname: nameServer?.written_value ?? nameServer?.value ?? soa.mname, serial: serialOf(revision + 1) };
}

/** Returns an SOA as a record of its zone. */
export function soaRecord(soa: Soa) {
  const { rdata } = soaEntry(ownerOf("."), soa);
  return { name: "@", recordType: "SOA", value: readRdata(rdata, "SOA", 0, rdata.length).value, strings: null };
}
