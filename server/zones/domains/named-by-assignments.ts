import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";
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

/**
 * Refuses to move rights: a group or tag that an assignment or a rule for groups names is changed by administrators only.
 * @param before null for a new domain
 * @returns what the audit trail says about rights that move; null if none do
 * @throws AppError FORBIDDEN
 */
export async function movedRights(
  tx: EntityManager,
  caller: Caller,
  { before, after, now }: { before: Grouping | null; after: Grouping; now: Date },
): Promise<Readonly<Record<string, unknown>> | null> {
  const was = before ?? nowhere;
  const [gained, lost] = [difference(after, was), difference(was, after)];
  if (isNone(gained) && isNone(lost)) return null;
  if (caller.role !== "admin") await refuseNamed(tx, gained, lost, now);
  const [gains, losses] = [await assignedBy(tx, gained, now), await assignedBy(tx, lost, now)];
  if (gains.length + losses.length === 0) return null;
  return { ...listed("assignmentsGained", gains), ...listed("assignmentsLost", losses) };
}

/** Returns a domain's group and tags. */
export function groupingOf({ groupName, tags }: { groupName?: string | null | undefined; tags: readonly string[] }) {
  return { groupName: groupName ?? null, tags };
}

/** Returns the group and tags of one that another has not. */
function difference(one: Grouping, other: Grouping): Grouping {
  return {
    groupName: one.groupName === other.groupName ? null : one.groupName,
    tags: one.tags.filter((tag) => !other.tags.includes(tag)),
  };
}

function isNone({ groupName, tags }: Grouping): boolean {
  return groupName === null && tags.length === 0;
}

async function assignedBy(tx: EntityManager, { groupName, tags }: Grouping, now: Date): Promise<MovedRight[]> {
  if (isNone({ groupName, tags })) return [];
  return await queries(tx)
    .selectFrom("assignments")
    .select(["id as assignmentId", "user_id as userId"])
    .where((eb) => eb.or([eb("group_name", "=", groupName), eb("tag", "in", texts(tags))]))
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .orderBy("id")
    .execute();
}

async function refuseNamed(tx: EntityManager, gained: Grouping, lost: Grouping, now: Date): Promise<void> {
  for (const { groupName, tags } of [gained, lost]) {
    const names = tags.map((name) => ({ field: "tags", name }));
    if (groupName !== null) names.push({ field: "groupName", name: groupName });
    for (const { field, name } of names) {
      const target: Grouping = field === "tags" ? { groupName: null, tags: [name] } : { groupName: name, tags: [] };
      if ((await assignedBy(tx, target, now)).length === 0 && !(await isInRule(tx, target))) continue;
      const what = field === "tags" ? "tag" : "group";
      const message = `The ${what} ${name} gives people rights, so only administrators can add or remove it. Ask one of them.`;
      throw new AppError("FORBIDDEN", message, { issues: [{ path: [field], message }] });
    }
  }
}

/** Returns whether a rule for groups of a sign-in provider names a group or tag. */
async function isInRule(tx: EntityManager, { groupName, tags: [tag] }: Grouping): Promise<boolean> {
  const assignment = groupName === null ? { tag } : { groupName };
  const found = await queries(tx)
    .selectFrom("identity_configs")
    .select("id")
    .where(sql<boolean>`group_rules @> ${JSON.stringify([{ assignment }])}::jsonb`)
    .executeTakeFirst();
  return found !== undefined;
}

function texts(values: readonly string[]) {
  return sql<string>`(select value from ${jsonTexts(values)})`;
}

function listed(name: string, rights: readonly MovedRight[]): Readonly<Record<string, unknown>> {
  if (rights.length === 0) return {};
  const more = rights.length > mostListed ? { [`${name}Count`]: rights.length } : {};
  return { [name]: rights.slice(0, mostListed), ...more };
}
