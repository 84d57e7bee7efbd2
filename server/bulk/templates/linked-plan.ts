import { createHash } from "node:crypto";
import type { Caller } from "../../access/caller.ts";
import { refuseReserved } from "../../zones/changes/locks-and-reviews.ts";
import { zonesToPlan, type ZoneToPlan } from "../../zones/changes/zones-to-plan.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { AppError } from "../../platform/errors.ts";
import { inChunks, takeTurns } from "../../platform/slices.ts";
import { changesHash, lossWarning } from "../../zones/records/editing/reviewed-plan.ts";
import { zoneWarnings, type PlannedZone } from "../../zones/records/planned-zone.ts";
import { appliedTo, type AppliedTemplate, type NextState } from "./applied.ts";
import { expandLinked, judged, linkedChanges, namesOf, type LinkedZone } from "./linked-changes.ts";
import type { StoredTemplate } from "./template-view.ts";
import { liveRecordsOf } from "./zone-state.ts";

/** More linked domains are refused. */
const mostDomains = 10_000;
const domainsAtOnce = 200;

/** What a changed template does in one linked domain. */
interface LinkedDomain extends PlannedZone {
  /** What to remember of a domain that matches the template already, if that is of an earlier version. */
  following: NextState[];
}

export interface LinkedPlan {
  /** By name. */
  domains: LinkedDomain[];
  /** Hash of the template and of what is planned in each domain. */
  planHash: string;
}

/**
 * Plans a template over the domains that are linked to it. Asks no provider: what only a provider knows is found when a domain is changed.
 * @throws AppError CONFLICT above 10,000 domains
 */
export async function planLinked(
  em: EntityManager,
  connections: ProviderConnections,
  caller: Caller,
  stored: StoredTemplate,
): Promise<LinkedPlan> {
  const ids = await linkedDomains(em, stored.id);
  const domains = await inChunks(ids, domainsAtOnce, async (some) => {
    const zones = await zonesToPlan(em, connections, caller, some);
    const found = some.flatMap((id) => zones.get(id) ?? []);
    return await planChunk(em, stored, found);
  });
  const hash = createHash("sha256").update(JSON.stringify([stored.id, stored.revision, stored.template]));
  for (const { domainId, hash: part, error } of domains)
    if (part !== null || error !== null) hash.update(JSON.stringify([domainId, part]));
  return { domains, planHash: hash.digest("base64url") };
}

async function linkedDomains(em: EntityManager, templateId: string): Promise<string[]> {
  const rows = await queries(em)
    .selectFrom("domains")
    .select("domains.id")
    .where("domains.id", "in", (eb) =>
      eb
        .selectFrom("domain_templates")
        .select("domain_templates.domain_id")
        .where("domain_templates.template_id", "=", templateId)
        .where("domain_templates.linked", "=", true),
    )
    .orderBy("domains.name")
    .orderBy("domains.view")
    .limit(mostDomains + 1)
    .execute();
  if (rows.length > mostDomains)
    throw new AppError("CONFLICT", `More than ${mostDomains} domains are linked to this template. Unlink some first.`);
  return rows.map(({ id }) => id);
}

type Found = NonNullable<ReturnType<Awaited<ReturnType<typeof zonesToPlan>>["get"]>>;

/** Plans some domains with a fixed number of queries, apart from delegations. */
async function planChunk(em: EntityManager, stored: StoredTemplate, found: readonly Found[]): Promise<LinkedDomain[]> {
  const ids = found.map(({ id }) => id);
  const applied = Map.groupBy(await appliedTo(em, ids), ({ domainId }) => domainId);
  const prepared = found.map((one) => ({ ...one, ...expansionsOf(one, stored, applied.get(one.id) ?? []) }));
  const states = await liveRecordsOf(
    em,
    prepared.flatMap(({ id, touched }) => (touched ? [{ domainId: id, names: touched.names, trees: [] }] : [])),
  );
  const planned: LinkedDomain[] = [];
  for (const { id, qualifiedName: domainName, error, linked, expansions, touched, zone } of prepared) {
    const empty = { changes: [], warnings: [], hash: null, needsForce: false, error, following: [] };
    const base = { domainId: id, domainName, ...empty };
    if (!zone || !linked || error !== null) {
      planned.push(base);
      continue;
    }
    const part = await orReason(async () => {
      // Delegations are rare: what is below them is read one domain at a time.
      const whole = touched.trees.length > 0 ? await liveRecordsOf(em, [{ domainId: id, ...touched }]) : states;
      const live = whole.get(id) ?? [];
      const { changes, warnings, following } = linkedChanges(linked, stored, expansions, live);
      const { planned, warnings: more, error } = await judged(linked, changes, live);
      if (error !== null) throw new AppError("CONFLICT", error);
      if (!zone.rights.changesProtected) refuseReserved(planned);
      const isBehind = expansions.some(({ one }) => one.templateRevision !== stored.revision);
      const part = await partOf(zone, planned, [...warnings, ...more]);
      return { ...part, following: planned.length === 0 && isBehind ? following : [] };
    });
    planned.push({ ...base, ...part });
    await takeTurns();
  }
  return planned;
}

function expansionsOf({ zone, error }: Found, stored: StoredTemplate, applied: readonly AppliedTemplate[]) {
  const none = { linked: null, expansions: [], touched: null };
  if (!zone) return { ...none, error };
  const linked: LinkedZone = { id: zone.id, name: zone.name, kind: zone.kind, applied };
  try {
    const expansions = expandLinked(linked, stored);
    return { linked, expansions, touched: namesOf(expansions), error: null };
  } catch (error) {
    return { ...none, error: messageOf(error) };
  }
}

async function partOf(zone: ZoneToPlan, changes: PlannedChange[], warnings: readonly string[]) {
  if (changes.length === 0) return { changes, warnings: [], hash: null, needsForce: false };
  const loss = changes.length > 1 ? lossWarning(changes, zone.recordCount) : null;
  return {
    changes,
    warnings: [...warnings, ...zoneWarnings(zone, changes), ...(loss === null ? [] : [loss])],
    hash: await changesHash(zone, changes),
    needsForce: loss !== null,
  };
}

async function orReason<T>(work: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  throw error;
}
