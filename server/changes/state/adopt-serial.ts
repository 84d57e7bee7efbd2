import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";

/** Lets the serials of a zone that has arrived at a configuration of kind `primary` go on after its last one elsewhere. */
export async function adoptSerial(tx: EntityManager, domainId: string, last: number): Promise<void> {
  await sql`
    update primary_zones set serial_base = ${last + 1}::bigint - domains.revision, base_revision = domains.revision
    from domains where domains.id = primary_zones.domain_id and domain_id = ${domainId}::uuid
  `.execute(queries(tx));
}

/** Returns whether the zone had serials here before. */
export async function hasSerial(tx: EntityManager, domainId: string): Promise<boolean> {
  const row = await queries(tx)
    .selectFrom("primary_zones")
    .select("domain_id")
    .where("domain_id", "=", domainId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Raises the serial of a zone that was here before and arrives at a configuration of kind `primary`, which has another SOA, or whose main
 * provider begins or ceases to sign it. The gap makes serials from before unknown, so that they lead to a whole transfer.
 */
export async function raiseSerial(tx: EntityManager, domainId: string): Promise<void> {
  await sql`
    update primary_zones set serial_base = serial_base + 1000, base_revision = domains.revision
    from domains where domains.id = primary_zones.domain_id and domain_id = ${domainId}::uuid
  `.execute(queries(tx));
}
