import { sql } from "kysely";
import { queries, type EntityManager } from "../../../database/database.ts";

/** The second factors in the API. Recovery codes can replace any of them. */
export const methods = ["totp", "passkey", "email"] as const;

export type Method = (typeof methods)[number];

/** Returns the second factors that a user has set up, whether or not they are available now. */
export async function methodsSetUp(em: EntityManager, userId: string): Promise<Method[]> {
  const {
    rows: [found],
  } = await sql<Record<Method, boolean>>`select
    exists (select from totp_factors where user_id = ${userId} and enabled_at is not null) as totp,
    exists (select from passkeys where user_id = ${userId}) as passkey,
    exists (select from email_factors where user_id = ${userId}) as email`.execute(queries(em));
  return methods.filter((method) => found?.[method]);
}

/** Removes every second factor of an account, and its recovery codes, for a user who lost them. @returns the number of factors removed */
export async function removeAllFactors(tx: EntityManager, userId: string): Promise<number> {
  let removed = 0n;
  for (const table of ["totp_factors", "email_factors", "passkeys"] as const) {
    const { numDeletedRows } = await queries(tx).deleteFrom(table).where("user_id", "=", userId).executeTakeFirst();
    removed += numDeletedRows;
  }
  await queries(tx).deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  return Number(removed);
}
