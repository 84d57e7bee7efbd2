import { createHash } from "node:crypto";
import type { Caller } from "../../access/caller.ts";
import { refuseReserved, checkOverride } from "../../zones/changes/locks-and-reviews.ts";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import type { PlannedChange } from "../../dns/record.ts";
import { AppError } from "../../platform/errors.ts";
import { inChunks, takeTurns } from "../../platform/slices.ts";
import { changesHash, refuseLosses, planView, editsOf } from "../../zones/records/editing/reviewed-plan.ts";
import {
  addLosses,
  zoneWarnings,
  type PlannedZone,
  refuseLockedIn,
  zonesToPlan,
  type ZoneToPlan,
} from "../../zones/records/planned-zone.ts";
import {
  appliedTo,
  type AppliedTemplate,
  type NextState,
  type DomainTemplates,
  type ApplicationState,
} from "./applied.ts";
import {
  expandLinked,
  judged,
  linkedChanges,
  namesOf,
  type LinkedZone,
  liveRecordsOf,
  inFixedOrder,
  openTtlWarnings,
  withoutOpenTtls,
} from "./linked-changes.ts";
import type { StoredTemplate, Template } from "./form/template.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { batchJobName, type ExplainedRequest, type BatchPurpose, type TemplateRequest } from "../batches/batch.ts";
import { storeBatch } from "../batches/store.ts";
import { storedMessage } from "../../zones/changes/pipeline.ts";
import type { Enqueue } from "../../ops/jobs/runner.ts";
import type { Templates } from "./store.ts";
import { revertTitle } from "../batches/notices.ts";
import { planEdits } from "../../zones/records/editing/plan-edits.ts";
import { kindOfZone } from "../../zones/records/provider-limits.ts";
import { applyAtomic } from "../../zones/records/editing/edits.ts";

/** More linked domains are refused. */
const mostDomains = 10_000;
const domainsAtOnce = 200;

/** What a changed template does in one linked domain. */
interface LinkedDomain extends PlannedZone {
  /** What to remember of a domain that matches the template already, if that is of an earlier version. */
  following: NextState[];
}

interface LinkedPlan {
  /** By name. */
  domains: LinkedDomain[];
  /** Hash of the template and of what is planned in each domain. */
  planHash: string;
}

/**
 * Plans a template over the domains that are linked to it. Asks no provider: what only a provider knows is found when a domain is changed.
 * @throws AppError CONFLICT above 10,000 domains
 */
