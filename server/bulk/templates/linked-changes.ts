import { ownersRights, outsideRights, type Rights } from "../../access/zone-access.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import {
  isUnchanged,
  noNotes,
  textKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { inSlices, inTurns } from "../../platform/slices.ts";
import type { ChangeInput } from "../../zones/records/change-schemas.ts";
import { applyAtomic, prepareEdit, type PreparedEdit } from "../../zones/records/editing/edits.ts";
import { editsOf } from "../../zones/records/editing/reviewed-plan.ts";
import { ZoneView } from "../../zones/records/editing/zone-view.ts";
import type { AppliedTemplate, NextState } from "./applied.ts";
import { expandTemplate, type Expanded, type Application, type WantedRecord } from "./applying/expand.ts";
import {
  expectedOf,
  resolve,
  type Resolution,
  type Situation,
  touchedNames,
  type Touched,
} from "./applying/resolve.ts";
import { groupsOf, variablesOf, type StoredTemplate } from "./form/template.ts";
import { readOnlyReason, storedTtl } from "../../zones/records/provider-limits.ts";
import { sql } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { liveColumns, liveRecord } from "../../zones/changes/state/live-queries.ts";
import { AppError } from "../../platform/errors.ts";

/** A linked domain, without its records. */
export interface LinkedZone {
  id: string;
  name: string;
  kind: ProviderKind;
  /** Everything that was applied to it. */
  applied: readonly AppliedTemplate[];
}

interface Expansion {
  one: AppliedTemplate;
  expanded: Expanded;
  variables: Record<string, string>;
  groups: string[] | null;
}

/** Returns what a template now asks for at each place where it is linked. @throws AppError BAD_REQUEST if it needs more than was given */
export function expandLinked(zone: LinkedZone, stored: StoredTemplate): Expansion[] {
  const { template } = stored;
  const [names, groupNames] = [variablesOf(template), groupsOf(template)];
  return zone.applied
    .filter((one) => one.templateId === stored.id && one.linked)
    .map((one) => {
      // A changed template may have dropped variables and groups.
      const variables = Object.fromEntries(Object.entries(one.variables).filter(([name]) => names.includes(name)));
      const groups = one.groups?.filter((group) => groupNames.includes(group)) ?? null;
      const place = { zone: zone.name, host: one.host, variables, groups };
      return {
        one,
        expanded: expandTemplate(template, { ...place, apexAlias: apexAliasAt(zone.kind) }),
        variables,
        groups,
      };
    });
}

/** Returns the names to load for `linkedChanges`. */
export function namesOf(expansions: readonly Expansion[]): Touched {
  const touched = expansions.map(({ expanded }) => touchedNames([...expanded.records, ...expanded.spf]));
  const before = expansions.flatMap(({ one }) => one.written.map(({ name }) => name));
  return {
    names: [...new Set([...touched.flatMap(({ names }) => names), ...before])],
    trees: [...new Set(touched.flatMap(({ trees }) => trees))],
  };
}

/** Returns the changes that bring a domain up to date, with warnings. What may go and has gone stays away. */
export function linkedChanges(
  zone: LinkedZone,
  { revision }: StoredTemplate,
  expansions: readonly Expansion[],
  live: readonly LiveRecord[],
): { changes: ChangeInput[]; warnings: string[]; following: NextState[] } {
  const zoneSoFar = new WorkingZone(live);
  const warnings = new Set<string>();
  const following: NextState[] = [];
  // What each application is to have counts, not what it had: a record that all of them give up goes.
  const written = new Map(expansions.map(({ one, expanded }) => [one.id, expectedOf(expanded, one.written)]));
  for (const { one, expanded, variables, groups } of withSharedTtls(expansions)) {
    const applied = zone.applied.map((each) => ({ ...each, written: written.get(each.id) ?? each.written }));
    const { others } = earlierAt(applied, one);
    const wrote = zone.applied.flatMap((each) => (each.id === one.id ? [] : each.written));
    const given = { kind: zone.kind, rights: ownersRights };
    const situation = situationAt(given, zoneSoFar.records(), { earlier: one, others }, null);
    const mayBeRaised = (there: number, asked: number) => there > asked && [there, asked].every(isOpen(zone.kind));
    const resolution = resolve(expanded, { ...situation, wrote, leavesGone: true, mayBeRaised });
    zoneSoFar.apply(resolution, expanded);
    for (const warning of resolution.warnings) warnings.add(warning);
    written.set(one.id, resolution.written);
    following.push({
      appliedId: one.id,
      templateRevision: revision,
      variables,
      groups,
      written: resolution.written,
      since: one.revision,
    });
  }
  return { changes: zoneSoFar.changes(), warnings: [...warnings], following };
}

