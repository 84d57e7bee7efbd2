import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";

/** Lets the serials of a zone that has arrived at a configuration of kind `primary` go on after its last one elsewhere. */
export async function adoptSerial(tx: EntityManager, domainId: string, last: number): Promise<void> {
  await sql`
    update primary_zones set serial_base = ${last + 1} - domains.revision, base_revision = domains.revision
    from domains where domains.id = primary_zones.domain_id and domain_id = ${domainId}::uuid
  `.execute(queries(tx));
}
