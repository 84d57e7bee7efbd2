import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { Caller } from "../../../access/caller.ts";
import { line } from "../../../api/schemas.ts";
import { writeEntry } from "../../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { Unprocessable } from "./refusals.ts";

/*
 * Settings of zones that mean nothing here. They are kept as they were set: clients compare what they read with what they wrote, and would
 * write it again for ever.
 */

/** Kinds of zones that are maintained here. All of them are kept as the domain's provider keeps it. */
const ownKinds = new Map([
  ["native", "Native"],
  ["master", "Master"],
  ["primary", "Master"],
  ["producer", "Producer"],
]);

const mostMasters = 100;

/** What a client set. What it did not set is left out. */
export interface ZoneSettings {
  kind?: string;
  account?: string;
  catalog?: string;
  masters?: string[];
  soa_edit?: string;
  soa_edit_api?: string;
  nsec3param?: string;
  nsec3narrow?: boolean;
  api_rectify?: boolean;
}

/**
 * Reads the settings in a body. Those that would change what the zone is are refused.
 * @param zone null: a new one
 * @throws Unprocessable
 */
export function settingsIn(given: Readonly<Record<string, unknown>>, zone: { signed: boolean } | null): ZoneSettings {
  const { dnssec } = given;
  if (dnssec === true && zone?.signed !== true)
    throw refused(
      "`dnssec`: Zonewright does not sign zones. Turn signing on at the DNS provider, or leave `dnssec` out.",
    );
  if (dnssec === false && zone?.signed === true)
    throw refused(
      "`dnssec`: The zone's DNS provider signs it. Turn signing off at the DNS provider, or leave `dnssec` out.",
    );
  for (const field of ["master_tsig_key_ids", "slave_tsig_key_ids"]) {
    const keys = given[field];
    if (keys !== undefined && keys !== null && !(Array.isArray(keys) && keys.length === 0))
      throw refused(
        `\`${field}\` must be empty: keys for transfers are set in Zonewright, at the primary configuration.`,
      );
  }
  const settings: ZoneSettings = {};
  const kind = kindIn(given["kind"]);
  if (kind !== undefined) settings.kind = kind;
  for (const field of ["account", "catalog", "soa_edit", "soa_edit_api", "nsec3param"] as const) {
    const text = given[field];
    if (text === undefined || text === null) continue;
    const read = line(255).safeParse(text);
    if (!read.success) throw refused(`\`${field}\` must be a text of at most 255 characters.`);
    settings[field] = read.data;
  }
  for (const field of ["nsec3narrow", "api_rectify"] as const) {
    const flag = given[field];
    if (flag === undefined || flag === null) continue;
    if (typeof flag !== "boolean") throw refused(`\`${field}\` must be true or false.`);
    settings[field] = flag;
  }
  if (settings.nsec3param && zone?.signed !== true)
    throw refused("`nsec3param` needs a zone that its DNS provider signs. Leave it out, or send an empty text.");
  const masters = mastersIn(given["masters"]);
  if (masters !== undefined) settings.masters = masters;
  return settings;
}

function kindIn(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  const kind = typeof given === "string" ? ownKinds.get(given.toLowerCase()) : undefined;
  if (kind === undefined)
    throw refused("`kind` must be Native, Master or Producer: Zonewright copies no zones from other servers.");
  return kind;
}

function mastersIn(given: unknown): string[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > mostMasters)
    throw refused(`\`masters\` must be a list of at most ${mostMasters} addresses.`);
  return given.map((one: unknown) => {
    const read = line(255).safeParse(one);
    if (!read.success) throw refused("`masters` must be a list of addresses.");
    return read.data;
  });
}

function refused(message: string): Unprocessable {
  return new Unprocessable("BAD_REQUEST", message);
}

