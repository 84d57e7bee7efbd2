import { usersWhoSee } from "../../../access/zone-access.ts";
import type { FollowPlan } from "../../changes/follows.ts";
import type { Planned } from "../../changes/pipeline.ts";
import type { ZoneContext } from "../../changes/zone-context.ts";
import { liveById, LiveNames, managedById } from "../../changes/state/live-queries.ts";
import type { EntityManager } from "../../../database/database.ts";
import type { LiveRecord, PlannedChange, RecordData } from "../../../dns/record.ts";
import { isServerManaged } from "../../../dns/zone-file/type-names.ts";
import type { Violation } from "../../../dns/zone-rules.ts";
import { inSlices, inTurns } from "../../../platform/slices.ts";
import { kindOfZone } from "../provider-limits.ts";
import { checkChanges } from "../server-rules/check-changes.ts";
import {
  applyAtomic,
  namesOf,
  prepareEdit,
  withinRights,
  withRefused,
  type applyEach,
  type Edit,
  type Judged,
  type PreparedEdit,
  type Refusal,
} from "./edits.ts";
import { ZoneView } from "./zone-view.ts";
import type { ChangeOutcome } from "../../../dns-providers/provider.ts";
import { AppError, type Issue } from "../../../platform/errors.ts";

/** A plan of edits. With `followed` if PTR records follow. */
export interface EditPlan extends Planned, Judged {
  followed?: FollowPlan;
  zone: ZoneContext;
  before: ReadonlyMap<string, LiveRecord>;
}

/** Plans edits: checks each on its own, then judges the resulting zone. @param live what was read of the zone before @throws AppError PROVIDER_ERROR */
export async function planEdits(
  em: EntityManager,
  zone: ZoneContext,
  edits: readonly Edit[],
  judge: typeof applyEach,
  live = new LiveNames(em, zone.id),
): Promise<EditPlan> {
  const ids = edits.flatMap((edit) => (edit.action === "create" ? [] : [edit.recordId]));
  const { sees } = zone.rights;
  const named = await liveById(em, zone.id, ids);
  const before = new Map([...named].filter(([, record]) => sees.includes(record)));
  const kind = await kindOfZone(zone, edits.map(ttlOf));
  const managed = await managedAmong(em, zone, ids, before);
  const each: PreparedEdit[] = [];
  for await (const edit of inTurns(edits))
    each.push(prepareEdit(edit, { signed: zone.signed, present: before, managed }, zone.name, kind));
  const prepared = await withKnownOwners(em, zone, withinRights(each, zone.rights));
  const present = await live.at(namesOf(prepared, zone.name));
  return { ...(await judgeEdits(em, { ...zone, kind }, { prepared, present }, judge)), zone, before };
}

/**
 * Judges prepared edits by the zone that results.
 * @param present all live records of the names that the edits touch, and of name servers in the zone that they name
 */
