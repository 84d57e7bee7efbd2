import { queries, type EntityManager } from "../database/database.ts";
import { qualifiedName, zoneNameOf } from "../dns/names/views.ts";
import type { ProviderKind } from "./provider.ts";

/** Returns those of a configuration's zones that an import would not add, because a domain has them or their name. */
export async function managedZones(
  em: EntityManager,
  { id, kind }: { id: string; kind: ProviderKind },
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const managed = new Set<string>();
  for (let start = 0; start < names.length; start += 5_000) {
    const some = names.slice(start, start + 5_000);
    const rows = await queries(em)
      .selectFrom("domains")
      .select(["name", "view", "provider_config_id", "provider_zone"])
      .where((eb) =>
        eb.or([
          eb("name", "in", [...new Set(some.map(zoneNameOf))]),
          eb.and([eb("provider_config_id", "=", id), eb("provider_zone", "in", some)]),
        ]),
      )
      .execute();
    for (const row of rows) {
      // An import would make the domain in the view that the zone's name says, or in the default view.
      if (kind.separatesViews || row.view === "") managed.add(qualifiedName(row));
      if (row.provider_config_id === id) managed.add(row.provider_zone);
    }
  }
  return managed;
}
