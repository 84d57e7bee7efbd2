import type { CompiledQuery, ExpressionBuilder } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { statement } from "../../database/statements.ts";
import { newId } from "../../platform/ids.ts";
import type { Actor } from "../../access/actor.ts";
import { onePage } from "../../database/one-page.ts";
import type { Tables } from "../../database/tables/all.ts";

/** An action and its target. */
export interface AuditEvent {
  /** `<subject>.<verb>`, such as `user.create`, `auth.sign_in` or `domain.update`. */
  action: `${string}.${string}`;
  /** Such as `user`, `domain` or `token`. */
  targetType: string;
  targetId: string | null;
  /** State before; absent for new objects. Must not contain secrets. */
  before?: Readonly<Record<string, unknown>>;
  /** State after; absent for deleted objects. Must not contain secrets. */
  after?: Readonly<Record<string, unknown>>;
}

interface AuditFilter {
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

/** The append-only audit trail. Any feature may depend on it; it depends on none. */
export class Audit {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Adds an entry, inside the unit of work's transaction if there is one, so that a rollback also removes it. */
  async record(em: EntityManager, actor: Actor, event: AuditEvent): Promise<void> {
    await writeEntry(em, this.#now(), actor, event);
  }

  /** Returns a page of the trail, newest first. Each filter has an index in this order. */
  async list(em: EntityManager, filter: AuditFilter) {
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
      before: row.before as Record<string, unknown> | null,
      after: row.after as Record<string, unknown> | null,
    }));
    return { entries, total, page, limit };
  }
}

/** Like `Audit.record`, for callers without services. */
export async function writeEntry(em: EntityManager, at: Date, actor: Actor, event: AuditEvent): Promise<void> {
  await queries(em).executeQuery(entryStatement(at, actor, event));
}

/** Returns what adds an entry, to be sent together with other statements of its transaction. */
export function entryStatement(at: Date, actor: Actor, event: AuditEvent): CompiledQuery {
  const [before, after] = [event.before, event.after].map((state) => (state ? JSON.stringify(state) : null));
  return statement`
    insert into audit_entries (
      id, at, actor_id, token_id, tsig_key, action, target_type, target_id, ip, request_id, before, after
    ) values (
      ${newId()}, ${at}, ${actor.userId}, ${actor.tokenId}, ${actor.tsigKey ?? null}, ${event.action},
      ${event.targetType}, ${event.targetId}, ${actor.ip}, ${actor.requestId}, ${before}, ${after}
    )`;
}

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