function rrsetKey({ recordType, name }: Pick<RecordData, "recordType" | "name">): string {
  return `${recordType}\u0000${name}`;
}

/** Gives the applications of a template one TTL for each RRset that they share (RFC 2181 §5.2): the shortest that one of them states. */
function withSharedTtls(expansions: readonly Expansion[]): Expansion[] {
  const shortest = new Map<string, number>();
  for (const { expanded } of expansions)
    for (const { ttl, ...record } of expanded.records)
      if (ttl !== undefined) shortest.set(rrsetKey(record), Math.min(ttl, shortest.get(rrsetKey(record)) ?? ttl));
  return expansions.map((one) => {
    const records = one.expanded.records.map((record) => ({ ...record, ttl: shortest.get(rrsetKey(record)) }));
    return { ...one, expanded: { ...one.expanded, records } };
  });
}

interface Working {
  record: LiveRecord;
  /** A new record as its change spells it. */
  created?: CreatedRecord | undefined;
}

/** The TTL of a new record that takes that of its RRset. */
const ttlOfRrset = -1;

type CreatedRecord = Extract<ChangeInput, { action: "create" }>["record"];

function withValue({ record, created }: Working, value: string): Working {
  return { record: { ...record, value }, created: created && { ...created, value } };
}

/** The records of a zone while the applications of a template change it one after another. */
class WorkingZone {
  readonly #before: ReadonlyMap<string, LiveRecord>;
  readonly #now: Map<string, Working>;

  constructor(live: readonly LiveRecord[]) {
    this.#before = new Map(live.map((record) => [record.id, record]));
    this.#now = new Map(live.map((record) => [record.id, { record }]));
  }

  records(): LiveRecord[] {
    return [...this.#now.values()].map(({ record }) => record);
  }

  apply({ changes, origins }: Resolution, { records }: Expanded): void {
    const byIndex = new Map(records.map((record) => [record.index, record]));
    for (const [at, change] of changes.entries()) {
      if (change.action === "delete") this.#now.delete(change.recordId);
      else if (change.action === "create") this.#create(change.record, byIndex.get(origins[at] ?? -1));
      else {
        const present = this.#now.get(change.recordId);
        if (!present) continue;
        const { value, ttl = present.record.ttl } = change.record;
        const { record, created } = value === undefined ? present : withValue(present, value);
        this.#now.set(change.recordId, { record: { ...record, ttl }, created });
      }
    }
  }

  /** @param canonical the record without its spelling; left out for SPF records, which have none */
  #create(created: CreatedRecord, canonical: WantedRecord | undefined): void {
    const { recordType, name, value = "" } = canonical ?? created;
    const id = `new ${textKey({ recordType, name, value })}`;
    const data = { recordType, name, value, strings: null, priority: null, proxied: false };
    const at = new Date(0);
    const state = { status: "active" as const, version: 0, createdAt: at, updatedAt: at, ...noNotes };
    this.#now.set(id, { record: { id, ttl: created.ttl ?? ttlOfRrset, ...data, ...state }, created });
  }

