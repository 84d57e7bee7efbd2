import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { isLockConflict } from "../platform/faults.ts";
import { queries, type EntityManager } from "./database.ts";

/** Shorter than the second after which PostgreSQL looks for a deadlock: this side ends before the other is chosen. */
const lockMilliseconds = 250;
const mostAttempts = 40;
const longestPauseMilliseconds = 200;

/**
 * Runs a transaction that needs many rows, which others lock in other orders. If a row is not free soon, it gives back all locks and starts
 * anew, so that the others finish.
 * @throws Error of the last attempt, after about ten seconds
 */
export async function givingWay<Result>(
  em: EntityManager,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await em.fork().transactional(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`.execute(queries(tx));
        return await work(tx);
      });
    } catch (error) {
      if (!isLockConflict(error) || attempt === mostAttempts) throw error;
    }
    await sleep(Math.random() * longestPauseMilliseconds);
  }
}
