import { sql, type CompiledQuery } from "kysely";
import { statement } from "../database/statement.ts";

/** Whether a domain has mirrors. */
export const isMirrored = sql<boolean>`exists (select from mirrors where mirrors.domain_id = domains.id)`;

/** Returns what makes the mirrors of a domain due, in the transaction that settles its change. */
export function mirrorsDueStatement({
  domainId,
  revision,
  now,
}: {
  domainId: string;
  revision: number;
  now: Date;
}): CompiledQuery {
  return statement`
    update mirrors set wanted_revision = ${revision}, behind_since = coalesce(behind_since, ${now}::timestamptz),
      due_at = least(coalesce(due_at, ${now}::timestamptz), ${now}::timestamptz)
    where domain_id = ${domainId}::uuid
  `;
}