/** Stores settings over those that the zone has. What differs is in the audit trail. */
export async function storeSettings(
  em: EntityManager,
  caller: Caller,
  domainId: string,
  settings: ZoneSettings,
): Promise<void> {
  if (Object.keys(settings).length === 0) return;
  const store = async (tx: EntityManager) => {
    // Writers of one zone wait for each other.
    await sql`select from domains where id = ${domainId} for no key update`.execute(queries(tx));
    const row = await queries(tx)
      .selectFrom("powerdns_zones")
      .select("settings")
      .where("domain_id", "=", domainId)
      .executeTakeFirst();
    const present = (row?.settings ?? {}) as Readonly<Record<string, unknown>>;
    const changed = Object.entries(settings).filter(([field, value]) => !isDeepStrictEqual(value, present[field]));
    if (changed.length === 0) return;
    await sql`
      insert into powerdns_zones (domain_id, settings)
      select id, ${JSON.stringify(settings)}::jsonb from domains where id = ${domainId}
      on conflict (domain_id) do update set settings = powerdns_zones.settings || excluded.settings
    `.execute(queries(tx));
    await writeEntry(tx, caller.at, caller, {
      action: "domain.update",
      targetType: "domain",
      targetId: domainId,
      before: { powerdns: Object.fromEntries(changed.map(([field]) => [field, present[field] ?? null])) },
      after: { powerdns: Object.fromEntries(changed) },
    });
  };
  await (em.isInTransaction() ? store(em) : em.transactional(store));
}

/**
 * Marks a domain that is to get its records next. If the process ends before that, the same call finds the mark and goes on. It holds while the
 * zone has this revision.
 */
export async function markBegun(tx: EntityManager, { id, revision }: { id: string; revision: number }): Promise<void> {
  await sql`
    insert into powerdns_zones (domain_id, settings) values (${id}, ${JSON.stringify({ begunAt: revision })}::jsonb)
    on conflict (domain_id) do update set settings = powerdns_zones.settings || excluded.settings
  `.execute(queries(tx));
}

/** Returns the id of the domain of this name, or of this id, if it was begun and has not got its records; null otherwise. */
export async function begunZone(em: EntityManager, by: { name: string } | { id: string }): Promise<string | null> {
  const found = await queries(em)
    .selectFrom("domains")
    .innerJoin("powerdns_zones", "powerdns_zones.domain_id", "domains.id")
    .select("domains.id")
    .where((eb) => ("id" in by ? eb("domains.id", "=", by.id) : eb("domains.name", "=", by.name)))
    .where("domains.view", "=", "")
    .where(sql<boolean>`(powerdns_zones.settings ->> 'begunAt')::integer = domains.revision`)
    .executeTakeFirst();
  return found?.id ?? null;
}

/** Removes the mark of {@link markBegun}. */
export async function markFinished(tx: EntityManager, id: string): Promise<void> {
  await sql`update powerdns_zones set settings = settings - 'begunAt' where domain_id = ${id}`.execute(queries(tx));
}

/*
 * Metadata of zones (PowerDNS's `domainmetadata`). It is kept and shown as clients set it, like the settings of zones, and has no effect.
 * Kinds that decide who may do something are refused: a client must not believe that it has limited or granted access.
 */

/** A kind of metadata as PowerDNS shows it. */
interface Metadata {
  type: "Metadata";
  kind: string;
  metadata: string[];
}

const access = "grants access, which is set in Zonewright";

/** Kinds that are not kept, and why. */
const refusedKinds = new Map([
  ["ALLOW-AXFR-FROM", `${access}, at the primary configuration`],
  ["TSIG-ALLOW-AXFR", `${access}, at the primary configuration`],
  ["GSS-ALLOW-AXFR-PRINCIPAL", `${access}, at the primary configuration`],
  ["ALLOW-DNSUPDATE-FROM", `${access}, with TSIG keys`],
  ["TSIG-ALLOW-DNSUPDATE", `${access}, with TSIG keys`],
  ["GSS-ACCEPTOR-PRINCIPAL", `${access}, with TSIG keys`],
  ["FORWARD-DNSUPDATE", "forwards updates to another server, and Zonewright takes them itself"],
  ["AXFR-MASTER-TSIG", "is for copies of other servers' zones, which Zonewright does not keep"],
  ["LUA-AXFR-SCRIPT", "is for copies of other servers' zones, which Zonewright does not keep"],
  ["NSEC3NARROW", "is a setting of the zone. Send it in PUT of the zone"],
  ["NSEC3PARAM", "is a setting of the zone. Send it in PUT of the zone"],
  ["PRESIGNED", "says how the zone is signed, which its DNS provider does"],
  ["SOA-EDIT", "is a setting of the zone. Send it in PUT of the zone"],
]);

