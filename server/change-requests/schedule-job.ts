import { sql } from "kysely";
import { theService } from "../access/actor.ts";
import type { ReviewPolicy } from "../changes/review-policy.ts";
import { queries, type Database } from "../database/database.ts";
import type { AppError } from "../platform/errors.ts";
import { Fault, faultToAppError } from "../platform/faults.ts";
import type { Logger } from "../platform/log.ts";
import type { ChangeRequestApplier } from "./applier.ts";
import { changeSetOf, findRequest, release } from "./store.ts";

/** An attempt that has not begun to change its zone by then belongs to a process that is gone. */
const staleMilliseconds = 120_000;
/** How long a provider or a busy zone is tried again after the set time. */
const patienceMilliseconds = 3_600_000;
const mostInRun = 200;

interface Parts {
  database: Database;
  applier: ChangeRequestApplier;
  review: ReviewPolicy;
  log: Logger;
  now: () => Date;
}

/** Applies requests at their time, and ends those whose process died. */
export class ChangeRequestSchedule {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Does what is due. @param signal ends the run after the request in flight */
  async runOnce(signal?: AbortSignal): Promise<void> {
    for (const attempt of await this.#attempts()) {
      if (signal?.aborted) return;
      await this.#settle(attempt);
    }
    for (const { id, apply_at: at } of await this.#due()) {
      if (signal?.aborted) return;
      await this.#apply(id, at ?? this.#parts.now());
    }
  }

  async #attempts() {
    return await queries(this.#parts.database.fork())
      .selectFrom("change_requests")
      .select(["id", "applying_token", "applying_at"])
      .where("applying_token", "is not", null)
      .orderBy("applying_at")
      .limit(mostInRun)
      .execute();
  }

  /** Ends an attempt as its change set did. One without a change set is given up once it is too old to be under way. */
  async #settle(attempt: { id: string; applying_token: string | null; applying_at: Date | null }): Promise<void> {
    const { database, applier, now } = this.#parts;
    const { id, applying_token: token, applying_at: since } = attempt;
    if (await changeSetOf(database.fork(), id)) await applier.finish(id, { actor: theService, name: null });
    else if (token !== null && since !== null && now().getTime() - since.getTime() > staleMilliseconds)
      await release(database.fork(), id, token, now());
  }

  /** Returns requests whose time has come, and that are approved or may be applied without an approval. */
  async #due() {
    const { database, review, now } = this.#parts;
    const rule = sql<string>`coalesce(d.review_required, ${review.fallback})`;
    return await queries(database.fork())
      .selectFrom("change_requests as r")
      .innerJoin("domains as d", "d.id", "r.domain_id")
      .leftJoin("users as author", "author.id", "r.author_id")
      .select(["r.id", "r.apply_at"])
      .where("r.closed_at", "is", null)
      .where("r.applying_token", "is", null)
      .where("r.apply_at", "<=", now())
      .where((eb) =>
        eb.or([
          eb("r.state", "=", "approved"),
          eb.and([
            eb("r.proposed", "=", false),
            eb.or([eb(rule, "=", "off"), eb.and([eb(rule, "=", "members"), eb("author.role", "=", "admin")])]),
          ]),
        ]),
      )
      .orderBy("r.apply_at")
      .orderBy("r.id")
      .limit(mostInRun)
      .execute();
  }

  async #apply(id: string, at: Date): Promise<void> {
    const { database, applier, log, now } = this.#parts;
    const request = await findRequest(database.fork(), id);
    if (!request || request.closedAt !== null) return;
    try {
      await applier.carryOut(request, { actor: theService, name: null, force: false, caller: null });
    } catch (fault) {
      const error = faultToAppError(fault);
      if (error instanceof Fault)
        log.error({ err: fault, changeRequestId: id }, "a change request could not be applied");
      // A change set decides: it is being looked after.
      if (await changeSetOf(database.fork(), id)) return;
      const isLate = now().getTime() - at.getTime() > patienceMilliseconds;
      if (mayPass(error) && !isLate) return;
      await applier.fail(id, error instanceof Fault ? "An internal error occurred." : error.message);
    }
  }
}

/** Returns whether another attempt may succeed without anybody doing something. */
function mayPass({ code }: AppError): boolean {
  return code === "UNAVAILABLE" || code === "PROVIDER_ERROR" || code === "INTERNAL_SERVER_ERROR";
}
