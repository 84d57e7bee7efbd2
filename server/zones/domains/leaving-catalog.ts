import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";

/** A place where secondaries find a domain. */
interface Place {
  domainId: string;
  /** The configuration; undefined: all that serve the domain. */
  configId?: string | undefined;
}

/**
 * Refuses to take a domain out of catalog zones without confirmation: secondaries that follow a catalog drop the zone (RFC 9432 §5.3).
 * @throws AppError CONFIRMATION_REQUIRED
 */
export async function refuseLeavingCatalog(em: EntityManager, place: Place, force: boolean): Promise<void> {
  if (force) return;
  const catalog = await catalogOf(em, place);
  if (catalog === null) return;
  const message = `The domain is in the catalog zone ${catalog}: its secondaries will drop this zone. Confirm with \`force: true\`.`;
  throw new AppError("CONFIRMATION_REQUIRED", message, { issues: [{ path: ["force"], message }] });
}

/** Returns the name of a catalog zone that has the domain as a member; null if none has. */
export async function catalogOf(em: EntityManager, { domainId, configId }: Place): Promise<string | null> {
  const isHere = configId === undefined ? sql`true` : sql`c.id = ${configId}::uuid`;
  const { rows } = await sql<{ catalog: string }>`
    select c.config ->> 'catalogZone' as catalog from provider_configs c
    where c.id in (
        select provider_config_id from domains where id = ${domainId}::uuid
        union all select provider_config_id from mirrors where domain_id = ${domainId}::uuid
      )
      and c.kind = 'primary' and c.config ->> 'catalogZone' is not null and ${isHere} limit 1
  `.execute(queries(em));
  return rows[0]?.catalog ?? null;
}
