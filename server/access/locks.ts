import { queries, type EntityManager, jsonTexts } from "../database/database.ts";
import { parseView, qualifiedName, splitQualified } from "../dns/names/names.ts";
import { sql } from "kysely";

/** Locks a domain against deletion until the transaction ends. @returns its name and view, or null if it does not exist */
export async function lockDomain(tx: EntityManager, id: string): Promise<string | null> {
  const row = await queries(tx)
    .selectFrom("domains")
    .select(["name", "view"])
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row ? qualifiedName(row) : null;
}

/**
 * Like {@link lockDomain}, by canonical name. A bare name means the default view, or the only one.
 * @returns its id, or null if it does not exist or several views have the name, which are then listed
 */
export async function lockDomainNamed(
  tx: EntityManager,
  given: string,
): Promise<{ id: string | null; views: string[] }> {
  const { name, view } = splitQualified(given);
  const parsed = view === null ? null : parseView(view);
  const rows = await queries(tx)
    .selectFrom("domains")
    .select(["id", "view"])
    .where("name", "=", name)
    .$if(parsed !== null, (query) => query.where("view", "=", parsed?.ok ? parsed.value : null))
    .orderBy("view")
    .forKeyShare()
    .execute();
  const [first, ...others] = rows;
  if (first && (first.view === "" || others.length === 0)) return { id: first.id, views: [] };
  return { id: null, views: rows.map((row) => qualifiedName({ name, view: row.view })) };
}

/**
 * Locks users against deletion until the transaction ends, those that are there. A transaction that notifies somebody about rows of theirs,
 * such as assignments or tokens, calls it before it locks these rows: sign-ins and changes of an account lock its row first, too. Domains are
 * locked before users.
 */
export async function lockUsers(tx: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    select from users where id in (select value::uuid from ${jsonTexts(ids)}) order by id for key share
  `.execute(queries(tx));
}

/** A credential that ended, as the audit trail records it. */
interface EndedCredential {
  action: "token.delete" | "tsig_key.delete" | "feed.delete";
  targetType: "token" | "tsig_key" | "feed";
  targetId: string;
  before: Readonly<Record<string, unknown>>;
}

/** Ends the credentials that are for a domain alone, before it is deleted. */
export async function endCredentials(tx: EntityManager, domainId: string): Promise<EndedCredential[]> {
  const named = (table: NarrowedTable) =>
    queries(tx)
      .selectFrom(table)
      .select(["id", "user_id"])
      .where(sql<boolean>`domain_ids @> array[${domainId}]::uuid[]`)
      .orderBy("id");
  const tokens = named("personal_tokens");
  const feeds = named("calendar_feeds");
  const keys = queries(tx).selectFrom("tsig_keys").select("user_id").where("domain_id", "=", domainId);
  const owned = [...(await tokens.execute()), ...(await feeds.execute()), ...(await keys.execute())];
  await lockUsers(
    tx,
    owned.map(({ user_id: userId }) => userId),
  );
  const tokenIds = (await tokens.forUpdate().execute()).map(({ id }) => id);
  const feedIds = (await feeds.forUpdate().execute()).map(({ id }) => id);
  return [
    ...(await endKeys(tx, domainId)),
    ...(await endNarrowed(tx, domainId, { table: "personal_tokens", targetType: "token", ids: tokenIds })),
    ...(await endNarrowed(tx, domainId, { table: "calendar_feeds", targetType: "feed", ids: feedIds })),
  ];
}

async function endKeys(tx: EntityManager, domainId: string): Promise<EndedCredential[]> {
  const ended = await queries(tx)
    .deleteFrom("tsig_keys")
    .where("domain_id", "=", domainId)
    .returning(["id", "user_id", "name", "key_name"])
    .execute();
  return ended.map(({ id, user_id: userId, name, key_name: keyName }) => ({
    action: "tsig_key.delete",
    targetType: "tsig_key",
    targetId: id,
    before: { userId, name, keyName, domainId },
  }));
}

type NarrowedTable = "personal_tokens" | "calendar_feeds";

/** Takes the domain from the locked rows that are narrowed to it. Deletes and returns those that name no other. */
async function endNarrowed(
  tx: EntityManager,
  domainId: string,
  { table, targetType, ids }: { table: NarrowedTable; targetType: "token" | "feed"; ids: readonly string[] },
): Promise<EndedCredential[]> {
  if (ids.length === 0) return [];
  // After the lock: another deletion may have taken all others.
  const ended = await queries(tx)
    .deleteFrom(table)
    .where("id", "in", ids)
    .where(sql<boolean>`domain_ids = array[${domainId}]::uuid[]`)
    .returning(["id", "user_id", "name"])
    .execute();
  await queries(tx)
    .updateTable(table)
    .set({ domain_ids: sql`array_remove(domain_ids, ${domainId}::uuid)` })
    .where("id", "in", ids)
    .execute();
  return ended.map(({ id, user_id: userId, name }) => ({
    action: `${targetType}.delete` as const,
    targetType,
    targetId: id,
    before: { userId, name, domainIds: [domainId] },
  }));
}
