import { sql } from "kysely";
import { jsonTexts, queries, type EntityManager, type Database } from "../database/database.ts";
import { serialOf } from "../dns/wire/serials.ts";
import { knownKind } from "../dns-providers/kinds.ts";
import { initialSoa, type Soa } from "../dns/zone-file/contents.ts";
import { ownerOf, soaEntry, type Mirrored } from "./wire-records.ts";
import { readRdata } from "../dns/wire/rdata.ts";
import type { ConfigSecrets } from "../dns-providers/connections.ts";
import { primary, settingsOf, type PrimaryConfig, type PrimarySettings } from "../dns-providers/primary.ts";
import type { TsigKey } from "../dns/wire/tsig.ts";
import type { Logger } from "../platform/log.ts";
import type { Endpoint } from "../dns-providers/primary/lists.ts";

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
  /**
   * Serials below those of this revision are unknown. It lies beyond the zone's own revision where a secondary had serials that this database
   * never gave out, as after a restore from a backup.
   */
  baseRevision: number;
  /** The first revision from which changes are stored. */
  historyFrom: number;
  recordCount: number;
  soa: Soa;
  /** What the main provider of a domain that is only mirrored here makes of its records; null for others. */
  mirrored: Mirrored | null;
}

/** Returns whether the zone's own serials may have been given out before for other contents, so that a secondary that answers with one proves nothing. */
export function mayBeForeign({ revision, baseRevision }: Pick<ServedZone, "revision" | "baseRevision">): boolean {
  return baseRevision > revision;
}

/** A statement about all zones looks at so many at once, in the order of their domains' ids: one of the embedded database stops everything else. */
export const zonesAtOnce = 500;
/** An id before those of all domains. */
export const beforeAll = "00000000-0000-0000-0000-000000000000";

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

/** Has the catalogs of configurations count a change, so that their consumers read them anew. */
export async function countCatalogs(em: EntityManager, services: Iterable<PrimaryService>): Promise<void> {
  const configs = [...services].flatMap(({ configId, settings }) => (settings.catalogZone === null ? [] : [configId]));
  await sql`
    insert into primary_catalog_changes (provider_config_id) select value::uuid from ${jsonTexts(configs)}
  `.execute(queries(em));
}

/** Returns the configurations with a catalog, those whose members changed last at the end. A move changes first what it leaves. */
export async function withCatalogs(
  em: EntityManager,
  services: readonly PrimaryService[],
): Promise<readonly PrimaryService[]> {
  const all = services.filter(({ settings }) => settings.catalogZone !== null);
  if (all.length < 2) return all;
  const rows = await queries(em)
    .selectFrom("primary_catalog_changes")
    .select(["provider_config_id", sql<string>`max(position)`.as("last")])
    .groupBy("provider_config_id")
    .execute();
  // A driver may return a bigint as text.
  const lastOf = new Map(rows.map(({ provider_config_id: id, last }) => [id, Number(last)]));
  return all.toSorted((one, other) => (lastOf.get(one.configId) ?? 0) - (lastOf.get(other.configId) ?? 0));
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
      -- After a restore from a backup, consumers have serials beyond the stored one. A catalog is always transferred whole, so that a leap costs nothing.
      on conflict (provider_config_id) do update
        set serial = greatest(primary_catalogs.serial + 1, floor(extract(epoch from now()))::bigint)
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
 * zone's first name server. Its serial rises with each change, and is that of the given revision: the zone may have a later one by now.
 */
export async function soaOf(
  em: EntityManager,
  services: readonly PrimaryService[],
  { id, name, revision }: { id: string; name: string; revision: number },
): Promise<Soa> {
  const [served] = await zonesById(em, services, [id]);
  if (served) return { ...served.soa, serial: serialOf(served.serialBase + revision) };
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

/** A configuration of kind `primary`. */
export interface PrimaryService {
  configId: string;
  settings: PrimarySettings;
}

/** How long a change of a configuration by another instance may go unnoticed. */
const freshMilliseconds = 1_000;

interface Parts {
  database: Database;
  secrets: ConfigSecrets;
  log: Logger;
}

/** Reads the configurations of kind `primary`, at most once a second, so that strangers cost no query. */
export class PrimaryConfigs {
  readonly #parts: Parts;
  #known: Promise<readonly PrimaryService[]> | null = null;
  #readAt = 0;
  readonly #parsed = new Map<string, { text: string; service: PrimaryService | null }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns all configurations that can be used. */
  async all(): Promise<readonly PrimaryService[]> {
    if (this.#known === null || performance.now() - this.#readAt > freshMilliseconds) {
      this.#readAt = performance.now();
      this.#known = this.#read();
      this.#known.catch(() => this.refresh());
    }
    return await this.#known;
  }

  /** Forgets what was read, because a configuration changed. */
  refresh(): void {
    this.#known = null;
  }

  async #read(): Promise<readonly PrimaryService[]> {
    const rows = await queries(this.#parts.database.fork())
      .selectFrom("provider_configs")
      .select(["id", "kind", "config"])
      .where("kind", "=", primary.kind)
      .orderBy("id")
      .execute();
    return rows.flatMap((row) => this.#parse(row) ?? []);
  }

  #parse(row: { id: string; kind: string; config: unknown }): PrimaryService | null {
    const text = JSON.stringify(row.config);
    const known = this.#parsed.get(row.id);
    if (known?.text === text) return known.service;
    const service = this.#opened(row);
    this.#parsed.set(row.id, { text, service });
    return service;
  }

  #opened({ id, kind, config }: { id: string; kind: string; config: unknown }): PrimaryService | null {
    try {
      const opened = this.#parts.secrets.open({ id, kind, config: config as PrimaryConfig });
      return { configId: id, settings: settingsOf(primary.configSchema.parse(opened)) };
    } catch (error) {
      this.#parts.log.error(
        { err: error, providerConfigId: id },
        "a configuration cannot be used, so its zones are not transferred",
      );
      return null;
    }
  }
}

/** Who asks: the address, and the key that signed the request. */
export interface Peer {
  address: string;
  key: TsigKey | null;
}

/** Returns the keys of a name in all configurations. */
export function keysNamed(services: readonly PrimaryService[], name: string): TsigKey[] {
  return services.flatMap(({ settings }) => settings.keys.filter((key) => key.name === name));
}

/** Returns whether a configuration has the peer's key. Several may have the same one. */
function holds({ settings }: PrimaryService, { key }: Peer): boolean {
  return (
    key !== null &&
    settings.keys.some(
      ({ name, algorithm, secret }) => name === key.name && algorithm === key.algorithm && secret.equals(key.secret),
    )
  );
}

/** Returns whether a peer may transfer a configuration's zones: with keys, an address alone is not enough. */
export function mayTransfer(service: PrimaryService, peer: Peer): boolean {
  const { keys, hasAllowList, knows } = service.settings;
  if (keys.length === 0) return peer.key === null && knows(peer.address);
  return holds(service, peer) && (!hasAllowList || knows(peer.address));
}

/** Returns whether a peer may ask for the SOA: a configured secondary, or one with a key. */
export function mayAskSoa(service: PrimaryService, peer: Peer): boolean {
  return mayTransfer(service, peer) || (peer.key === null && service.settings.knows(peer.address));
}

/** Returns what identifies a secondary that is notified. */
export function identityOf({ address, port }: Endpoint): string {
  return `notify:${address}:${port}`;
}

/** Returns an address with its port if that is not 53. */
export function shownEndpoint({ address, port }: Endpoint): string {
  if (port === 53) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
