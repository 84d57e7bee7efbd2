import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";

const tables = [
  "password_resets",
  "email_verifications",
  "sign_in_challenges",
  "passkey_challenges",
  "identity_tickets",
  "identity_flows",
  "cli_codes",
  "device_sign_ins",
] as const;

/**
 * Ends what was issued for an account: mailed links, tickets, pending sign-ins and bindings, challenges. Call it after `lockAccount`, within
 * the transaction of every change of credentials, address or state. An exchange for a session that is already in flight fails because the
 * epoch has advanced.
 */
export async function endOutstanding(tx: EntityManager, userId: string): Promise<void> {
  await queries(tx)
    .updateTable("users")
    .set((eb) => ({ access_epoch: eb("access_epoch", "+", 1) }))
    .where("id", "=", userId)
    .execute();
  for (const table of tables) await sql`delete from ${sql.table(table)} where user_id = ${userId}`.execute(queries(tx));
}
