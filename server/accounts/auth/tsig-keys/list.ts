import { queries, type EntityManager } from "../../../database/database.ts";
import { onePage } from "../../../database/one-page.ts";
import { qualifiedName } from "../../../dns/names/views.ts";

export interface TsigKeyFilter {
  page: number;
  limit: number;
  userId?: string | undefined;
  domainId?: string | undefined;
}

/** Returns a user's keys, newest first. */
export async function keysOf(em: EntityManager, userId: string) {
  const rows = await withDomains(em).where("k.user_id", "=", userId).orderBy("k.id", "desc").execute();
  return rows.map(keyView);
}

/** Returns a page of all users' keys, newest first. Each filter has an index in this order. */
export async function pageOfKeys(em: EntityManager, { page, limit, userId, domainId }: TsigKeyFilter) {
  const found = withDomains(em)
    .innerJoin("users as u", "u.id", "k.user_id")
    .select(["u.id as user_id", "u.username"])
    .$if(userId !== undefined, (query) => query.where("k.user_id", "=", userId ?? ""))
    .$if(domainId !== undefined, (query) => query.where("k.domain_id", "=", domainId ?? ""))
    .orderBy("k.id", "desc");
  const { rows, total } = await onePage(found, { page, limit });
  const keys = rows.map((row) => Object.assign(keyView(row), { userId: row.user_id, username: row.username }));
  return { keys, total, page, limit };
}

/** Returns one key. */
export async function keyById(em: EntityManager, id: string) {
  return keyView(await withDomains(em).where("k.id", "=", id).executeTakeFirstOrThrow());
}

/** Never selects the secret. */
function withDomains(em: EntityManager) {
  return queries(em)
    .selectFrom("tsig_keys as k")
    .innerJoin("domains as d", "d.id", "k.domain_id")
    .select(["k.id", "k.name as label", "k.key_name", "k.algorithm", "k.domain_id", "k.host_pattern"])
    .select(["k.record_types", "k.access", "k.created_at", "k.expires_at", "d.name", "d.view"])
    .select(["k.last_used_at", "k.last_used_from", "k.last_error", "k.last_error_at"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof withDomains>["executeTakeFirstOrThrow"]>>;

function keyView(row: Row) {
  return {
    id: row.id,
    name: row.label,
    keyName: row.key_name,
    algorithm: row.algorithm,
    domainId: row.domain_id,
    domainName: qualifiedName(row),
    hostPattern: row.host_pattern,
    recordTypes: row.record_types,
    access: row.access,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastUsedFrom: row.last_used_from,
    lastError: row.last_error,
    lastErrorAt: row.last_error_at,
  };
}
