import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import type { FollowItem } from "../changes/follows.ts";
import { touchesLocked, type ReviewPolicy } from "../changes/locks-and-reviews.ts";
import { liveAtNames, pageRows } from "../changes/state/live-queries.ts";
import { followAddress, type PointerChanges, type PointerState } from "../../dns/reverse/pointers.ts";
import {
  isActive,
  noNotes,
  notesOf,
  spellingOf,
  type LiveRecord,
  type PlannedChange,
  type RecordDraft,
  type RecordNotes,
} from "../../dns/record.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { newId } from "../../platform/ids.ts";
import { inChunks } from "../../platform/slices.ts";
import { judgeChanges } from "../records/judge-changes.ts";
import { defaultTtlAt } from "../records/editing/drafts.ts";
import { claimKey, type Claim, type Resolution } from "./places.ts";
import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { accessColumns, outsideRights, rightsFrom, type Rights } from "../../access/zone-access.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { AppError } from "../../platform/errors.ts";

/** A PTR change, and the address that asks for it. */
export interface PointerChange {
  item: FollowItem;
  change: PlannedChange;
  /** Why it cannot be made; null if it can. */
  refusal: string | null;
}

interface PointerPlan {
  changes: PointerChange[];
  /** Addresses whose PTR record stays although a name received the address, with what it points to. */
  foreign: { item: FollowItem; target: string }[];
}

/** Plans the PTR changes of one reverse zone: reads its PTR records and what they point to, decides, and judges the result. */
export async function pointerChanges(
  em: EntityManager,
  zone: { id: string; name: string; kind: ProviderKind },
  items: readonly FollowItem[],
  resolution: Resolution,
): Promise<PointerPlan> {
  const owners = [...new Set(items.map(({ owner }) => owner))];
  const live = await inChunks(owners, pageRows, (some) => liveAtNames(em, zone.id, some));
  const byOwner = Map.groupBy(live.filter(isPointer), ({ name }) => name);
  const pointersOf = ({ owner }: FollowItem) => byOwner.get(owner) ?? [];
  const claims = items.flatMap((item): Claim[] =>
    [...item.gained, ...pointersOf(item).map(({ value }) => value)].map((name) => ({ name, address: item.address })),
  );
  const holding = await resolution.trueOf(em, claims);
  const plan: PointerPlan = { changes: [], foreign: [] };
  const pointedTo = new Set(items.flatMap((item) => pointersOf(item).map(({ value }) => value)));
  for (const item of items) {
    const { address } = item;
    const holds = (name: string) => holding.has(claimKey({ name, address }));
    const stateOf = (name: string): PointerState =>
      holds(name) ? "holds" : resolution.isManaged(name) ? "stale" : "foreign";
    const gained = inOrder(item, item.gained.filter(holds), pointedTo);
    const decided = followAddress({ pointers: pointersOf(item), stateOf, gained, lost: item.lost });
    const respelled = pointersOf(item).flatMap((pointer) => (holds(pointer.value) ? respelling(item, pointer) : []));
    for (const change of [...changesFor(item, decided, zone.kind), ...respelled])
      plan.changes.push({ item, change, refusal: faultOf(change) });
    if (decided.foreign) plan.foreign.push({ item, target: decided.foreign.value });
  }
  await judge(em, zone, live, plan.changes);
  return plan;
}

/**
 * Returns the names that received an address, that for a new PTR record first: the one that had it before the change that is reverted, or one
 * that has the PTR record of another of the addresses now.
 */
function inOrder(
  { former = [], onlyFormer = false }: FollowItem,
  gained: readonly string[],
  pointedTo: ReadonlySet<string>,
): string[] {
  const had = former.map(({ value }) => value).find((value) => gained.includes(value));
  if (had === undefined && onlyFormer) return [];
  const first = had ?? gained.find((name) => pointedTo.has(name));
  return first === undefined ? [...gained] : [first, ...gained.filter((name) => name !== first)];
}

function isPointer(record: LiveRecord): boolean {
  return record.recordType === "PTR" && isActive(record);
}

/** Returns a decision as changes: deletes, then updates, then creates. */
function changesFor(
  { owner, written = {}, former = [] }: FollowItem,
  { create, update, deletes }: PointerChanges<LiveRecord>,
  kind: ProviderKind,
): PlannedChange[] {
  const changes: PlannedChange[] = deletes.map((before) => ({ action: "delete", id: before.id, before, after: null }));
  if (update) {
    const { pointer: before, target } = update;
    changes.push({
      action: "update",
      id: before.id,
      before,
      after: { ...pointer(owner, target, before.ttl, before), ...spellingOf(before), writtenValue: written[target] },
    });
  }
  if (create !== null) {
    const had = former.find(({ value }) => value === create);
    const { ttl = defaultTtlAt(kind), comment = null } = had ?? {};
    const writtenValue = written[create] ?? had?.writtenValue;
    const after = { ...pointer(owner, create, ttl, { ...noNotes, comment }), writtenValue };
    changes.push({ action: "create", id: newId(), before: null, after });
  }
  return changes;
}

