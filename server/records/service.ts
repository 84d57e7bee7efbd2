import { zoneFor } from "../access/zone-access.ts";
import type { Caller } from "../access/caller.ts";
import type { EntityManager } from "../database/database.ts";

import { AppError } from "../platform/errors.ts";
import { inputError } from "../api/input-error.ts";
import { withinRights } from "./editing/rights.ts";
import type { ChangeInput } from "./change-schemas.ts";
import { editsOf } from "./editing/change-input.ts";
import type { RecordInput } from "./editing/drafts.ts";
import {
  applyEach,
  applyTogether,
  namesOf,
  prepareEdits,
  withRefused,
  type Edit,
  type Judged,
  type PreparedEdit,
  type Refusal,
} from "./editing/edits.ts";
import { pageOfRecords, recordView, type RecordFilter } from "./list.ts";
import { countSeen, liveAtNames, liveById } from "../changes/state/live-queries.ts";
import type { LiveRecord, PlannedChange } from "../dns/live-record.ts";
import type { RecordData } from "../dns/record.ts";
import { changedElsewhere, type ChangePipeline, type ZoneContext, type Planned } from "../changes/pipeline.ts";
import { lossWarning, refuseLoss } from "./loss-guard.ts";
import { planHash, revisionPart } from "./editing/plan-hash.ts";
import type { ProviderComparison } from "../changes/state/compare-with-provider.ts";
import { managedById } from "../changes/state/managed-queries.ts";
import { planView } from "./plan-view.ts";
import { isServerManaged } from "../dns/server-managed.ts";
import { signatureWarnings } from "./signature-warnings.ts";
import {
  providerRefusals,
  refusalError,
  refuseAll,
  refuseOutdated,
  refuseTogether,
  sentence,
} from "./editing/refusals.ts";
import { recordInput } from "./schemas.ts";
import { inSlices } from "../platform/slices.ts";
import { checkChanges } from "./server-rules/check-changes.ts";
import { kindOfZone } from "./zone-limits.ts";
import type { Violation } from "../dns/server-rules/rules.ts";
import { ZoneView } from "./editing/zone-view.ts";

interface EditPlan extends Planned, Judged {
  zone: ZoneContext;
  before: ReadonlyMap<string, LiveRecord>;
}

/** Edits of single records and of sets of them. */
export class Records {
  readonly #pipeline: ChangePipeline;
  readonly #comparison: ProviderComparison;
  readonly #now: () => Date;

  constructor(pipeline: ChangePipeline, comparison: ProviderComparison, now: () => Date) {
    this.#pipeline = pipeline;
    this.#comparison = comparison;
    this.#now = now;
  }

  async list(em: EntityManager, caller: Caller, { id, ...filter }: RecordFilter & { id: string }) {
    return await pageOfRecords(em, await zoneFor(em, caller, id, "read"), filter);
  }

  /** @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND, PROVIDER_ERROR */
  async create(em: EntityManager, caller: Caller, { id, ...input }: RecordInput & { id: string }) {
    const record = await this.#single(em, caller, id, { action: "create", input });
    if (!record) throw new Error("A created record is always there.");
    return record;
  }

  /** @param ifMatch the version that the caller has seen; null: any. @throws AppError as `create`, and PRECONDITION_FAILED */
  async update(
    em: EntityManager,
    caller: Caller,
    input: Partial<RecordInput> & { id: string; recordId: string },
    ifMatch: number | null,
  ) {
    const { id, recordId, ...patch } = input;
    const record = await this.#single(em, caller, id, { action: "update", recordId, patch }, ifMatch);
    if (!record) throw new Error("An updated record is always there.");
    return record;
  }

  async delete(
    em: EntityManager,
    caller: Caller,
    input: { id: string; recordId: string },
    ifMatch: number | null,
  ): Promise<void> {
    await this.#single(em, caller, input.id, { action: "delete", recordId: input.recordId }, ifMatch);
  }

