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
} from "./edits.ts";
import { ZoneView } from "./zone-view.ts";

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
