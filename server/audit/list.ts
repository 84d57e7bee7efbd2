import { onePage } from "../database/one-page.ts";
import type { ExpressionBuilder } from "kysely";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/tables/all.ts";

export interface AuditFilter {
  page: number;
  limit: number;
  actorId?: string | undefined;
  action?: string | undefined;
  targetType?: string | undefined;
  targetId?: string | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

/** Returns a page of the trail, newest first. Each filter has an index in this order. */
export async function listEntries(em: EntityManager, filter: AuditFilter) {
  const { page, limit } = filter;
  const found = queries(em)
    .selectFrom("audit_entries")
    .selectAll()
    .where((eb) => matches(eb, filter))
    .orderBy("at", "desc")
    .orderBy("id", "desc");
  const { rows, total } = await onePage(found, { page, limit });
  const entries = rows.map((row) => ({
    id: row.id,
    at: row.at,
    actorId: row.actor_id,
    tokenId: row.token_id,
    tsigKey: row.tsig_key,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    ip: row.ip,
    requestId: row.request_id,
    before: row.before as Fields | null,
    after: row.after as Fields | null,
  }));
  return { entries, total, page, limit };
}

type Fields = Record<string, unknown>;

function matches(eb: ExpressionBuilder<Tables, "audit_entries">, filter: AuditFilter) {
  const { actorId, action, targetType, targetId, from, to } = filter;
  return eb.and([
    ...(actorId === undefined ? [] : [eb("actor_id", "=", actorId)]),
    ...(action === undefined ? [] : [eb("action", "=", action)]),
    ...(targetType === undefined ? [] : [eb("target_type", "=", targetType)]),
    ...(targetId === undefined ? [] : [eb("target_id", "=", targetId)]),
    ...(from === undefined ? [] : [eb("at", ">=", from)]),
    ...(to === undefined ? [] : [eb("at", "<", to)]),
  ]);
}
