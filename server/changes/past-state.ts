import { queries, type EntityManager } from "../database/database.ts";
import { AppError, badField } from "../platform/errors.ts";

/**
 * Makes sure that a zone's records at a revision are stored: every state since the domain's `historyFrom` is, and before it those that have a
 * snapshot.
 * @throws AppError HISTORY_GONE; BAD_REQUEST for a revision that is yet to come
 */
export async function requireState(em: EntityManager, domainId: string, revision: number): Promise<void> {
  const domain = await queries(em)
    .selectFrom("domains")
    .select(["revision", "history_from"])
    .where("id", "=", domainId)
    .executeTakeFirstOrThrow();
  if (revision > domain.revision) {
    throw badField(["revision"], `\`revision\` must be at most ${domain.revision}, the zone's present one.`);
  }
  if (revision >= domain.history_from) return;
  const bookmarked = await queries(em)
    .selectFrom("snapshots")
    .select("id")
    .where("domain_id", "=", domainId)
    .where("revision", "=", revision)
    .limit(1)
    .executeTakeFirst();
  if (bookmarked) return;
  throw new AppError(
    "HISTORY_GONE",
    `The zone at revision ${revision} is no longer stored. Use revision ${domain.history_from} or newer, or one that has a snapshot.`,
  );
}
