import { sql } from "kysely";
import { queries, type EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";

/**
 * Keeps users from locking themselves out, after one way to sign in was taken away and before that is final. What counts are a password,
 * identities at providers that are enabled, and passkeys. The user's row stays locked until the transaction ends, so that two ways cannot be
 * taken away at the same moment: lock it before, by `lockAccount`.
 * @throws AppError CONFLICT when no way is left
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
  throw new AppError("CONFLICT", "This is your last way to sign in; set up another one first.");
}
