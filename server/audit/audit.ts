import { queries, type EntityManager } from "../database/database.ts";
import { newId } from "../platform/ids.ts";
import type { Actor } from "../access/actor.ts";
import { listEntries, type AuditFilter } from "./list.ts";

/** What was done, `<subject>.<verb>`, and to what. */
export interface AuditEvent {
  /** `user.create`, `auth.sign_in`, `domain.update`. */
  action: `${string}.${string}`;
  /** `user`, `domain`, `token`. */
  targetType: string;
  targetId: string | null;
  /** What it was; nothing for what is new. Never a secret. */
  before?: Readonly<Record<string, unknown>>;
  /** What it is since; nothing for what is gone. Never a secret. */
  after?: Readonly<Record<string, unknown>>;
}

/** The append-only trail of who did what. Everyone may call it; it calls nobody. */
export class Audit {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Adds an entry, within the unit of work's transaction if there is one: what is taken back leaves no trace. */
  async record(em: EntityManager, actor: Actor, event: AuditEvent): Promise<void> {
    await writeEntry(em, this.#now(), actor, event);
  }

  list(em: EntityManager, filter: AuditFilter) {
    return listEntries(em, filter);
  }
}

/** The same as `Audit.record`, for what has the moment at hand and no services. */
export async function writeEntry(em: EntityManager, at: Date, actor: Actor, event: AuditEvent): Promise<void> {
  await queries(em)
    .insertInto("audit_entries")
    .values({
      id: newId(),
      at,
      actor_id: actor.userId,
      token_id: actor.tokenId,
      action: event.action,
      target_type: event.targetType,
      target_id: event.targetId,
      ip: actor.ip,
      request_id: actor.requestId,
      before: event.before === undefined ? null : JSON.stringify(event.before),
      after: event.after === undefined ? null : JSON.stringify(event.after),
    })
    .execute();
}
