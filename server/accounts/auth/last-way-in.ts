import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";

/**
 * Keeps users from locking themselves out. Call it after removing a way to sign in, before the transaction commits. Passwords, identities at
 * enabled providers and passkeys count. Lock the user's row with `lockAccount` first: the lock lasts until the transaction ends, so parallel
 * calls cannot each remove one of the last two.
 * @throws AppError CONFLICT if no way to sign in remains
 */
export async function refuseLastWayIn(tx: EntityManager, userId: string): Promise<void> {
  const {
    rows: [left],
  } = await sql<{ open: boolean }>`select (
    exists (select from users where id = ${userId} and password_hash is not null)
    or exists (select from passkeys where user_id = ${userId})
    or exists (
      select from identity_bindings join identity_configs using (provider_id)
      where user_id = ${userId} and identity_configs.enabled
    )
  ) as open`.execute(queries(tx));
  if (left?.open) return;
  throw new AppError("CONFLICT", "This is your last way to sign in. Set up another one first.");
}