const keptKinds = new Set([
  "ALSO-NOTIFY",
  "AXFR-SOURCE",
  "IXFR",
  "NOTIFY-DNSUPDATE",
  "PUBLISH-CDNSKEY",
  "PUBLISH-CDS",
  "RFC1123-CONFORMANCE",
  "SIGNALING-ZONE",
  "SLAVE-RENOTIFY",
  "SOA-EDIT-DNSUPDATE",
]);

const mostKinds = 100;
const mostValues = 100;
const valueText = line(1_000);
/** A kind of the client's own. */
const ownKind = /^X-[!-~]{1,98}$/;

/** Checks that a kind can be set. @throws Unprocessable */
export function settableKind(kind: unknown): string {
  if (typeof kind !== "string") throw refused("`kind` must be a text, such as X-NOTE.");
  const reason = refusedKinds.get(kind);
  if (reason !== undefined) throw refused(`Unsupported metadata kind '${kind}': it ${reason}.`);
  if (keptKinds.has(kind) || ownKind.test(kind)) return kind;
  throw refused("Unsupported metadata kind. A kind of your own begins with X- and has at most 100 characters.");
}

/** Reads the values of a kind. @throws Unprocessable */
export function valuesIn(given: unknown): string[] {
  const list = Array.isArray(given) && given.length <= mostValues ? (given as unknown[]) : null;
  const read = list?.map((one) => valueText.safeParse(one));
  if (!read?.every(({ success }) => success))
    throw refused(`\`metadata\` must be a list of at most ${mostValues} texts of at most 1000 characters.`);
  return read.flatMap(({ data }) => data ?? []);
}

/** Returns the metadata of a zone, by kind. @param kind only that kind */
export async function readMetadata(em: EntityManager, domainId: string, kind?: string): Promise<Metadata[]> {
  const rows = await queries(em)
    .selectFrom("powerdns_metadata")
    .select(["kind", "contents"])
    .where("domain_id", "=", domainId)
    .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? ""))
    .orderBy("kind")
    .execute();
  return rows.map((row) => shownMetadata(row.kind, row.contents as string[]));
}

export function shownMetadata(kind: string, metadata: string[]): Metadata {
  return { type: "Metadata", kind, metadata };
}

/**
 * Stores the values of a kind, and returns all that it has then. A change is in the audit trail.
 * @param adding whether those that it has stay, too @throws Unprocessable
 */
export async function writeMetadata(
  em: EntityManager,
  caller: Caller,
  domainId: string,
  { kind, metadata }: Pick<Metadata, "kind" | "metadata">,
  adding: boolean,
): Promise<Metadata> {
  return await em.transactional(async (tx) => {
    // Writers of one zone wait for each other.
    await sql`select from domains where id = ${domainId} for no key update`.execute(queries(tx));
    const all = await readMetadata(tx, domainId);
    const present = all.find((one) => one.kind === kind)?.metadata;
    if (present === undefined && metadata.length > 0 && all.length >= mostKinds)
      throw refused(`A zone has at most ${mostKinds} kinds of metadata. Delete one first.`);
    const values = valuesIn([...new Set([...(adding ? (present ?? []) : []), ...metadata])]);
    if (isDeepStrictEqual(values, present ?? [])) return shownMetadata(kind, values);
    if (values.length === 0)
      await queries(tx)
        .deleteFrom("powerdns_metadata")
        .where("domain_id", "=", domainId)
        .where("kind", "=", kind)
        .execute();
    else
      await sql`
        insert into powerdns_metadata (domain_id, kind, contents)
        select id, ${kind}, ${JSON.stringify(values)}::jsonb from domains where id = ${domainId}
        on conflict (domain_id, kind) do update set contents = excluded.contents
      `.execute(queries(tx));
    await writeEntry(tx, caller.at, caller, {
      action: "domain.update",
      targetType: "domain",
      targetId: domainId,
      before: { powerdnsMetadata: { [kind]: present ?? [] } },
      after: { powerdnsMetadata: { [kind]: values } },
    });
    return shownMetadata(kind, values);
  });
}
