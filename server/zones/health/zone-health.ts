import { sql } from "kysely";
import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { ancestorsOf } from "../../dns/server-rules/known-names.ts";
import { inSlices } from "../../platform/slices.ts";
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
    const zone = await readZoneContext(em, this.#connections, { domainId: id, caller, need: "read" });
    const { sees } = zone.rights;
    const records = await zoneAt(em, id, zone.revision, sees);
    const isPart = !sees.isAll;
    const isBelowOwn = await hasZoneAbove(em, caller, zone);
    const faults = await inSlices(faultsOf({ ...zone, isPart, isBelowOwn }, records));
    const byCode = Map.groupBy(faults, ({ code }) => code);
    const worstFirst = severities.flatMap((severity) =>
      healthCodes.filter((code) => aboutCodes[code].severity === severity),
    );
    return {
      domainId: id,
      revision: zone.revision,
      checked: records.length,
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

/** Returns whether the caller sees a domain above this one, which may have the DMARC policy of both. */
async function hasZoneAbove(em: EntityManager, caller: Caller, { name }: { name: string }): Promise<boolean> {
  const visible = await visibleDomains(em, caller);
  const found = await queries(em)
    .selectFrom("domains")
    .select("domains.id")
    .where("domains.name", "in", sql<string>`(select value from ${jsonTexts(ancestorsOf(name))})`)
    .where("domains.view", "=", "")
    .where((eb) => visible.condition(eb))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
