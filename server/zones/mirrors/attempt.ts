import { callProvider } from "../changes/provider-call.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { OnDrift } from "../../database/tables/domains.ts";
import { recordLabel } from "../../dns/record.ts";
import type { StoredConfig, ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import type { BeforeCall, ChangeOutcome, DnsProvider } from "../../dns-providers/provider.ts";
import { inSlices } from "../../platform/slices.ts";
import { lossWarning } from "../records/editing/reviewed-plan.ts";
import { compareMirror, type Compared, type Followed } from "./comparison.ts";
import { besideForeign } from "./plan.ts";
import type { Outcome } from "./store.ts";

/** A mirror with its domain and its configuration. */
export interface LoadedMirror {
  domain: Followed & { view: string; ownerId: string | null };
  zone: string;
  onDrift: OnDrift;
  force: boolean;
  config: StoredConfig & { name: string };
}

/** Reads what an attempt at a mirror needs; null if the mirror was deleted. */
export async function loadMirror(em: EntityManager, id: string): Promise<LoadedMirror | null> {
  const row = await queries(em)
    .selectFrom("mirrors as m")
    .innerJoin("domains as d", "d.id", "m.domain_id")
    .innerJoin("provider_configs as main", "main.id", "d.provider_config_id")
    .innerJoin("provider_configs as c", "c.id", "m.provider_config_id")
    .select([
      "m.provider_zone",
      "m.on_drift",
      "m.force_next",
      "c.id as config_id",
      "c.kind",
      "c.config",
      "c.name as config_name",
    ])
    .select([
      "d.id as domain_id",
      "d.name",
      "d.view",
      "d.owner_id",
      "d.revision",
      "d.provider_signed",
      "main.kind as main_kind",
    ])
    .where("m.id", "=", id)
    .executeTakeFirst();
  if (!row) return null;
  return {
    domain: {
      id: row.domain_id,
      name: row.name,
      view: row.view,
      ownerId: row.owner_id,
      revision: row.revision,
      kind: knownKind(row.main_kind),
      signed: row.provider_signed,
    },
    zone: row.provider_zone,
    onDrift: row.on_drift,
    force: row.force_next,
    config: { id: row.config_id, kind: row.kind, config: row.config, name: row.config_name },
  };
}

/**
 * Makes one attempt: reads the mirror, compares it with its domain, and applies the difference.
 * @param beforeCall runs before each call that changes the mirror, and throws to end the attempt @throws AppError, ProviderError
 */
export async function attemptMirror(
  em: EntityManager,
  connections: ProviderConnections,
  { domain, zone, onDrift, force, config }: LoadedMirror,
  beforeCall: BeforeCall,
): Promise<Outcome> {
  const { kind, provider } = connections.connect(config, "drift");
  const compared = await compareMirror(em, domain, { kind, provider, zone });
  const { changes, foreign, unsupported, present } = compared;
  const { revision } = domain;
  const served = {
    revision,
    differences: 0,
    foreign: 0,
    unsupported: unsupported.length,
    error: null,
    unreachable: false,
    retryAt: null,
  };
  if (!provider) return served;
  const warning = force ? null : lossWarning(foreign, Math.max(present, foreign.length));
  const deletesForeign = force || (onDrift === "restore" && warning === null);
  const wanted = deletesForeign ? [...foreign, ...changes] : await inSlices(besideForeign(compared));
  const outcomes = await apply({ provider, zone }, wanted, compared, beforeCall);
  const refused = wanted.flatMap(({ before, after }, index) => {
    const outcome = outcomes[index];
    const record = after ?? before;
    return outcome && !outcome.ok && record ? [`${recordLabel(record)}: ${outcome.message}`] : [];
  });
  const left = deletesForeign ? 0 : foreign.length;
  const errors = [
    ...(refused.length === 0 ? [] : [`${refused.length} changes were refused. ${refused[0] ?? ""}`]),
    ...(onDrift === "restore" && warning !== null && left > 0
      ? [
          `It has ${left} records that were never this domain's. Reconcile it with force: true to delete them, or set \`onDrift\` to \`report\`.`,
        ]
      : []),
  ];
  return {
    ...served,
    differences: left + refused.length,
    foreign: left,
    error: errors.length === 0 ? null : errors.join(" "),
  };
}

async function apply(
  { provider, zone }: { provider: DnsProvider; zone: string },
  changes: Compared["changes"],
  { fingerprint, exists, signed }: Compared,
  beforeCall: BeforeCall,
): Promise<ChangeOutcome[]> {
  if (!exists) await provider.createZone(zone);
  if (changes.length === 0) return [];
  const options = { plannedOn: fingerprint, signed, beforeCall };
  return (await callProvider(provider, zone, changes, options)).outcomes;
}
