import { queries, type EntityManager } from "../database/database.ts";
import { isActive, recordLabel, type PlannedChange } from "../dns/record.ts";
import { knownKind } from "../dns-providers/kinds.ts";
import type { ProviderKind } from "../dns-providers/provider.ts";
import { atOnce } from "../platform/slices.ts";
import { loweredNames } from "./lowered-names.ts";
import { withPlainTtl } from "./plain-ttls.ts";
import { limitIssues } from "./provider-limits.ts";

const mostListed = 20;

/** Returns warnings about records that a mirror of the zone cannot store. */
export async function mirrorWarnings(
  em: EntityManager,
  zone: { id: string; name: string; kind: ProviderKind },
  changes: readonly PlannedChange[],
): Promise<string[]> {
  const brought = changes.flatMap(({ after }) => (after && isActive(after) ? [after] : []));
  if (brought.length === 0) return [];
  const mirrors = await queries(em)
    .selectFrom("mirrors")
    .innerJoin("provider_configs", "provider_configs.id", "mirrors.provider_config_id")
    .select(["provider_configs.kind", "provider_configs.name"])
    .where("mirrors.domain_id", "=", zone.id)
    // Strict ones refuse the change.
    .where("mirrors.strict", "=", false)
    .orderBy("mirrors.id")
    .execute();
  const lowered = mirrors.flatMap(({ kind, name }) =>
    atOnce(loweredNames({ ...knownKind(kind), name: `The mirror ${name}` }, changes)),
  );
  const warnings = mirrors.flatMap(({ kind, name }) =>
    brought.flatMap((record) => {
      const mirror = knownKind(kind);
      const [issue] = limitIssues(withPlainTtl(zone.kind, mirror, record), mirror, zone.name);
      return issue ? [`The mirror ${name} will not have ${recordLabel(record)}: ${issue.message}`] : [];
    }),
  );
  return [...warnings.slice(0, mostListed), ...lowered];
}
