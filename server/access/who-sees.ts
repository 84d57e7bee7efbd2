import { sql, type RawBuilder, type SqlBool } from "kysely";
import { jsonTexts, queries, type EntityManager } from "../database/database.ts";
import { coversDomain } from "./assigned.ts";

/** Returns the condition that a user may see a domain now, at least some of its records. Takes the aliases of `users` and `domains`. */
export function seesDomain(user: string, domain: string, at: Date): RawBuilder<SqlBool> {
  const [id, role, disabled] = ["id", "role", "disabled_at"].map((column) => sql.ref(`${user}.${column}`));
  return sql<SqlBool>`(${disabled} is null and (
    ${role} in ('admin', 'auditor') or ${sql.ref(`${domain}.owner_id`)} = ${id} or exists (
      select from assignments a
      where a.user_id = ${id} and (a.expires_at is null or a.expires_at > ${at}) and ${coversDomain(domain)}
    )
  ))`;
}

/** Returns those of some users who may see a domain. */
export async function usersWhoSee(
  em: EntityManager,
  domainId: string,
  userIds: readonly string[],
  at: Date,
): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select u.id from users u join domains d on d.id = ${domainId}
    where u.id in (select value::uuid from ${jsonTexts(userIds)}) and ${seesDomain("u", "d", at)}
  `.execute(queries(em));
  return new Set(rows.map(({ id }) => id));
}
