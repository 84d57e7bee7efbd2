import type { Caller } from "../access/caller.ts";
import type { Audit } from "../audit/audit.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { onePage, type Paging } from "../database/one-page.ts";
import { AppError } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { target } from "./service.ts";
import { lockRequest } from "./store.ts";
import { findVisible } from "./visible.ts";

const mostComments = 1_000;

/** Comments on change requests, by everyone who may see them. */
export class RequestComments {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  /** Returns a page of comments, oldest first. @throws AppError NOT_FOUND */
  async list(em: EntityManager, caller: Caller, { id, page, limit }: Paging & { id: string }) {
    await findVisible(em, caller, id);
    const matching = queries(em)
      .selectFrom("change_request_comments as c")
      .leftJoin("users", "users.id", "c.user_id")
      .select(["c.id", "c.user_id", "users.username", "c.text", "c.created_at"])
      .where("c.change_request_id", "=", id)
      .orderBy("c.id");
    const { rows, total } = await onePage(matching, { page, limit });
    const comments = rows.map((row) => ({
      id: row.id,
      userId: row.user_id,
      user: row.username,
      text: row.text,
      createdAt: row.created_at,
    }));
    return { comments, total, page, limit };
  }

  /** Adds a comment, also to a closed request. @throws AppError NOT_FOUND, CONFLICT above the limit */
  async add(em: EntityManager, caller: Caller, { id, text }: { id: string; text: string }) {
    await findVisible(em, caller, id);
    const comment = { id: newId(), createdAt: this.#now() };
    await em.transactional(async (tx) => {
      await lockRequest(tx, id, caller.userId);
      const counted = await queries(tx)
        .updateTable("change_requests")
        .set((eb) => ({ comment_count: eb("comment_count", "+", 1) }))
        .where("id", "=", id)
        .where("comment_count", "<", mostComments)
        .executeTakeFirst();
      if (counted.numUpdatedRows === 0n)
        throw new AppError("CONFLICT", `The request has ${mostComments} comments, which is the limit.`);
      await queries(tx)
        .insertInto("change_request_comments")
        .values({
          id: comment.id,
          change_request_id: id,
          user_id: caller.userId,
          text,
          created_at: comment.createdAt,
        })
        .execute();
      const after = { commentId: comment.id };
      await this.#audit.record(tx, caller, { action: "change_request.comment", ...target(id), after });
    });
    return { ...comment, userId: caller.userId, user: caller.username, text };
  }
}
