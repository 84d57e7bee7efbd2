import { sql } from "kysely";
import { queries, type Database } from "../database/database.ts";
import { writeName } from "../dns/names/wire-names.ts";
import { types } from "../dns/wire/messages.ts";
import { writeRdata } from "../dns/wire/rdata-write.ts";
import { ownerOf, type WireEntry } from "./wire-records.ts";
import { places, type ServedZone } from "./zones.ts";

const pageRows = 1_000;
/** RFC 9432 §4.1: TTLs in a catalog have no meaning. */
const ttl = 0;

/** RFC 1035 §3.3: a character-string has at most 255 octets. */
const mostOctets = 255;

/** Yields the records of a catalog zone between its SOAs (RFC 9432 §4). The group of its members is the configuration's name (§4.3.2). */
export async function* catalogEntries(database: Database, { id, name }: ServedZone): AsyncGenerator<WireEntry> {
  yield { owner: ownerOf(name), type: types.ns, ttl, rdata: writeName("invalid") };
  yield { owner: ownerOf(`version.${name}`), type: types.txt, ttl, rdata: writeRdata("TXT", "2") };
  let last = "";
  for (;;) {
    const { rows } = await sql<MemberRow>`
      select place.provider_zone, primary_zones.catalog_label, provider_configs.name as group_name
      from ${places} as place
      join primary_zones on primary_zones.domain_id = place.domain_id
      join provider_configs on provider_configs.id = place.provider_config_id
      where place.provider_config_id = ${id}::uuid and place.provider_zone > ${last}
      order by place.provider_zone limit ${pageRows}
    `.execute(queries(database.fork()));
    for (const { provider_zone: zone, catalog_label: label, group_name: group } of rows) {
      const member = `${label}.zones.${name}`;
      yield { owner: ownerOf(member), type: types.ptr, ttl, rdata: writeName(zone) };
      yield { owner: ownerOf(`group.${member}`), type: types.txt, ttl, rdata: characterString(group) };
    }
    const end = rows.at(-1);
    if (rows.length < pageRows || !end) return;
    last = end.provider_zone;
  }
}

interface MemberRow {
  provider_zone: string;
  catalog_label: string;
  group_name: string;
}

function characterString(text: string): Buffer {
  const octets = Buffer.from(text).subarray(0, mostOctets);
  return Buffer.concat([Buffer.of(octets.length), octets]);
}