  /** Up to 100 records, each on its own or all or none. */
  async bulkCreate(
    em: EntityManager,
    caller: Caller,
    input: { id: string; records: unknown[]; mode: "each" | "atomic" },
  ) {
    const parsed = input.records.map((item) => recordInput.safeParse(item));
    const edits = parsed.flatMap((item): Edit[] => (item.success ? [{ action: "create", input: item.data }] : []));
    const judge = input.mode === "atomic" ? applyTogether : applyEach;
    const unreadable = parsed.map((item): Refusal | null =>
      item.success ? null : { ok: false, code: "BAD_REQUEST", issues: inputError(item.error).issues ?? [] },
    );
    const inOrder = (judged: Judged) => {
      const outcomes = [...judged.outcomes];
      return unreadable.map((refusal) => refusal ?? outcomes.shift());
    };
    const { planned, outcomes } = await this.#pipeline.run(em, {
      domainId: input.id,
      caller,
      need: "write",
      kind: "bulk",
      together: input.mode === "atomic",
      plan: async (tx, zone) => {
        const plan = await planEdits(tx, zone, edits, judge);
        if (input.mode === "atomic") refuseTogether(inOrder(plan), "records");
        return plan;
      },
    });
    const refusedByProvider = providerRefusals(planned.changes, outcomes);
    if (input.mode === "atomic") refuseAll(inOrder(planned), planned.changes, outcomes, "records");
    const results = inOrder(planned).map((outcome, index) => {
      const given = input.records[index];
      const error = !outcome?.ok ? sentence(outcome?.issues ?? []) : (refusedByProvider.get(outcome.id) ?? null);
      const id = error === null && outcome?.ok ? outcome.id : null;
      return {
        success: error === null,
        recordType: textField(given, "recordType"),
        name: textField(given, "name"),
        id,
        error,
      };
    });
    return { results, total: results.length, succeeded: results.filter(({ success }) => success).length };
  }

  /** What changes would do together, without doing them. @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, NOT_FOUND with `issues` */
  async plan(em: EntityManager, caller: Caller, input: { id: string; changes: ChangeInput[] }) {
    const edits = editsOf(input.changes);
    const planned = await this.#pipeline.preview(em, {
      domainId: input.id,
      caller,
      need: "write",
      plan: (reader, zone) => this.#planTogether(reader, zone, edits),
    });
    const { zone, changes } = planned;
    const warnings = [...planned.warnings, ...(await signatureWarnings(em, zone, changes))];
    if (await changedElsewhere(em, zone, this.#comparison, this.#now())) warnings.push(editedElsewhere);
    const loss = edits.length > 1 ? lossWarning(changes, await countSeen(em, zone)) : null;
    if (loss !== null) warnings.push(loss);
    const hash = await inSlices(planHash(zone, changes));
    return { ...(await planView(changes)), warnings, planHash: hash, revision: zone.revision };
  }

  /**
   * A single change is what deleting or updating one record would be, and needs no `force`.
   * @throws AppError CONFLICT when the zone or the changes are not those of the plan any more, CONFIRMATION_REQUIRED above the safety threshold
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
      together: true,
      plan: async (tx, zone) => {
        // Before the changes are judged: a record that went since is no 404 of this call, but a reason to plan again.
        if (!input.planHash.startsWith(revisionPart(zone))) throw outdatedPlan();
        const plan = await this.#planTogether(tx, zone, edits);
        if ((await inSlices(planHash(zone, plan.changes))) !== input.planHash) throw outdatedPlan();
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

  async #planTogether(em: EntityManager, zone: ZoneContext, edits: readonly Edit[]): Promise<EditPlan> {
    const plan = await planEdits(em, zone, edits, applyTogether);
    refuseTogether(plan.outcomes, "changes");
    return plan;
  }

  async #single(em: EntityManager, caller: Caller, domainId: string, edit: Edit, ifMatch: number | null = null) {
    const { planned, outcomes, at } = await this.#pipeline.run(em, {
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
    });
    const [outcome] = planned.outcomes;
    if (!outcome?.ok) return null;
    // Others of its RRset may have taken over its TTL; what became of them is in the history.
    const refused = providerRefusals(planned.changes, outcomes).get(outcome.id);
    if (refused !== undefined) throw new AppError("PROVIDER_ERROR", refused);
    const change = planned.changes.find(({ id }) => id === outcome.id);
    if (change) return afterChange(domainId, change, at);
    return outcome.before ? recordView(domainId, outcome.before) : null;
  }
}

const editedElsewhere = "The zone was changed at its provider outside Zonewright; sync it to see those changes.";

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
  for (let standing: readonly PreparedEdit[] = prepared; ;) {
    const view = new ZoneView(present, rules);
    const judged = await inSlices(judge(view, standing, zone.name, kind));
    const changes = view.changes();
    // What names are to each other is judged when all edits are in: a name server may come before its address.
    const found = rules ? await checkChanges(em, zone, changes) : new Map<string, Violation[]>();
    if (found.size === 0) return { ...judged, changes, zone, before };
    standing = withRefused(judged.outcomes, found);
    if (judge === applyTogether) return { outcomes: [...standing], warnings: [], changes: [], zone, before };
  }
}

/** Which of the ids are those of records that the server maintains, as far as the caller sees them. */
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

/** The record as a change leaves it. */
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

function outdatedPlan(): AppError {
  return new AppError(
    "CONFLICT",
    "The zone has changed since the plan was made, or these are other changes; plan again.",
  );
}

function textField(value: unknown, field: "recordType" | "name"): string | null {
  if (typeof value !== "object" || value === null || !(field in value)) return null;
  const found = (value as Record<string, unknown>)[field];
  return typeof found === "string" ? found : null;
}