  /** Returns the changes from the zone before: what one application deletes and another one creates stays. */
  changes(): ChangeInput[] {
    const deleted = [...this.#before.values()].filter(({ id }) => !this.#now.has(id));
    const gone = new Map(deleted.map((record) => [textKey(record), record]));
    const changes: ChangeInput[] = [];
    for (const [id, { record, created }] of this.#now) {
      const ttl = record.ttl === ttlOfRrset ? undefined : record.ttl;
      const before = this.#before.get(id) ?? gone.get(textKey(record));
      if (!before) {
        if (created) changes.push({ action: "create", record: { ...created, ...(ttl === undefined ? {} : { ttl }) } });
        continue;
      }
      gone.delete(textKey(before));
      const patch = {
        ...(record.value === before.value ? {} : { value: record.value }),
        ...(ttl === undefined || ttl === before.ttl || before.proxied ? {} : { ttl }),
      };
      if (Object.keys(patch).length > 0) changes.push({ action: "update", recordId: before.id, record: patch });
    }
    const deletes = [...gone.values()].map(({ id }) => ({ action: "delete" as const, recordId: id }));
    return [...deletes, ...changes];
  }
}

/** Returns a test for TTLs that only some of a kind's zones accept, or the smallest that all of them do. */
function isOpen({ minTtl, anyZoneMinTtl = minTtl, automaticTtl }: ProviderKind): (ttl: number) => boolean {
  return (ttl) => anyZoneMinTtl > minTtl && ttl >= minTtl && ttl <= anyZoneMinTtl && ttl !== automaticTtl;
}

/** Returns changes as the hash of a plan covers them: without the TTLs that the provider may raise, which a plan does not ask it about. */
export function withoutOpenTtls(kind: ProviderKind, changes: readonly PlannedChange[]): PlannedChange[] {
  const open = isOpen(kind);
  const ttl = kind.anyZoneMinTtl ?? kind.minTtl;
  return changes.flatMap((change): PlannedChange[] => {
    if (change.action === "delete" || !open(change.after.ttl)) return [change];
    if (change.action === "create") return [{ ...change, after: { ...change.after, ttl } }];
    const { before, after } = change;
    if (open(before.ttl) && isUnchanged(before, { ...after, ttl: before.ttl })) return [];
    return [{ ...change, after: { ...after, ttl } }];
  });
}

/** Warns of TTLs that the provider may raise. */
export function openTtlWarnings(kind: ProviderKind, changes: readonly PlannedChange[]): string[] {
  const { minTtl, anyZoneMinTtl = minTtl } = kind;
  const isLow = (ttl: number) => ttl < anyZoneMinTtl && isOpen(kind)(ttl);
  return changes.some(({ before, after }) => after && after.ttl !== before?.ttl && isLow(after.ttl))
    ? [
        `A TTL below ${anyZoneMinTtl} becomes the smallest that ${kind.name} accepts for this domain, which is known once it is changed.`,
      ]
    : [];
}

/** Judges changes of a zone by the rules that need nothing but the names they touch. @returns the planned changes, or why they are refused */
export async function judged(
  zone: LinkedZone,
  changes: readonly ChangeInput[],
  live: readonly LiveRecord[],
): Promise<{ planned: PlannedChange[]; warnings: string[]; error: string | null }> {
  const named = { present: new Map(live.map((record) => [record.id, record])), managed: new Map<string, RecordData>() };
  const prepared: PreparedEdit[] = [];
  for await (const edit of inTurns(editsOf(changes))) prepared.push(prepareEdit(edit, named, zone.name, zone.kind));
  const view = new ZoneView(live, zone.kind.serverRules ?? null, zone.kind.apexCname);
  const { outcomes, warnings } = await inSlices(applyAtomic(view, prepared, zone.name, zone.kind));
  const refusal = outcomes.find((outcome) => !outcome.ok);
  if (refusal) return { planned: [], warnings: [], error: refusal.issues[0]?.message ?? "refused" };
  return { planned: inFixedOrder(view.changes()), warnings, error: null };
}

/** Orders changes so that two plans of one state are equal, whatever the order of the records. */
export function inFixedOrder(changes: readonly PlannedChange[]): PlannedChange[] {
  const ranks = { delete: 0, update: 1, create: 2 };
  return changes.toSorted((one, other) => {
    const rank = ranks[one.action] - ranks[other.action];
    if (rank !== 0 || one.action === "create") return rank;
    return one.id < other.id ? -1 : 1;
  });
}

/** Where a template is to be applied. */
export interface Place {
  domainId: string;
  host: string;
  variables: Record<string, string>;
  groups: string[] | null;
}

/** Returns the type that stands for a CNAME at the apex of a provider's zones. */
export function apexAliasAt({ apexCname, recordTypes, vendorTypes = false }: ProviderKind): Application["apexAlias"] {
  if (apexCname?.isFlattened) return "CNAME";
  const storesAlias = recordTypes === "any" ? vendorTypes : recordTypes.includes("ALIAS");
  return storesAlias ? "ALIAS" : null;
}

/** Identifies an application of a template. */
type Identity = Pick<AppliedTemplate, "domainId" | "templateId" | "host" | "instance">;

/** Splits what was applied to a domain into the earlier application of a template at a place, and the others. */
export function earlierAt(
  applied: readonly AppliedTemplate[],
  place: Identity,
): { earlier: AppliedTemplate | null; others: AppliedTemplate[] } {
  const isEarlier = (one: AppliedTemplate) =>
    (["domainId", "templateId", "host", "instance"] as const).every((field) => one[field] === place[field]);
  return {
    earlier: applied.find(isEarlier) ?? null,
    others: applied.filter((one) => one.domainId === place.domainId && !isEarlier(one)),
  };
}

/** Returns whether an application of some groups replaces what an earlier one wrote. */
export function replaces(groups: readonly string[] | null, { group }: { group: string | null }): boolean {
  return groups === null || group === null || groups.includes(group);
}

/** Returns what a template's changes depend on. */
export function situationAt(
  { kind, rights }: { kind: ProviderKind; rights: Rights },
  live: readonly LiveRecord[],
  { earlier, others }: ReturnType<typeof earlierAt>,
  groups: readonly string[] | null,
): Situation {
  return {
    live,
    mayDelete: (record) => outsideRights(record, rights) === null && readOnlyReason(record, kind) === null,
    previous: earlier?.written.filter((record) => replaces(groups, record)) ?? [],
    previousAt: earlier?.appliedAt,
    otherGroups: earlier?.written.filter((record) => !replaces(groups, record)) ?? [],
    others: others.flatMap(({ written }) => written),
    ttlAt: (ttl) => Math.min(storedTtl(kind, ttl), kind.maxTtl),
  };
}

/** A zone and the names whose records decide about a template's conflicts. */
interface ZoneNames extends Touched {
  domainId: string;
}

/** Records that may be read below one delegation: more than a plan can change is refused. */
const mostBelow = 1_000;

/**
 * Returns the live records of some names in some zones, in one query, and those below delegations, in one query each.
 * @throws AppError CONFLICT if there are too many below a delegation
 */
export async function liveRecordsOf(
  em: EntityManager,
  zones: readonly ZoneNames[],
): Promise<Map<string, LiveRecord[]>> {
  const wanted = zones.flatMap(({ domainId, names }) => names.map((name) => ({ domain: domainId, name })));
  const rows = await queries(em)
    .selectFrom(
      sql<{ domain: string; name: string }>`${jsonRows(wanted)}`.as<"wanted">(sql`wanted (domain uuid, name text)`),
    )
    .innerJoin("records", (join) =>
      join
        .on(sql<boolean>`records.domain_id = wanted.domain`)
        .on(sql<boolean>`records.name = wanted.name collate "C"`)
        .on("records.until", "is", null)
        // A template conflicts with what DNS has.
        .on("records.status", "=", "active"),
    )
    .select(liveColumns.map((column) => `records.${column}` as const))
    .select("records.domain_id")
    .execute();
  const found = new Map<string, Map<string, LiveRecord>>(zones.map(({ domainId }) => [domainId, new Map()]));
  for (const row of rows) found.get(row.domain_id)?.set(row.record_id, liveRecord(row));
  for (const { domainId, trees } of zones) {
    for (const tree of trees) {
      for (const record of await below(em, domainId, tree)) found.get(domainId)?.set(record.id, record);
    }
  }
  return new Map([...found].map(([domainId, records]) => [domainId, [...records.values()]]));
}

async function below(em: EntityManager, domainId: string, tree: string): Promise<LiveRecord[]> {
  const rows = await queries(em)
    .selectFrom("records")
    .select(liveColumns)
    .where("domain_id", "=", domainId)
    .where("until", "is", null)
    .where("status", "=", "active")
    // Not `like`: a name may contain its wildcards.
    .where(sql<boolean>`right(name, ${tree.length + 1}) = ${`.${tree}`}`)
    .limit(mostBelow + 1)
    .execute();
  if (rows.length > mostBelow)
    throw new AppError(
      "CONFLICT",
      `More than ${mostBelow} records are below ${tree}, which the template delegates. Delete them first, or delegate another host.`,
    );
  return rows.map(liveRecord);
}
