import { sql, type RawBuilder, type SqlBool } from "kysely";
import { storedLikePattern } from "./host-pattern.ts";

/*
 * The SQL of assignments, whose table always has the alias `a`. An assignment covers a domain by its id, or every domain in a group or
 * with a tag. It ends by itself: whatever reads it compares its end with the time of the call.
 */

/** Whose assignments count, and when. */
export interface Reader {
  userId: string;
  at: Date;
}

/** Returns the condition that an assignment is the reader's and has not ended. */
export function isCurrent({ userId, at }: Reader): RawBuilder<SqlBool> {
  return sql<SqlBool>`(a.user_id = ${userId} and (a.expires_at is null or a.expires_at > ${at}))`;
}

/** Returns the condition that an assignment covers a domain, whose table has this alias. */
export function coversDomain(alias: string): RawBuilder<SqlBool> {
  const [id, group, tags] = ["id", "group_name", "tags"].map((column) => sql.ref(`${alias}.${column}`));
  return sql<SqlBool>`(a.domain_id = ${id} or a.group_name = ${group} or a.tag = any(${tags}))`;
}

/** Returns the condition that an assignment covers a record of a domain that it covers, by host and type. */
export function coversRecord(alias: string): RawBuilder<SqlBool> {
  const [name, type] = ["name", "record_type"].map((column) => sql.ref(`${alias}.${column}`));
  return sql<SqlBool>`(
    ${name} like ${storedLikePattern("a.subdomain_pattern")} and (a.record_types = '{}' or ${type} = any(a.record_types))
  )`;
}

/**
 * Returns the condition that an assignment covers changes of a record in a domain, as `outsideRights` says: types that affect more than their
 * own name must be named, or covered below that name too.
 */
export function coversChange(record: string, domain: string): RawBuilder<SqlBool> {
  const [name, type] = ["name", "record_type"].map((column) => sql.ref(`${record}.${column}`));
  const pattern = storedLikePattern("a.subdomain_pattern");
  const named = sql<SqlBool>`${type} = any(a.record_types)`;
  return sql<SqlBool>`(${coversRecord(record)} and (case
    when ${type} = 'NS' and ${name} = '@' then ${named}
    when ${type} = 'MX' and ${sql.ref(`${domain}.protect_mail`)} then ${named}
    when ${type} in ('NS', 'DNAME') then (case ${name} when '@' then '*' else '*.' || ${name} end) like ${pattern}
    else true end))`;
}

/** Selects the ids of the domains that the reader's assignments cover. Each way to cover has an index of its own. */
export function coveredDomains(reader: Reader): RawBuilder<unknown> {
  const current = () => isCurrent(reader);
  return sql`
    select a.domain_id from assignments a where ${current()} and a.domain_id is not null
    union all
    select d.id from assignments a join domains d on d.group_name = a.group_name where ${current()}
    union all
    select d.id from assignments a join domains d on d.tags @> array[a.tag] where ${current()} and a.tag is not null`;
}
