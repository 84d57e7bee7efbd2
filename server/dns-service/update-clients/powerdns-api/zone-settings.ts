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