async function planLinked(
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
  for (const { id, qualifiedName: domainName, providerId, error, linked, expansions, touched, zone } of prepared) {
    const empty = { changes: [], warnings: [], hash: null, needsForce: false, error, following: [] };
    const base = { domainId: id, domainName, providerId, ...empty };
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
  await addLosses(
    em,
    planned,
    found.flatMap(({ zone }) => zone ?? []),
  );
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
  return {
    changes,
    warnings: [...warnings, ...openTtlWarnings(zone.kind, changes), ...zoneWarnings(zone, changes)],
    hash: await changesHash(zone, withoutOpenTtls(zone.kind, changes)),
    needsForce: false,
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

interface Parts {
  templates: Templates;
  domainTemplates: DomainTemplates;
  connections: ProviderConnections;
  audit: Audit;
  enqueue: Enqueue;
  now: () => Date;
}

/** Brings the domains that are linked to a template up to date with it. */
export class LinkedTemplates {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns what the template changes in every linked domain. @throws AppError NOT_FOUND, CONFLICT above 10,000 domains */
  async plan(em: EntityManager, caller: Caller, id: string) {
    const { connections, templates } = this.#parts;
    const plan = await planLinked(em, connections, caller, await templates.load(em, id));
    const domains = [];
    let unchanged = 0;
    let behind = 0;
    for (const { domainId, domainName, providerId, changes, warnings, hash, error, following } of plan.domains) {
      if (following.length > 0) behind += 1;
      if (hash === null && error === null) unchanged += 1;
      else domains.push({ domainId, domainName, providerId, ...(await planView(changes)), warnings, error });
    }
    return { domains, unchanged, behind, warnings: [], planHash: plan.planHash };
  }

  /**
   * Starts a batch that carries out a reviewed plan. Domains that the template cannot be applied to are items that have failed; of domains
   * that match it already, only what is remembered changes.
   * @throws AppError NOT_FOUND, CONFLICT when the plan is outdated or empty, CONFIRMATION_REQUIRED above the safety threshold of any domain
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    input: ExplainedRequest & { id: string; planHash: string; force: boolean },
  ) {
    const { id, planHash, force } = input;
    const { audit, connections, domainTemplates, enqueue, now, templates } = this.#parts;
    checkOverride({ ...input, role: caller.role });
    const message = storedMessage(input.message) ?? undefined;
    const override = input.override || undefined;
    const unlock = input.unlock || undefined;
    const stored = await templates.load(em, id);
    const plan = await planLinked(em, connections, caller, stored);
    if (plan.planHash !== planHash)
      throw new AppError(
        "CONFLICT",
        "The plan is outdated: the template or its linked domains have changed. Plan again.",
      );
    const items = plan.domains.filter(({ hash, error }) => hash !== null || error !== null);
    const behind = plan.domains.flatMap(({ following }) => following);
    if (items.length === 0 && behind.length === 0)
      throw new AppError("CONFLICT", "No linked domain differs from the template, so there is nothing to apply.");
    if (!force) refuseLosses(items);
    if (!unlock) refuseLockedIn(items);
    return await em.transactional(async (tx) => {
      const batch = {
        kind: "template",
        request: { ...linkedRequest(stored), message, override, unlock },
        force,
        revertsId: null,
        now: now(),
      } as const;
      const jobId = await storeBatch(
        tx,
        caller,
        batch,
        items.map(({ domainId, hash, error }) => ({ domainId, planHash: hash, detail: null, error })),
      );
      await domainTemplates.put(tx, behind, null);
      await audit.record(tx, caller, {
        action: "template.apply_linked",
        targetType: "template",
        targetId: id,
        after: { jobId, revision: stored.revision, force, domains: items.length, message, override, unlock },
      });
      await enqueue(tx, batchJobName, {});
      return { jobId };
    });
  }
}

/** What a batch that applies a changed template stores: the template as it was reviewed. */
interface LinkedRequest extends TemplateRequest {
  serviceName: string;
  /** As JSON text: `jsonb` refuses some valid JSON. */
  template: string;
}

/** What an item remembers of the domain's applications: how they are to be once its changes are made, and how they were. */
interface Remembered {
  next: NextState[];
  former: ApplicationState[];
}

function linkedRequest({ id, revision, template }: StoredTemplate): LinkedRequest {
  const { serviceName } = template;
  return { templateId: id, templateRevision: revision, serviceName, template: JSON.stringify(template) };
}

/** Returns what notifications call a batch that applies a changed template; null for other batches. */
function linkedTitle(request: unknown): string | null {
  const { templateId, serviceName } = request as Partial<LinkedRequest>;
  return templateId === undefined ? null : `Change of the template ${serviceName}`;
}

/** The purpose of batches that apply a changed template to its linked domains. */
export function linkedPurpose(domainTemplates: DomainTemplates): BatchPurpose {
  return {
    title: (request) => linkedTitle(request) ?? "",
    async plan(em, zone, { request }) {
      const stored = storedIn(request as LinkedRequest);
      const given = { id: zone.id, name: zone.name, kind: zone.kind, applied: await appliedTo(em, [zone.id]) };
      const expansions = expandLinked(given, stored);
      const ttls = expansions.flatMap(({ expanded }) => [...expanded.records, ...expanded.spf].map(({ ttl }) => ttl));
      const linked: LinkedZone = { ...given, kind: await kindOfZone(zone, ttls) };
      const live = (await liveRecordsOf(em, [{ domainId: zone.id, ...namesOf(expansions) }])).get(zone.id) ?? [];
      const { changes, following } = linkedChanges(linked, stored, expansions, live);
      const judged = await planEdits(em, zone, editsOf(changes), applyAtomic);
      const refusal = judged.outcomes.find((outcome) => !outcome.ok);
      if (refusal && !refusal.ok)
        throw new AppError(refusal.code, refusal.issues[0]?.message ?? "The change was refused.");
      const detail: Remembered = { next: following, former: expansions.map(({ one }) => stateOf(one)) };
      return { changes: inFixedOrder(judged.changes), detail };
    },
    hashed: ({ kind }, changes) => withoutOpenTtls(kind, changes),
    made: (tx, detail, revision) => remember(domainTemplates, tx, detail, revision),
  };
}

/** Extends the purpose that reverts batches: what a domain remembers of its templates is taken back with its records. */
export function takingBack(revert: BatchPurpose, domainTemplates: DomainTemplates): BatchPurpose {
  return {
    ...revert,
    title(request) {
      const title = linkedTitle(request);
      return title === null ? revert.title(request) : revertTitle(title);
    },
    async plan(em, zone, item) {
      const plan = await revert.plan(em, zone, item);
      const remembered = await rememberedBy(em, revert.reverted?.(item.detail) ?? null);
      return remembered ? { ...plan, detail: { ...(item.detail as object), ...remembered } } : plan;
    },
    made: (tx, detail, revision) => remember(domainTemplates, tx, detail, revision),
  };
}

async function remember(domainTemplates: DomainTemplates, tx: EntityManager, detail: unknown, revision: number) {
  const { next = [] } = (detail ?? {}) as Partial<Remembered>;
  await domainTemplates.put(tx, next, revision);
}

/** Returns what takes back what the item of a change set remembered; null if it remembered nothing. */
async function rememberedBy(em: EntityManager, changeSetId: string | null): Promise<Remembered | null> {
  const row = await queries(em)
    .selectFrom("change_sets")
    .innerJoin("batch_items", "batch_items.id", "change_sets.batch_item_id")
    .select(["change_sets.revision", "batch_items.detail"])
    .where("change_sets.id", "=", changeSetId)
    .executeTakeFirst();
  const detail = fromJson(row?.detail) as Partial<Remembered> | null;
  const since = row?.revision ?? null;
  if (!detail?.next || !detail.former || since === null) return null;
  return {
    next: detail.former.map((state) => withSince(state, since)),
    former: detail.next,
  };
}

function withSince(
  { appliedId, templateRevision, variables, groups, written }: ApplicationState,
  since: number,
): NextState {
  return { appliedId, templateRevision, variables, groups, written, since };
}

function stateOf({ id, templateRevision, variables, groups, written }: AppliedTemplate): ApplicationState {
  return { appliedId: id, templateRevision, variables, groups, written };
}

function storedIn({ templateId: id, templateRevision: revision, template }: LinkedRequest): StoredTemplate {
  const parsed = JSON.parse(template) as Template;
  return { id, revision, template: parsed, builtIn: false, createdBy: null, createdAt: null, updatedAt: null };
}