export async function judgeEdits(
  em: EntityManager,
  zone: Pick<ZoneContext, "id" | "name" | "kind" | "isUnserved">,
  { prepared, present }: { prepared: readonly PreparedEdit[]; present: readonly LiveRecord[] },
  judge: typeof applyEach,
): Promise<Judged & { changes: PlannedChange[] }> {
  const { kind } = zone;
  const rules = kind.serverRules ?? null;
  for (let candidates = prepared; ;) {
    const view = new ZoneView(present, rules, kind.apexCname);
    const judged = await inSlices(judge(view, candidates, zone.name, kind));
    const changes = view.changes();
    // Rules between names are checked after all edits: a name server may be created before its address.
    const found = rules ? await checkChanges(em, zone, changes) : new Map<string, Violation[]>();
    if (found.size === 0) return { ...judged, changes };
    candidates = withRefused(judged.outcomes, found);
    if (judge === applyAtomic) return { outcomes: [...candidates], warnings: [], changes: [] };
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
  return new Map([...stored, ...[...others].filter(([, record]) => zone.rights.sees.includes(record))]);
}

function ttlOf(edit: Edit): number | undefined {
  if (edit.action === "delete") return undefined;
  return edit.action === "create" ? edit.input.ttl : edit.patch.ttl;
}

/** Refuses edits that name an owner of a record who cannot see the domain. An owner who stays is not judged. */
async function withKnownOwners(
  em: EntityManager,
  { id, at }: Pick<ZoneContext, "id" | "at">,
  prepared: readonly PreparedEdit[],
): Promise<PreparedEdit[]> {
  const named = new Set(prepared.flatMap((edit) => newOwner(edit) ?? []));
  const known = await usersWhoSee(em, id, [...named], at);
  return prepared.map((edit) => {
    const owner = newOwner(edit);
    if (owner === null || known.has(owner)) return edit;
    const message = "No user with this id can see the domain. Name one who can, or null.";
    return { ok: false, code: "BAD_REQUEST", issues: [{ path: ["ownerId"], message }] };
  });
}

/** Returns the owner that an edit gives a record; null if it names none, or the one it has. */
function newOwner(edit: PreparedEdit): string | null {
  if (!edit.ok || !edit.draft) return null;
  const { ownerId } = edit.draft;
  return ownerId === edit.before?.ownerId ? null : ownerId;
}

/**
 * Refuses an atomic set if any edit was refused. @throws AppError with every issue, under the path of its input
 * @param given whether the caller sent the edits, and so knows them by their index
 */
export function refuseAtomic(
  outcomes: readonly (Judged["outcomes"][number] | undefined)[],
  field: "records" | "changes",
  given = true,
): void {
  const refusals = outcomes.flatMap((outcome, index) => (outcome && !outcome.ok ? [{ index, outcome }] : []));
  const [first] = refusals;
  if (!first) return;
  const issues = refusals.flatMap(({ index, outcome }) =>
    outcome.issues.map(({ path, message }) => ({
      path: [field, index, ...(field === "changes" && path[0] !== "recordId" ? ["record"] : []), ...path],
      message,
    })),
  );
  const code = field === "records" ? "CONFLICT" : first.outcome.code;
  throw new AppError(
    code,
    `Nothing was changed: ${given ? `${field}.${first.index}: ` : ""}${first.outcome.issues[0]?.message ?? "refused"}`,
    { issues },
  );
}

/** Refuses an edit if `If-Match` names another version. Runs before all other checks (RFC 9110 §13.2.1). @throws AppError PRECONDITION_FAILED */
export function refuseOutdated(present: ReadonlyMap<string, LiveRecord>, ifMatch: number): void {
  for (const { version } of present.values()) {
    if (version === ifMatch) continue;
    throw new AppError("PRECONDITION_FAILED", `The record is at version ${version}, not ${ifMatch}. Read it again.`);
  }
}

/**
 * Refuses an atomic set that its provider refused.
 * @throws AppError CONFLICT when the provider refused them, PROVIDER_ERROR when it carried out only some
 */
export function refuseAll(
  asked: readonly (Judged["outcomes"][number] | undefined)[],
  changes: readonly PlannedChange[],
  outcomes: readonly ChangeOutcome[],
  field: "records" | "changes",
): void {
  const refused = providerRefusals(changes, outcomes);
  const [first] = refused.values();
  if (first === undefined) return;
  refuseHalfDone(outcomes, first);
  const issues = asked.flatMap((outcome, index) => {
    const message = outcome?.ok ? refused.get(outcome.id) : undefined;
    return message === undefined ? [] : [{ path: [field, index], message }];
  });
  throw new AppError("CONFLICT", `Nothing was changed: ${first}`, { issues });
}

/** Refuses an atomic set that was made only in part because a connection broke. @throws AppError PROVIDER_ERROR */
export function refuseHalfDone(outcomes: readonly ChangeOutcome[], message: string): void {
  const done = outcomes.filter(({ ok }) => ok).length;
  if (done === 0) return;
  throw new AppError(
    "PROVIDER_ERROR",
    `Only ${done} of ${outcomes.length} changes were made; see the history. ${message}`,
  );
}

/** Returns the error for a refused zone file, with each reason as an issue. */
export function fileRefused(code: "CONFLICT" | "FORBIDDEN", messages: readonly string[]): AppError {
  return new AppError(code, `Nothing was changed: ${messages[0] ?? ""}`, {
    issues: messages.slice(0, 100).map((message) => ({ path: ["zonefile"], message })),
  });
}

/** Returns the error for one refused edit. */
export function refusalError(refusal: Refusal): AppError {
  if (refusal.code === "NOT_FOUND") return new AppError("NOT_FOUND", sentence(refusal.issues));
  return new AppError(refusal.code, sentence(refusal.issues), { issues: refusal.issues });
}

/** Returns issues as one text. */
export function sentence(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join(" ");
}

/** Returns the provider's reasons, by the id of the change that it refused. */
export function providerRefusals(
  changes: readonly PlannedChange[],
  outcomes: readonly { ok: boolean; message?: string }[],
): Map<string, string> {
  return new Map(
    changes.flatMap(({ id }, index) => (outcomes[index]?.ok ? [] : [[id, outcomes[index]?.message ?? "refused"]])),
  );
}
