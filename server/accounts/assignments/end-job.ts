import { theService } from "../../access/caller.ts";
import { lockUsers } from "../../access/locks.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { assignmentNotice, partOf, rightTo } from "./notices.ts";
import { assignmentRows, auditedAssignment, rowFields, type Row } from "./rows.ts";

const day = 24 * 3_600_000;
const mostInTransaction = 100;

interface Parts {
  database: Database;
  audit: Audit;
  notifications: Notifications;
  now: () => Date;
}

/** Announces the end of assignments a day before, and deletes those that have ended. Their rights end on time without it. */
export class AssignmentEnds {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Does what is due. @param signal ends the run after the transaction in flight */
  async runOnce(signal?: AbortSignal): Promise<void> {
    await this.#all((tx) => this.#deleteEnded(tx), signal);
    await this.#all((tx) => this.#announce(tx), signal);
  }

  /** Repeats work, each time in a transaction of its own, until nothing is left to do. */
  async #all(work: (tx: EntityManager) => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
    for (let count = 1; count > 0;) {
      if (signal?.aborted) return;
      count = await this.#parts.database.fork().transactional(work);
    }
  }

  async #deleteEnded(tx: EntityManager): Promise<number> {
    const { audit, notifications, now } = this.#parts;
    const rows = await locked(tx, assignmentRows(tx).where("a.expires_at", "<=", now()));
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await queries(tx).deleteFrom("assignments").where("id", "in", ids).execute();
    for (const row of rows) {
      const { id, domainName, ...ended } = rowFields(row);
      const before = auditedAssignment(ended);
      await audit.record(tx, theService, { action: "assignment.end", targetType: "assignment", targetId: id, before });
      const subject = { ...ended, domainName, host: null };
      const part = partOf(subject);
      await notifications.notify(
        tx,
        assignmentNotice("assignment.delete", subject, {
          title: `${part} is no longer assigned to you`,
          content: `Your permission to ${rightTo(ended.access, ended.recordTypes)} of ${part} has ended.`,
          to: { userIds: [ended.userId] },
        }),
      );
    }
    return rows.length;
  }

  async #announce(tx: EntityManager): Promise<number> {
    const { notifications, now } = this.#parts;
    const due = assignmentRows(tx)
      .where("a.expires_at", ">", now())
      .where("a.expires_at", "<=", new Date(now().getTime() + day))
      .where("a.end_notified_at", "is", null);
    const rows = await locked(tx, due);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await queries(tx).updateTable("assignments").set({ end_notified_at: now() }).where("id", "in", ids).execute();
    for (const row of rows) {
      const ending = rowFields(row);
      const subject = { ...ending, host: null };
      const part = partOf(subject);
      await notifications.notify(
        tx,
        assignmentNotice("assignment.ending", subject, {
          title: `${part} is assigned to you for less than a day`,
          content: `Your permission to ${rightTo(ending.access, ending.recordTypes)} of ${part} ends at ${ending.expiresAt?.toISOString() ?? ""}.`,
          to: { userIds: [ending.userId] },
        }),
      );
    }
    return rows.length;
  }
}

/** Locks the next of some assignments, after their users, and returns those that are free. */
async function locked(tx: EntityManager, due: ReturnType<typeof assignmentRows>): Promise<Row[]> {
  const next = await due.orderBy("a.expires_at").limit(mostInTransaction).execute();
  if (next.length === 0) return [];
  await lockUsers(
    tx,
    next.map(({ user_id: userId }) => userId),
  );
  return await due
    .where(
      "a.id",
      "in",
      next.map(({ id }) => id),
    )
    .orderBy("a.expires_at")
    .forUpdate("a")
    .skipLocked()
    .execute();
}
