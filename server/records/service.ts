import { zoneFor } from "../access/zone-access.ts";
import type { Caller } from "../access/caller.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { BulkItems } from "./bulk.ts";
import type { ChangeInput } from "./change-schemas.ts";
import { changedElsewhere } from "../changes/changed-elsewhere.ts";
import type { RecordInput } from "./editing/drafts.ts";
import { editsOf, planHash, refuseOtherPlan, refuseOtherRevision } from "./editing/reviewed-plan.ts";
import {
  applyAtomic,
  applyEach,
  namesOf,
  prepareEdits,
  withinRights,
  withRefused,
  type Edit,
  type Judged,
  type PreparedEdit,
} from "./editing/edits.ts";
import { pageOfRecords, recordView, type RecordFilter } from "./list.ts";
import { countSeen, liveAtNames, liveById } from "../changes/state/live-queries.ts";
import type { LiveRecord, PlannedChange, RecordData } from "../dns/record.ts";
import type { ChangePipeline, ChangeRequest, ChangeResult, Planned, ZoneContext } from "../changes/pipeline.ts";
import { lossWarning, refuseLoss } from "./loss-guard.ts";
import type { ProviderComparison } from "../changes/state/compare-with-provider.ts";
import { managedById } from "../changes/state/managed-queries.ts";
import { planView } from "./plan-view.ts";
import { isServerManaged } from "../dns/server-managed.ts";
import { privateAddressWarnings } from "./private-addresses.ts";
import { signatureWarnings } from "./signature-warnings.ts";
import { providerRefusals, refusalError, refuseAll, refuseAtomic, refuseOutdated } from "./editing/refusals.ts";
import { inSlices } from "../platform/slices.ts";
import { checkChanges } from "./server-rules/check-changes.ts";
import { kindOfZone } from "./provider-limits.ts";
import type { Violation } from "../dns/server-rules/rules.ts";
import { ZoneView } from "./editing/zone-view.ts";

interface EditPlan extends Planned, Judged {
  zone: ZoneContext;
  before: ReadonlyMap<string, LiveRecord>;
}

/** Reads and edits the records of a zone. */
export class Records {
  readonly #pipeline: ChangePipeline;
  readonly #comparison: ProviderComparison;
  readonly #now: () => Date;

  constructor(pipeline: ChangePipeline, comparison: ProviderComparison, now: () => Date) {
    this.#pipeline = pipeline;
    this.#comparison = comparison;
    this.#now = now;
  }

  /** Returns a page of the records that the caller sees. @throws AppError NOT_FOUND, BAD_REQUEST */
  async list(em: EntityManager, caller: Caller, { id, ...filter }: RecordFilter & { id: string }) {
    return await pageOfRecords(em, await zoneFor(em, caller, id, "read"), filter);
  }

  /** Creates a record. @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND, PROVIDER_ERROR */
  async create(em: EntityManager, caller: Caller, { id, ...input }: RecordInput & { id: string }) {
    const result = await this.#pipeline.run(em, singleEdit(caller, id, { action: "create", input }));
    return recordAfter(result) ?? missing();
  }

  /** Changes a record. @param ifMatch the version that the caller has seen; null: any. @throws AppError as `create`, and PRECONDITION_FAILED */
  async update(
    em: EntityManager,
    caller: Caller,
    { id, recordId, ...patch }: Partial<RecordInput> & { id: string; recordId: string },
    ifMatch: number | null,
  ) {
    const edit = { action: "update", recordId, patch } as const;
    return recordAfter(await this.#pipeline.run(em, singleEdit(caller, id, edit, ifMatch))) ?? missing();
  }

  /** Deletes a record. @throws AppError as `update` */
  async delete(
    em: EntityManager,
    caller: Caller,
    { id, recordId }: { id: string; recordId: string },
    ifMatch: number | null,
  ): Promise<void> {
    recordAfter(await this.#pipeline.run(em, singleEdit(caller, id, { action: "delete", recordId }, ifMatch)));
  }

  /** Creates up to 100 records, each on its own or all or none. @throws AppError FORBIDDEN, NOT_FOUND, PROVIDER_ERROR; `atomic`: as `create` */
  async bulkCreate(
    em: EntityManager,
    caller: Caller,
    input: { id: string; records: unknown[]; mode: "each" | "atomic" },
  ) {
    const items = new BulkItems(input.records);
    const atomic = input.mode === "atomic";
    const { planned, outcomes } = await this.#pipeline.run(em, {
      domainId: input.id,
      caller,
      need: "write",
      kind: "bulk",
      atomic,
      plan: async (tx, zone) => {
        const plan = await planEdits(tx, zone, items.edits, atomic ? applyAtomic : applyEach);
        if (atomic) refuseAtomic(items.outcomes(plan), "records");
        return plan;
      },
    });
    if (atomic) refuseAll(items.outcomes(planned), planned.changes, outcomes, "records");
    const results = items.results(planned, providerRefusals(planned.changes, outcomes));
    return { results, total: results.length, succeeded: results.filter(({ success }) => success).length };
  }

