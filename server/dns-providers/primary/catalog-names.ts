import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import type { ConfigValues } from "../../database/tables/provider-configs.ts";
import { parseZoneName } from "../../dns/names/names.ts";
import { badField } from "../../platform/errors.ts";
import { withoutSecrets, type ConfigSecrets, type StoredConfig } from "../connections.ts";
import { itemsOf, readKey } from "./lists.ts";

/*
 * Secondaries that ask for a catalog's name get the catalog (RFC 9432). A domain of that name would never be transferred, and a secondary would
 * load the catalog in its place.
 */

/** A configuration of kind `primary` that is created or changed. */
interface Changed {
  id: string;
  /** Null for a new one. */
  before: StoredConfig | null;
  /** With their secrets. */
  values: ConfigValues;
}

/** Refuses a catalog with the name of a domain, or of another configuration's catalog. @throws AppError BAD_REQUEST */
export async function refuseCatalogName(em: EntityManager, secrets: ConfigSecrets, changed: Changed): Promise<void> {
  await refuseManaged(em, changed);
  await refuseShared(em, secrets, changed);
}

async function refuseManaged(em: EntityManager, { before, values }: Changed): Promise<void> {
  const name = catalogName(values["catalogZone"]);
  if (name === null || name === catalogName(before?.config["catalogZone"])) return;
  const domain = await queries(em)
    .selectFrom("domains")
    .select("id")
    .where("name", "=", name)
    .limit(1)
    .executeTakeFirst();
  if (domain)
    throw badField(
      ["config", "catalogZone"],
      `${name} is managed here as a domain. Choose a name for the catalog that no domain has, such as catalog.invalid.`,
    );
}

/**
 * Refuses a catalog with the name of another configuration's, unless their keys tell the secondaries apart: a secondary that may transfer both
 * would get the members of one only. What was so before may stay.
 */
async function refuseShared(em: EntityManager, secrets: ConfigSecrets, { id, before, values }: Changed): Promise<void> {
  if (catalogName(values["catalogZone"]) === null) return;
  const former = before && openedOr(secrets, before);
  const others = await queries(em)
    .selectFrom("provider_configs")
    .select(["id", "kind", "name", "config"])
    .where("kind", "=", "primary")
    .where("id", "<>", id)
    .orderBy("id")
    .execute();
  const other = others.find(({ config, ...stored }) => {
    if (catalogName(config["catalogZone"]) !== catalogName(values["catalogZone"])) return false;
    const opened = openedOr(secrets, { ...stored, config });
    return areMixedUp(values, opened) && !(former && areMixedUp(former, opened));
  });
  if (other)
    throw badField(
      ["config", "catalogZone"],
      `${other.name} has a catalog of this name. Choose another name, or give both configurations \`tsigKeys\` of their own.`,
    );
}

/** Returns whether a secondary may transfer the catalogs of two configurations that have the same name. */
function areMixedUp(one: ConfigValues, other: ConfigValues): boolean {
  if (catalogName(one["catalogZone"]) !== catalogName(other["catalogZone"])) return false;
  const [keys, others] = [keysOf(one), keysOf(other)];
  if (keys.length === 0 || others.length === 0) return true;
  return keys.some(({ name, secret }) => others.some((key) => key.name === name && key.secret.equals(secret)));
}

function keysOf({ tsigKeys }: ConfigValues) {
  return typeof tsigKeys === "string" ? itemsOf(tsigKeys).flatMap((item) => readKey(item) ?? []) : [];
}

/** Returns the values with their secrets, or without those that no key opens. */
function openedOr(secrets: ConfigSecrets, stored: StoredConfig): ConfigValues {
  try {
    return secrets.open(stored);
  } catch {
    return withoutSecrets(stored.kind, stored.config);
  }
}

/** Returns whether a configuration has a catalog of this name. */
export async function isCatalog(em: EntityManager, name: string): Promise<boolean> {
  const { rows } = await sql<{ catalog: string }>`
    select config ->> 'catalogZone' as catalog from provider_configs
    where kind = 'primary' and config ->> 'catalogZone' is not null
  `.execute(queries(em));
  return rows.some(({ catalog }) => catalogName(catalog) === name);
}

function catalogName(given: unknown): string | null {
  const parsed = typeof given === "string" ? parseZoneName(given) : null;
  return parsed?.ok ? parsed.value : null;
}
