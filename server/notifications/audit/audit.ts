import type { AuditAction } from "./actions.ts";
import { sql, type CompiledQuery } from "kysely";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { statement } from "../../database/statements.ts";
import { newId } from "../../platform/ids.ts";
import type { Actor } from "../../access/caller.ts";
import { inChunks } from "../../platform/slices.ts";
import { isDeepStrictEqual } from "node:util";

/** An action and its target. */
export interface AuditEvent {
  action: AuditAction;
  /** Such as `user`, `domain` or `token`. */
  targetType: string;
  targetId: string | null;
  /** State before; absent for new objects. Must not contain secrets. */
  before?: Readonly<Record<string, unknown>>;
  /** State after; absent for deleted objects. Must not contain secrets. */
  after?: Readonly<Record<string, unknown>>;
}

const entriesAtOnce = 1_000;

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

  /** Adds many entries of one time, with one statement for each thousand. */
  async recordAll(em: EntityManager, actor: Actor, events: readonly AuditEvent[]): Promise<void> {
    const at = this.#now();
    await inChunks(events, entriesAtOnce, async (some) => {
      const rows = some.map((event) => ({ ...event, id: newId() }));
      await sql`
        insert into audit_entries (
          id, at, actor_id, token_id, tsig_key, action, target_type, target_id, ip, request_id, before, after
        )
        select id, ${at}::timestamptz, ${actor.userId}::uuid, ${actor.tokenId}::uuid, ${actor.tsigKey ?? null}::text,
          action, "targetType", "targetId", ${actor.ip}::text, ${actor.requestId}::text, before, after
        from ${jsonRows(rows)} as event (
          id uuid, action text, "targetType" text, "targetId" uuid, before jsonb, after jsonb
        )`.execute(queries(em));
      return [];
    });
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

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields that differ between two states, in the form of an audit entry, or null if there are none. */
export function changedFields(before: Fields, after: Fields): { before: Fields; after: Fields } | null {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (names.length === 0) return null;
  const of = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { before: of(before), after: of(after) };
}
