import { queries } from "../../../server/database/database.ts";
import { unknownId, type Zone } from "../../support/zones.ts";
import type { Zonewright } from "../../support/zonewright.ts";

/** Gives another process the zone's lease. @param seconds for how long; below 0 it has expired */
export async function holdLease(zw: Zonewright, zone: Zone, seconds: number): Promise<void> {
  await queries(zw.services.database.fork())
    .updateTable("domains")
    .set({ lease_token: unknownId, lease_until: new Date(Date.now() + seconds * 1000) })
    .where("id", "=", zone.id)
    .execute();
}
