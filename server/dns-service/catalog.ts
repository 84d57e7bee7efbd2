import { queries, type Database } from "../database/database.ts";
import { writeName } from "../dns/names/wire-names.ts";
import { types } from "../dns/wire/messages.ts";
import { writeRdata } from "../dns/wire/rdata-write.ts";
import { ownerOf, type WireEntry } from "./wire-records.ts";
import type { ServedZone } from "./zones.ts";

const pageRows = 1_000;
/** RFC 9432 §4.1: TTLs in a catalog have no meaning. */
const ttl = 0;

/** Yields the records of a catalog zone between its SOAs (RFC 9432 §4). */
export async function* catalogEntries(database: Database, { id, name }: ServedZone): AsyncGenerator<WireEntry> {
  yield { owner: ownerOf(name), type: types.ns, ttl, rdata: writeName("invalid") };
  yield { owner: ownerOf(`version.${name}`), type: types.txt, ttl, rdata: writeRdata("TXT", "2") };
  let last = "";
  for (;;) {
    const rows: { provider_zone: string; catalog_label: string }[] = await queries(database.fork())
      .selectFrom("domains")
      .innerJoin("primary_zones", "primary_zones.domain_id", "domains.id")
      .select(["domains.provider_zone", "primary_zones.catalog_label"])
      .where("domains.provider_config_id", "=", id)
      .where("domains.provider_zone", ">", last)
      .orderBy("domains.provider_zone")
      .limit(pageRows)
      .execute();
    for (const { provider_zone: zone, catalog_label: label } of rows) {
      yield { owner: ownerOf(`${label}.zones.${name}`), type: types.ptr, ttl, rdata: writeName(zone) };
    }
    const end = rows.at(-1);
    if (rows.length < pageRows || !end) return;
    last = end.provider_zone;
  }
}
