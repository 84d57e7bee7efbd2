import { sql } from "kysely";
import type { FollowItem } from "../changes/follows.ts";
import type { Role } from "../../database/tables/users.ts";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { TypedNotice } from "../../notifications/notify.ts";

/** PTR records of a reverse zone that still have to follow a change set. */
export interface PendingFollow {
  id: string;
  changeSetId: string;
  actorId: string;
  /** Null if the user is gone. */
  actorRole: Role | null;
  items: FollowItem[];
  /** Failed attempts. */
  attempts: number;
  /** The reverse zone. */
  domainId: string;
  domainName: string;
  ownerId: string | null;
  /** The zone that was changed. */
  source: { domainId: string; domainName: string; ownerId: string | null };
}

/** Returns what still follows a change set, or what is due. Nothing follows a change set before its outcome is known. */
export async function pendingFollows(
  em: EntityManager,
  which: { changeSetId: string } | { dueAt: Date; most: number },
): Promise<PendingFollow[]> {
  const rows = await queries(em)
    .selectFrom("reverse_follows as f")
    .innerJoin("change_sets as s", "s.id", "f.change_set_id")
    .innerJoin("domains as d", "d.id", "f.domain_id")
    .innerJoin("domains as source", "source.id", "s.domain_id")
    .leftJoin("users as actor", "actor.id", "f.actor_id")
    .select([
      "f.id",
      "f.change_set_id",
      "f.actor_id",
      "actor.role as actor_role",
      "f.items",
      "f.attempts",
      "d.id as domain_id",
      "d.name",
      "d.view",
      "d.owner_id",
      "source.id as source_id",
      "source.name as source_name",
      "source.view as source_view",
      "source.owner_id as source_owner_id",
    ])
    .where("s.state", "in", ["applied", "partial"])
    .$if("changeSetId" in which, (query) =>
      query.where("f.change_set_id", "=", "changeSetId" in which ? which.changeSetId : null).orderBy("f.id"),
    )
    .$if("dueAt" in which, (query) =>
      query
        .where("f.next_at", "<=", "dueAt" in which ? which.dueAt : null)
        .orderBy("f.next_at")
        .orderBy("f.id")
        .limit("most" in which ? which.most : 0),
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    changeSetId: row.change_set_id,
    actorId: row.actor_id,
    actorRole: row.actor_role,
    items: fromJson(row.items) as FollowItem[],
    attempts: row.attempts,
    domainId: row.domain_id,
    domainName: qualifiedName(row),
    ownerId: row.owner_id,
    source: {
      domainId: row.source_id,
      domainName: qualifiedName({ name: row.source_name, view: row.source_view }),
      ownerId: row.source_owner_id,
    },
  }));
}

/** Deletes what follows change sets that changed nothing. */
export async function dropFailed(em: EntityManager): Promise<void> {
  await sql`
    delete from reverse_follows f using change_sets s where s.id = f.change_set_id and s.state = 'failed'
  `.execute(queries(em));
}

/** Makes everything due. For a process that has the database to itself: nothing else is carrying it out. */
export async function makeDue(em: EntityManager, now: Date): Promise<void> {
  await queries(em).updateTable("reverse_follows").set({ next_at: now }).where("attempts", "=", 0).execute();
}

export async function endFollow(em: EntityManager, id: string): Promise<void> {
  await queries(em).deleteFrom("reverse_follows").where("id", "=", id).execute();
}

export async function postponeFollow(em: EntityManager, id: string, nextAt: Date): Promise<void> {
  await queries(em)
    .updateTable("reverse_follows")
    .set((eb) => ({ attempts: eb("attempts", "+", 1), next_at: nextAt }))
    .where("id", "=", id)
    .execute();
}

/**
 * Returns the notices of PTR records that could not follow a change. Those who manage the reverse zone get the reason; those who changed the
 * addresses may not see that zone, and learn only that its records are unchanged.
 */
export function followFailed(follow: PendingFollow, error: string): TypedNotice<"record.change_failed">[] {
  const { domainId, domainName, ownerId, source, changeSetId, actorId, items } = follow;
  const failed = items.length;
  const addresses = failed === 1 ? "1 address" : `${failed} addresses`;
  const about = { event: "record.change_failed", level: "error" } as const;
  return [
    {
      ...about,
      title: `PTR records in ${domainName} could not follow a change`,
      content: `${error} The reverse report lists what is missing or outdated, for ${addresses} of ${source.domainName}.`,
      metadata: { domainId, domainName, changeSetId, failed },
      to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
    },
    {
      ...about,
      title: `PTR records could not follow a change of ${source.domainName}`,
      content: `The records of ${source.domainName} are changed, but the PTR records of ${addresses} are not. Ask an administrator.`,
      metadata: { domainId: source.domainId, domainName: source.domainName, changeSetId, failed },
      to: { userIds: [actorId, source.ownerId].filter((id) => id !== null) },
    },
  ];
}
