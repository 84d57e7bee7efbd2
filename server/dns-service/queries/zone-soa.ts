import { queries, type EntityManager } from "../../database/database.ts";
import { readRdata } from "../../dns/wire/rdata-read.ts";
import { serialOf } from "../../dns/wire/serials.ts";
import { initialSoa, type Soa } from "../../dns/zone-file/soa.ts";
import type { PrimaryService } from "../primary-configs.ts";
import { ownerOf, soaEntry } from "../wire-records.ts";
import { zonesById } from "../zones.ts";

/**
 * Returns the SOA with which Zonewright answers for a zone: that of its secondaries, for the kind `primary`; otherwise one of its own, with the
 * zone's first name server. Its serial rises with each change.
 */
export async function soaOf(
  em: EntityManager,
  services: readonly PrimaryService[],
  { id, name, revision }: { id: string; name: string; revision: number },
): Promise<Soa> {
  const [served] = await zonesById(em, services, [id]);
  if (served) return served.soa;
  const nameServer = await queries(em)
    .selectFrom("records")
    .select(["value", "written_value"])
    .where("domain_id", "=", id)
    .where("until", "is", null)
    .where("status", "=", "active")
    .where("name", "=", "@")
    .where("record_type", "=", "NS")
    .orderBy("value")
    .limit(1)
    .executeTakeFirst();
  const soa = initialSoa(name, new Date(0));
  return { ...soa, mname: nameServer?.written_value ?? nameServer?.value ?? soa.mname, serial: serialOf(revision + 1) };
}

/** Returns an SOA as a record of its zone. */
export function soaRecord(soa: Soa) {
  const { rdata } = soaEntry(ownerOf("."), soa);
  return { name: "@", recordType: "SOA", value: readRdata(rdata, "SOA", 0, rdata.length).value, strings: null };
}
