import type { BatchPurpose, TemplateRequest } from "../batches/batch.ts";
import { revertTitle } from "../batches/notices.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { planEdits } from "../../zones/records/editing/plan-edits.ts";
import { applyAtomic } from "../../zones/records/editing/edits.ts";
import { editsOf } from "../../zones/records/editing/reviewed-plan.ts";
import {
  appliedTo,
  type ApplicationState,
  type AppliedTemplate,
  type DomainTemplates,
  type NextState,
} from "./applied.ts";
import type { Template, StoredTemplate } from "./form/template.ts";
import {
  expandLinked,
  inFixedOrder,
  linkedChanges,
  namesOf,
  type LinkedZone,
  liveRecordsOf,
} from "./linked-changes.ts";

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

export function linkedRequest({ id, revision, template }: StoredTemplate): LinkedRequest {
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
      const linked: LinkedZone = {
        id: zone.id,
        name: zone.name,
        kind: zone.kind,
        applied: await appliedTo(em, [zone.id]),
      };
      const expansions = expandLinked(linked, stored);
      const live = (await liveRecordsOf(em, [{ domainId: zone.id, ...namesOf(expansions) }])).get(zone.id) ?? [];
      const { changes, following } = linkedChanges(linked, stored, expansions, live);
      const judged = await planEdits(em, zone, editsOf(changes), applyAtomic);
      const refusal = judged.outcomes.find((outcome) => !outcome.ok);
      if (refusal && !refusal.ok)
        throw new AppError(refusal.code, refusal.issues[0]?.message ?? "The change was refused.");
      const detail: Remembered = { next: following, former: expansions.map(({ one }) => stateOf(one)) };
      return { changes: inFixedOrder(judged.changes), detail };
    },
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
  const detail = (typeof row?.detail === "string" ? JSON.parse(row.detail) : row?.detail) as Partial<Remembered> | null;
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