  /** Returns what changes would do, judged as one set, without making them. @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND with `issues` */
  async plan(em: EntityManager, caller: Caller, input: { id: string; changes: ChangeInput[] }) {
    const edits = editsOf(input.changes);
    const planned = await this.#pipeline.dryRun(em, {
      domainId: input.id,
      caller,
      need: "write",
      plan: (reader, zone) => planAtomic(reader, zone, edits),
    });
    const { zone, changes } = planned;
    const warnings = [
      ...planned.warnings,
      ...privateAddressWarnings(zone, changes),
      ...(await signatureWarnings(em, zone, changes)),
    ];
    if (await changedElsewhere(em, zone, this.#comparison, this.#now())) warnings.push(editedElsewhere);
    const loss = edits.length > 1 ? lossWarning(changes, await countSeen(em, zone)) : null;
    if (loss !== null) warnings.push(loss);
    return {
      ...(await planView(changes)),
      warnings,
      planHash: await planHash(zone, changes),
      revision: zone.revision,
    };
  }

  /**
   * Applies a reviewed plan. A single change needs no `force`, just as changing or deleting one record does not.
   * @throws AppError CONFLICT when the plan is outdated, CONFIRMATION_REQUIRED above the safety threshold
   */
  async apply(
    em: EntityManager,
    caller: Caller,
    input: { id: string; changes: ChangeInput[]; planHash: string; force: boolean },
  ) {
    const edits = editsOf(input.changes);
    const { planned, outcomes, revision, at } = await this.#pipeline.run(em, {
      domainId: input.id,
      caller,
      need: "write",
      kind: edits.length === 1 ? "edit" : "bulk",
      atomic: true,
      plan: async (tx, zone) => {
        // Checked first: a record deleted since then makes the plan outdated, which is not a 404.
        refuseOtherRevision(input.planHash, zone);
        const plan = await planAtomic(tx, zone, edits);
        await refuseOtherPlan(input.planHash, zone, plan.changes);
        if (edits.length > 1) refuseLoss(plan.changes, await countSeen(tx, zone), input);
        return plan;
      },
    });
    refuseAll(planned.outcomes, planned.changes, outcomes, "changes");
    const byId = new Map(planned.changes.map((change) => [change.id, change]));
    const results = planned.outcomes.map((outcome, index) => {
      if (!outcome.ok) throw new Error("A plan with refusals is never applied.");
      const change = byId.get(outcome.id);
      const record = change
        ? afterChange(planned.zone.id, change, at)
        : outcome.before && recordView(planned.zone.id, outcome.before);
      return { success: true as const, action: edits[index]?.action ?? "update", recordId: outcome.id, record };
    });
    return { results, revision };
  }
}

/** Returns the change request for one edit. @param ifMatch the version that the record must have; null: any */
function singleEdit(
  caller: Caller,
  domainId: string,
  edit: Edit,
  ifMatch: number | null = null,
): ChangeRequest<EditPlan> {
  return {
    domainId,
    caller,
    need: "write",
    kind: "edit",
    plan: async (tx, zone) => {
      const plan = await planEdits(tx, zone, [edit], applyEach);
      if (ifMatch !== null) refuseOutdated(plan.before, ifMatch);
      const [outcome] = plan.outcomes;
      if (outcome && !outcome.ok) throw refusalError(outcome);
      return plan;
    },
  };
}