/** Returns the change that gives a PTR record the capitals of a name that is written in another case now. */
function respelling({ respelled = [], written = {} }: FollowItem, before: LiveRecord): PlannedChange[] {
  const { id, value } = before;
  const writtenValue = written[value];
  if (!respelled.includes(value) || before.writtenValue === writtenValue) return [];
  return [{ action: "update", id, before, after: { ...before, writtenValue } }];
}

function pointer(name: string, value: string, ttl: number, notes: RecordNotes): RecordDraft {
  return {
    recordType: "PTR",
    name,
    value,
    strings: null,
    ttl,
    priority: null,
    proxied: false,
    status: "active",
    ...notesOf(notes),
  };
}

/** Returns why a PTR record cannot be changed: it is locked, or the name cannot be its target; null if it can. */
function faultOf(change: PlannedChange): string | null {
  const { before, after } = change;
  if (before && touchesLocked(change)) return `The PTR record of ${before.name} is locked.`;
  if (!after) return null;
  const written = ruleFor("PTR").write(after.value, null);
  return written.ok ? null : written.message;
}

/** Notes the reasons against changes: the limits of the reverse zone's provider, and the rules of zones. */
async function judge(
  em: EntityManager,
  zone: { id: string; name: string; kind: ProviderKind },
  live: readonly LiveRecord[],
  changes: PointerChange[],
): Promise<void> {
  const possible = changes.filter(({ refusal }) => refusal === null);
  const refused = await judgeChanges(
    em,
    zone,
    live,
    possible.map(({ change }) => change),
  );
  for (const each of possible) each.refusal = refused.get(each.change.id)?.[0] ?? null;
}

/** A reverse zone as a plan of another zone sees it. */
export interface ReverseZone {
  id: string;
  name: string;
  /** Its name and view. */
  shownName: string;
  kind: ProviderKind;
  /** Null if the caller may not see the zone. */
  rights: Rights | null;
  /** Whether PTR records here may follow changes of people without rights here. */
  grants: boolean;
  /** Whether the caller's changes here need a review, so that PTR records cannot follow. */
  needsReview: boolean;
}

/** Reads reverse zones with the caller's rights in them, by id. */
export async function reverseZones(
  em: EntityManager,
  caller: Caller,
  connections: ProviderConnections,
  review: ReviewPolicy,
  ids: readonly string[],
): Promise<Map<string, ReverseZone>> {
  const rows = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "domains.id",
      "domains.name",
      "domains.view",
      "domains.reverse_follow_grant",
      "domains.review_required",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .select(accessColumns(caller))
    .where("domains.id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  // Opening a configuration decrypts its secrets, and one may have hundreds of reverse zones.
  const kinds = new Map<string, ProviderKind>();
  for (const { config_id: id, kind, config } of rows) {
    if (!kinds.has(id)) kinds.set(id, kindOf(connections, { id, kind, config }));
  }
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        name: row.name,
        shownName: qualifiedName(row),
        kind: kinds.get(row.config_id) ?? knownKind(row.kind),
        rights: rightsFrom(caller, row),
        // A grant is for people and their own tokens. A narrowed one stays within what it names.
        grants: row.reverse_follow_grant && caller.narrowing === null,
        needsReview: review.binds({ reviewRequired: row.review_required }, caller.role),
      },
    ]),
  );
}

/** A configuration that cannot be used says so when the zone is changed. */
function kindOf(connections: ProviderConnections, stored: Parameters<ProviderConnections["connect"]>[0]): ProviderKind {
  const connection = connections.tryConnect(stored);
  return connection instanceof AppError ? knownKind(stored.kind) : connection.kind;
}

/** Returns whether the caller may see the PTR records of an owner. */
export function seesOwner({ rights }: ReverseZone, owner: string): boolean {
  return rights?.sees.includes({ recordType: "PTR", name: owner }) ?? false;
}

/** Returns why the caller may not change the PTR records of an owner; null if they may. */
export function beyondRights({ rights, grants, needsReview }: ReverseZone, owner: string): string | null {
  if (needsReview) return "The reverse zone requires a review of each change. Request this one there.";
  if (grants) return null;
  return rights ? outsideRights({ recordType: "PTR", name: owner }, rights) : "Others manage this reverse zone.";
}
