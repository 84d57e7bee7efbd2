import { sql } from "kysely";
import type { ZoneScope } from "../../access/zone-scope.ts";
import { accessColumns, rightsFrom } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import { jsonTexts, queries, type EntityManager } from "../../database/database.ts";

/** A zone as one caller sees it now. */
export interface SeenZone {
  id: string;
  revision: number;
  /** The records whose changes the caller may hear of. */
  sees: ZoneScope;
}

/** Returns those of some domains that the caller may see, by their role and rights at a time. */
export async function seenZones(
  em: EntityManager,
  watcher: Caller,
  ids: readonly string[],
  at: Date,
): Promise<SeenZone[]> {
  const user = await queries(em)
    .selectFrom("users")
    .select("role")
    .where("id", "=", watcher.userId)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (!user) return [];
  const caller = { ...watcher, role: user.role, at };
  const rows = await queries(em)
    .selectFrom("domains")
    .select(["id", "revision"])
    .select(accessColumns(caller))
    .where("id", "in", sql<string>`(select value::uuid from ${jsonTexts(ids)})`)
    .execute();
  return rows.flatMap((row) => {
    const rights = rightsFrom(caller, row);
    return rights ? [{ id: row.id, revision: row.revision, sees: rights.sees }] : [];
  });
}

/** Returns whether the revisions after one and up to another touch records of a scope. */
export async function touches(
  em: EntityManager,
  { domainId, after, upTo }: { domainId: string; after: number; upTo: number },
  scope: ZoneScope,
): Promise<boolean> {
  if (scope.isAll) return true;
  if (scope.isNone) return false;
  const changed = (column: "since" | "until") =>
    queries(em)
      .selectFrom("records")
      .select(sql<number>`1`.as("one"))
      .where("domain_id", "=", domainId)
      .where(column, ">", after)
      .where(column, "<=", upTo)
      .where(scope.condition());
  const found = await changed("since").unionAll(changed("until")).limit(1).executeTakeFirst();
  return found !== undefined;
}

/** Returns the change sets that made the revisions after one, oldest first. */
export async function changeSetsAfter(
  em: EntityManager,
  domainId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: string; revision: number }[]> {
  const rows = await queries(em)
    .selectFrom("change_sets")
    .select(["id", "revision"])
    .where("domain_id", "=", domainId)
    .where("revision", ">", after)
    .orderBy("revision")
    .limit(limit)
    .execute();
  return rows.map(({ id, revision }) => ({ id, revision: revision ?? 0 }));
}
