import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { outsideRights } from "../../access/zone-access.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { escapeLike } from "../../database/query-helpers.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { LiveRecord } from "../../dns/record.ts";
import { ownerWithin } from "../../dns/names/names.ts";
import { grouped, inSlices } from "../../platform/slices.ts";
import { registrableOf } from "../../registry/expiry/registration.ts";
import { zoneAt } from "../changes/state/live-queries.ts";
import { readZoneContext } from "../changes/zone-context.ts";
import { aboutCodes, faultsOf, healthCodes, type Fault } from "./rules.ts";
import type { health } from "./schemas.ts";

/** Faults of one code that are listed. */
const mostOfCode = 50;
const mostRecords = 10;

const severities = ["error", "warning", "info"] as const;

/** Finds what is wrong in the records of a zone. */
export class ZoneHealth {
  readonly #connections: ProviderConnections;

  constructor(connections: ProviderConnections) {
    this.#connections = connections;
  }

  /** Looks at the records that the caller may see. @throws AppError NOT_FOUND, FORBIDDEN */
  async of(em: EntityManager, caller: Caller, id: string): Promise<z.input<typeof health>> {
    const zone = await readZoneContext(em, this.#connections, {
      domainId: id,
      caller,
      need: "read",
      isStoredEnough: true,
    });
    const { sees } = zone.rights;
    const records = await zoneAt(em, id, zone.revision, sees);
    const isPart = !sees.isAll;
    const childZones = await childZonesOf(em, zone.name);
    const isRegistered = registrableOf(zone.name)?.name === zone.name;
    const rights = { ...zone.rights, changes: zone.rights.proposes };
    const mayMend = (record: LiveRecord) => outsideRights(record, rights) === null;
    const judged = faultsOf({ ...zone, isPart, isRegistered, mayMend, childZones }, records);
    const { faults, checked } = await inSlices(judged);
    const byCode = await inSlices(grouped(faults, ({ code }) => code));
    const worstFirst = severities.flatMap((severity) =>
      healthCodes.filter((code) => aboutCodes[code].severity === severity),
    );
    return {
      domainId: id,
      revision: zone.revision,
      checked,
      isPart,
      total: faults.length,
      faults: worstFirst.flatMap((code) => (byCode.get(code) ?? []).slice(0, mostOfCode)).map(faultView),
    };
  }
}

function faultView({ code, name, message, records, mend }: Fault) {
  const { severity, why } = aboutCodes[code];
  const shown = records.slice(0, mostRecords).map(({ id, name: owner, recordType, value, ttl }) => ({
    id,
    name: owner,
    recordType,
    value,
    ttl,
  }));
  return { code, severity, why, name, message, recordCount: records.length, records: shown, mend };
}

/** Returns the names of a zone, relative to it, that are domains of their own here, whoever may see them. They only keep faults from being reported. */
async function childZonesOf(em: EntityManager, zone: string): Promise<Set<string>> {
  const below = await queries(em)
    .selectFrom("domains")
    .select("name")
    .where("name", "like", `%.${escapeLike(zone)}`)
    .execute();
  return new Set(below.flatMap(({ name }) => ownerWithin(name, zone) ?? []));
}
