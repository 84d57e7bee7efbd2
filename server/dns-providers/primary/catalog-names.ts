import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import type { ConfigValues } from "../../database/tables/provider-configs.ts";
import { parseZoneName } from "../../dns/names/names.ts";
import { badField } from "../../platform/errors.ts";

/*
 * Secondaries that ask for a catalog's name get the catalog (RFC 9432). A domain of that name would never be transferred, and a secondary would
 * load the catalog in its place.
 */

/** Refuses a catalog with the name of a domain. @param before null for a new configuration @throws AppError BAD_REQUEST */
export async function refuseManagedCatalog(
  em: EntityManager,
  before: ConfigValues | null,
  values: ConfigValues,
): Promise<void> {
  const name = catalogName(values["catalogZone"]);
  if (name === null || name === catalogName(before?.["catalogZone"])) return;
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
