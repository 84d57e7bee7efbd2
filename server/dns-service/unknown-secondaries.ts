import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../database/database.ts";
import { identityOf } from "./endpoints.ts";
import type { PrimaryService } from "./primary-configs.ts";
import { places } from "./zones.ts";

/**
 * Returns the secondaries without stored state, for each of their domains. They were added to a configuration after the last change of the
 * domain, so no NOTIFY has reached them.
 */
export async function unknownSecondaries(
  em: EntityManager,
  services: readonly PrimaryService[],
  most: number,
): Promise<{ domainId: string; identity: string }[]> {
  const listed = services.flatMap(({ configId, settings }) =>
    settings.notify.map((endpoint) => ({ config_id: configId, identity: identityOf(endpoint) })),
  );
  if (listed.length === 0) return [];
  const { rows } = await sql<{ domainId: string; identity: string }>`
    select distinct place.domain_id as "domainId", listed.identity
    from ${jsonRows(listed)} as listed (config_id uuid, identity text)
    join ${places} as place on place.provider_config_id = listed.config_id
    join primary_zones on primary_zones.domain_id = place.domain_id
    where not exists (
      select from primary_secondaries as known
      where known.zone_id = place.domain_id and known.identity = listed.identity
    )
    limit ${most}
  `.execute(queries(em));
  return rows;
}
