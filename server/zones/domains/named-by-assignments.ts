import { sql, type SqlBool } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
import { hasTag } from "../../database/query-helpers.ts";
import { AppError } from "../../platform/errors.ts";

/** The group and tags of a domain. */
export interface Grouping {
  groupName: string | null;
  tags: readonly string[];
}

/** An assignment that covers a domain, or no longer does, because of its group or a tag. */
interface MovedRight {
  assignmentId: string;
  userId: string;
}

/** Assignments that the audit trail lists by id. */
const mostListed = 100;

const nowhere: Grouping = { groupName: null, tags: [] };

/** A domain's group and tags before and after a change. */
interface Regrouped {
  /** Null for a new domain. */
  before: Grouping | null;
  after: Grouping;
}

/** What the audit trail says of rights that move. */
export type Moved = Readonly<Record<string, unknown>>;

/** What groups and tags that changes add or remove mean for rights. */
interface NamedRights {
  /** Whether the caller may move rights. */
  mayMove: boolean;
  groups: ReadonlyMap<string, readonly MovedRight[]>;
  tags: ReadonlyMap<string, readonly MovedRight[]>;
  /** Those that rules for groups of a sign-in provider name. */
  inRules: { groups: ReadonlySet<string>; tags: ReadonlySet<string> };
}

/**
 * Refuses to move rights: a group or tag that an assignment or a rule for groups names is changed by administrators only.
 * @returns what the audit trail says about rights that move; null if none do
 * @throws AppError FORBIDDEN
 */
export async function movedRights(
  tx: EntityManager,
  caller: Caller,
  { now, ...change }: Regrouped & { now: Date },
): Promise<Moved | null> {
  const moved = judgeMoved(await rightsNamed(tx, caller, [change], now), change);
  if (moved.ok) return moved.value;
  throw new AppError("FORBIDDEN", moved.message, { issues: [{ path: [moved.field], message: moved.message }] });
}

/** Finds the rights that groups and tags give which changes add or remove, however many changes there are. */
export async function rightsNamed(
  tx: EntityManager,
  caller: Caller,
  changes: readonly Regrouped[],
  now: Date,
): Promise<NamedRights> {
  const moved = changes.flatMap(({ before, after }) => differences(before ?? nowhere, after));
  const groups = [...new Set(moved.flatMap(({ groupName }) => groupName ?? []))];
  const tags = [...new Set(moved.flatMap((one) => one.tags))];
  const mayMove = caller.role === "admin";
  const none = { groups: new Set<string>(), tags: new Set<string>() };
  if (groups.length + tags.length === 0) return { mayMove, groups: new Map(), tags: new Map(), inRules: none };
  const assigned = await queries(tx)
    .selectFrom("assignments")
    .select(["id as assignmentId", "user_id as userId", "group_name", "tag"])
    .where((eb) => eb.or([eb("group_name", "in", texts(groups)), eb("tag", "in", texts(tags))]))
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .orderBy("id")
    .execute();
  return {
    mayMove,
    groups: byName(assigned, "group_name"),
    tags: byName(assigned, "tag"),
    inRules: mayMove ? none : await namedInRules(tx, groups, tags),
  };
}

function byName<Column extends "group_name" | "tag">(
  assigned: readonly (MovedRight & Record<Column, string | null>)[],
  column: Column,
): Map<string, MovedRight[]> {
  const found = new Map<string, MovedRight[]>();
  for (const { assignmentId, userId, [column]: name } of assigned) {
    if (name === null) continue;
    const others = found.get(name);
    if (others) others.push({ assignmentId, userId });
    else found.set(name, [{ assignmentId, userId }]);
  }
  return found;
}

/** Returns what the audit trail says about rights that one of the changes moves, or why it is refused. */
export function judgeMoved(
  rights: NamedRights,
  { before, after }: Regrouped,
): { ok: true; value: Moved | null } | { ok: false; message: string; field: "groupName" | "tags" } {
  const [gained, lost] = differences(before ?? nowhere, after);
  for (const { groupName, tags } of rights.mayMove ? [] : [gained, lost]) {
    const tag = tags.find((name) => rights.tags.has(name) || rights.inRules.tags.has(name));
    if (tag !== undefined) return { ok: false, field: "tags", message: refusal("tag", tag) };
    if (groupName !== null && (rights.groups.has(groupName) || rights.inRules.groups.has(groupName)))
      return { ok: false, field: "groupName", message: refusal("group", groupName) };
  }
  const [gains, losses] = [assignedBy(rights, gained), assignedBy(rights, lost)];
  if (gains.length + losses.length === 0) return { ok: true, value: null };
  return { ok: true, value: { ...listed("assignmentsGained", gains), ...listed("assignmentsLost", losses) } };
}

function refusal(what: string, name: string): string {
  return `The ${what} ${name} gives people rights, so only administrators can add or remove it. Ask one of them.`;
}