/** Returns the record that a single edit left; null if it deleted the record. @throws AppError PROVIDER_ERROR when the provider refused the edit */
function recordAfter({ planned, outcomes, at }: ChangeResult<EditPlan>) {
  const [edit] = planned.outcomes;
  if (!edit?.ok) return null;
  // Other changes align the TTL of the record's RRset; the history shows their outcomes.
  const index = planned.changes.findIndex(({ id }) => id === edit.id);
  const [change, outcome] = [planned.changes[index], outcomes[index]];
  if (!change) return edit.before && recordView(planned.zone.id, edit.before);
  if (!outcome?.ok) throw new AppError("PROVIDER_ERROR", outcome?.message ?? "refused");
  return afterChange(planned.zone.id, change, at);
}

function missing(): never {
  throw new Error("A created or updated record always exists.");
}

async function planAtomic(em: EntityManager, zone: ZoneContext, edits: readonly Edit[]): Promise<EditPlan> {
  const plan = await planEdits(em, zone, edits, applyAtomic);
  refuseAtomic(plan.outcomes, "changes");
  return plan;
}

const editedElsewhere = "The zone was changed at its provider outside Zonewright. Sync it to see those changes.";

/** Plans edits: checks each on its own, then judges the resulting zone. @throws AppError PROVIDER_ERROR */
async function planEdits(
  em: EntityManager,
  zone: ZoneContext,
  edits: readonly Edit[],
  judge: typeof applyEach,
): Promise<EditPlan> {
  const ids = edits.flatMap((edit) => (edit.action === "create" ? [] : [edit.recordId]));
  const { sees } = zone.rights;
  const named = await liveById(em, zone.id, ids);
  const before = new Map([...named].filter(([, { name }]) => sees.includes(name)));
  const kind = await kindOfZone(zone, edits.map(ttlOf));
  const managed = await managedAmong(em, zone, ids, before);
  const prepared = withinRights(
    await inSlices(prepareEdits(edits, { present: before, managed }, zone.name, kind)),
    zone.rights,
  );
  const present = await liveAtNames(em, zone.id, namesOf(prepared, zone.name));
  const rules = kind.serverRules ?? null;
  for (let candidates: readonly PreparedEdit[] = prepared; ;) {
    const view = new ZoneView(present, rules, kind.flattensApex);
    const judged = await inSlices(judge(view, candidates, zone.name, kind));
    const changes = view.changes();
    // Rules between names are checked after all edits: a name server may be created before its address.
    const found = rules ? await checkChanges(em, zone, changes) : new Map<string, Violation[]>();
    if (found.size === 0) return { ...judged, changes, zone, before };
    candidates = withRefused(judged.outcomes, found);
    if (judge === applyAtomic) return { outcomes: [...candidates], warnings: [], changes: [], zone, before };
  }
}

/** Returns the ids that belong to server-managed records visible to the caller. */
async function managedAmong(
  em: EntityManager,
  zone: ZoneContext,
  ids: readonly string[],
  present: ReadonlyMap<string, LiveRecord>,
): Promise<ReadonlyMap<string, RecordData>> {
  if (!zone.signed) return new Map();
  const stored = [...present].filter(([, record]) => isServerManaged(record));
  const others = await managedById(
    em,
    zone.id,
    ids.filter((id) => !present.has(id)),
  );
  return new Map([...stored, ...[...others].filter(([, { name }]) => zone.rights.sees.includes(name))]);
}

function ttlOf(edit: Edit): number | undefined {
  if (edit.action === "delete") return undefined;
  return edit.action === "create" ? edit.input.ttl : edit.patch.ttl;
}

/** Returns the record as a change leaves it. */
function afterChange(domainId: string, { id, before, after }: PlannedChange, now: Date) {
  if (!after) return null;
  const version = (before?.version ?? 0) + 1;
  return {
    ...after,
    id,
    domainId,
    version,
    serverManaged: false,
    status: "active" as const,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
}