function differences(before: Grouping, after: Grouping): [gained: Grouping, lost: Grouping] {
  return [difference(after, before), difference(before, after)];
}

/** Returns a domain's group and tags. */
export function groupingOf({ groupName, tags }: { groupName?: string | null | undefined; tags: readonly string[] }) {
  return { groupName: groupName ?? null, tags };
}

/**
 * Gives tags that a domain does not have yet, in whatever case, the spelling that other domains have. Rights are given by exact tags only, so a
 * tag that an assignment or a rule for groups names is never put in place of another spelling.
 * @param present the domain's tags
 */
export async function spelledAsElsewhere(
  em: EntityManager,
  caller: Caller,
  tags: readonly string[],
  { id, present }: { id: string | null; present: readonly string[] },
): Promise<string[]> {
  const own = new Set(present.map((tag) => tag.toLowerCase()));
  const added = tags.filter((tag) => !own.has(tag.toLowerCase()));
  if (added.length === 0) return [...tags];
  const visible = await visibleDomains(em, caller);
  const others = queries(em)
    .selectFrom("domains")
    .where((eb) => visible.condition(eb))
    .$if(id !== null, (query) => query.where("domains.id", "!=", id ?? ""));
  const given = sql<{ value: string }>`(select value from ${jsonTexts(added)})`;
  const tag = sql.ref("given.value");
  const rows = await queries(em)
    .selectFrom(given.as("given"))
    .select([
      "given.value as tag",
      others
        .where(hasTag("domains", tag))
        .select((one) => one.ref("domains.tags").as("tags"))
        .orderBy("domains.created_at")
        .orderBy("domains.id")
        .limit(1)
        .as("tags"),
    ])
    .where((eb) =>
      eb.not(eb.exists(others.where(sql<SqlBool>`domains.tags @> array[${tag}]`).select(sql`1`.as("one")))),
    )
    .execute();
  const known = new Map<string, string>();
  for (const { tag: written, tags: carried } of rows) {
    const spelling = carried?.find((one) => one.toLowerCase() === written.toLowerCase());
    if (spelling !== undefined) known.set(written, spelling);
  }
  if (known.size === 0) return [...tags];
  const giving = await tagsThatGiveRights(em, [...known.values()]);
  return tags.map((tag) => {
    const spelling = known.get(tag) ?? tag;
    return giving.has(spelling) ? tag : spelling;
  });
}

/** Returns which tags assignments, also those that have ended, or rules for groups name. */
async function tagsThatGiveRights(em: EntityManager, tags: readonly string[]): Promise<Set<string>> {
  const assigned = await queries(em)
    .selectFrom("assignments")
    .select("tag")
    .distinct()
    .where("tag", "in", texts(tags))
    .execute();
  const { tags: inRules } = await namedInRules(em, [], tags);
  return new Set([...assigned.flatMap(({ tag }) => tag ?? []), ...inRules]);
}

/** Returns the group and tags of one that another has not. */
function difference(one: Grouping, other: Grouping): Grouping {
  return {
    groupName: one.groupName === other.groupName ? null : one.groupName,
    tags: one.tags.filter((tag) => !other.tags.includes(tag)),
  };
}

/** Returns the assignments that a group or a tag names, by id. */
function assignedBy({ groups, tags }: NamedRights, one: Grouping): MovedRight[] {
  const named = [groups.get(one.groupName ?? "") ?? [], ...one.tags.map((tag) => tags.get(tag) ?? [])];
  return named.flat().toSorted((right, other) => (right.assignmentId < other.assignmentId ? -1 : 1));
}

/** Returns which groups and tags rules for groups of a sign-in provider name. */
async function namedInRules(tx: EntityManager, groups: readonly string[], tags: readonly string[]) {
  const { rows } = await sql<{ group_name: string | null; tag: string | null }>`
    select distinct rule -> 'assignment' ->> 'groupName' as group_name, rule -> 'assignment' ->> 'tag' as tag
    from identity_configs cross join lateral jsonb_array_elements(group_rules) as rule
    where rule -> 'assignment' ->> 'groupName' in ${texts(groups)} or rule -> 'assignment' ->> 'tag' in ${texts(tags)}
  `.execute(queries(tx));
  return {
    groups: new Set(rows.flatMap((row) => row.group_name ?? [])),
    tags: new Set(rows.flatMap((row) => row.tag ?? [])),
  };
}

function texts(values: readonly string[]) {
  return sql<string>`(select value from ${jsonTexts(values)})`;
}

function listed(name: string, rights: readonly MovedRight[]): Readonly<Record<string, unknown>> {
  if (rights.length === 0) return {};
  const more = rights.length > mostListed ? { [`${name}Count`]: rights.length } : {};
  return { [name]: rights.slice(0, mostListed), ...more };
}
