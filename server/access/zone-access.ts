import { sql, type RawBuilder, type SqlBool } from "kysely";
import { type Caller, type NarrowedCredential, takingOver, ZoneScope, type ScopeRule } from "./caller.ts";
import { queries, jsonTexts, type EntityManager } from "../database/database.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { Role } from "../database/tables/users.ts";
import type { AssignmentAccess } from "../database/tables/assignments.ts";
import type { ReviewRequired } from "../database/tables/domains.ts";
import { isApexNs, type RecordData } from "../dns/record.ts";
import { storedLikePattern } from "./host-pattern.ts";

/*
 * Decides who may see and change which zone; no other code does. Administrators access everything, and auditors read it. Members access the domains they own,
 * and the assigned records of domains assigned to them, by name, group or tag. Anything else is reported as not found.
 */

/** A caller's rights in a zone. */
export interface Rights {
  /** Whether they manage the zone as a whole: administrators and the owner, unless their token is narrowed. */
  owns: boolean;
  /** Whether records that assignments must name are theirs to change: administrators and the owner, also with a narrowed token. */
  changesProtected: boolean;
  /** The records they may see. */
  sees: ZoneScope;
  /** The records they may change. */
  changes: ZoneScope;
  /** The records they may propose changes of, to be reviewed by others. Includes `changes`. */
  proposes: ZoneScope;
  /** The records whose changes by others they may review. */
  reviews: ZoneScope;
  /** Whether only the owner and administrators change MX records, unless an assignment names the type. */
  protectMail: boolean;
  /** The credential that limits the sets above; null: none does. */
  narrowedBy: NarrowedCredential | null;
}

/** What a call requires: to read records, to propose changes, to change records, or to manage the zone as a whole. */
export type Need = "read" | "propose" | "write" | "manage";

/** The parts of an assignment that determine rights. */
export interface Grant extends ScopeRule {
  access: AssignmentAccess;
  review: boolean;
}

/** What a query on `domains` returns for `rightsIn`. */
interface AccessRow {
  accessed_id: string;
  owner_id: string | null;
  protect_mail: boolean;
  grants: Grant[];
}

/** The rights of an owner. */
export const ownersRights: Rights = {
  owns: true,
  changesProtected: true,
  sees: ZoneScope.all,
  changes: ZoneScope.all,
  proposes: ZoneScope.all,
  reviews: ZoneScope.all,
  protectMail: false,
  narrowedBy: null,
};

/** The rights of an auditor in every zone, their own included. */
const auditorsRights: Rights = {
  owns: false,
  changesProtected: false,
  sees: ZoneScope.all,
  changes: ZoneScope.none,
  proposes: ZoneScope.none,
  reviews: ZoneScope.none,
  protectMail: false,
  narrowedBy: null,
};

/** Returns the union of all assignments' rights, within what the caller's token is narrowed to, or null if they may not see the zone. */
export function rightsFrom(caller: Caller, row: AccessRow): Rights | null {
  const rights = usersRights(caller, row);
  const { narrowing } = caller;
  if (rights === null || narrowing === null) return rights;
  if (narrowing.domainIds?.includes(row.accessed_id) === false) return null;
  return {
    owns: false,
    changesProtected: rights.changesProtected,
    sees: rights.sees.within(narrowing.scope),
    changes: rights.changes.within(narrowing.scope),
    proposes: rights.proposes.within(narrowing.scope),
    reviews: rights.reviews.within(narrowing.scope),
    protectMail: rights.protectMail,
    narrowedBy: narrowing.credential,
  };
}

/** Returns the rights of the user behind a call, whatever credential they use. */
function usersRights(
  caller: Caller,
  { owner_id: ownerId, protect_mail: protectMail, grants }: AccessRow,
): Rights | null {
  if (caller.role === "auditor") return auditorsRights;
  if (caller.role === "admin" || ownerId === caller.userId) return ownersRights;
  if (grants.length === 0) return null;
  return {
    owns: false,
    changesProtected: false,
    sees: new ZoneScope(grants),
    changes: new ZoneScope(grants.filter(({ access }) => access === "write")),
    proposes: new ZoneScope(grants.filter(({ access }) => access !== "read")),
    reviews: new ZoneScope(grants.filter(({ review }) => review)),
    protectMail,
    narrowedBy: null,
  };
}

/** Returns the columns of a query on `domains` that `rightsIn` needs. */
export function accessColumns(caller: Caller) {
  const grant = sql`json_build_object(
    'pattern', a.subdomain_pattern, 'recordTypes', a.record_types, 'access', a.access, 'review', a.review
  )`;
  const grants = readsEverything(caller.role)
    ? sql<Grant[]>`'[]'::json`
    : sql<Grant[]>`(
          select coalesce(json_agg(${grant}), '[]'::json) from assignments a
          where ${isCurrent(caller)} and ${coversDomain("domains")}
        )`;
  return [
    sql<string>`domains.id`.as("accessed_id"),
    sql<string | null>`domains.owner_id`.as("owner_id"),
    sql<boolean>`domains.protect_mail`.as("protect_mail"),
    grants.as("grants"),
  ] as const;
}

/**
 * Returns the caller's rights in a domain. With the need `propose`, `changes` is what they may propose.
 * @throws AppError NOT_FOUND if they may not see it, FORBIDDEN if `need` exceeds their rights
 */
export function rightsIn(row: AccessRow, caller: Caller, need: Need): Rights {
  const rights = rightsFrom(caller, row);
  if (!rights) throw notFound("domain");
  if (rights.owns) return rights;
  if (need === "manage" && rights.changesProtected)
    throw new AppError(
      "FORBIDDEN",
      `This ${rights.narrowedBy ?? "token"} is narrowed to some domains or records, and this call concerns the domain as a whole. Use a token that is not narrowed.`,
    );
  if (need === "manage")
    throw new AppError("FORBIDDEN", "Only the domain's owner and administrators can do this. Ask one of them.");
  if (need === "propose" && rights.proposes.isNone)
    throw new AppError(
      "FORBIDDEN",
      "You have read-only access to this domain. Request an assignment with `write` access, or ask an administrator for one with `propose`.",
    );
  if (need === "write" && rights.changes.isNone)
    throw new AppError(
      "FORBIDDEN",
      "You have read-only access to this domain. Request an assignment with write access.",
    );
  return need === "propose" ? { ...rights, changes: rights.proposes } : rights;
}

/** Returns the caller's rights in a domain; null if it does not exist or they may not see it. */
export async function rightsOf(em: EntityManager, caller: Caller, domainId: string): Promise<Rights | null> {
  const row = await queries(em)
    .selectFrom("domains")
    .select(accessColumns(caller))
    .where("id", "=", domainId)
    .executeTakeFirst();
  return row ? rightsFrom(caller, row) : null;
}

/** Returns whether the caller may review a change of such a record, which takes the same as changing it. */
export function mayReview(record: Pick<RecordData, "recordType" | "name">, rights: Rights): boolean {
  return outsideRights(record, { ...rights, changes: rights.reviews }) === null;
}

/**
 * Returns why the caller may not write or delete such a record; null if they may.
 */
export function outsideRights(
  record: Pick<RecordData, "recordType" | "name">,
  { owns, changesProtected, changes, protectMail, narrowedBy }: Omit<Rights, "sees" | "proposes" | "reviews">,
): string | null {
  if (owns) return null;
  const credential = narrowedBy ?? "token";
  const { recordType, name } = record;
  if (!changes.includes(record)) {
    const which = changes.includesSomeAt(name) ? `the ${recordType} records` : "the records";
    return changes.limit?.includes(record) === false
      ? `This ${credential} does not cover ${which} of ${name}. Use one that does.`
      : `Your assignments do not let you change ${which} of ${name}.`;
  }
  if (takingOver.has(recordType) && !isApexNs(record) && changes.limit?.coversBelow(record) === false)
    return `${recordType} records of ${name} affect every name below it, and this ${credential} does not cover all of those.`;
  if (changesProtected) return null;
  const isNamed = changes.names(record);
  if (isApexNs(record) || (protectMail && recordType === "MX"))
    return isNamed
      ? null
      : `${recordType} records of ${name} are for the domain's owner and administrators, unless an assignment names the type ${recordType}.`;
  if (!takingOver.has(recordType) || changes.coversBelow(record)) return null;
  return `${recordType} records of ${name} affect every name below it, and your assignments do not cover all of those.`;
}

/** A zone that the caller may access, with the data that reads and changes need. */
export interface Zone {
  id: string;
  name: string;
  /** Empty: the default view. */
  view: string;
  revision: number;
  recordCount: number;
  /** Whether the provider signs the zone; `serverManagedCount` is the number of records it maintains for that. */
  signed: boolean;
  serverManagedCount: number;
  providerConfigId: string;
  /** The registrar configuration whose account has the name; null: none is set. */
  registrarConfigId: string | null;
  /** Whose changes need a review; null: as the installation says. */
  reviewRequired: ReviewRequired | null;
  reviewAcme: boolean;
  rights: Rights;
}

/** Returns a zone with the caller's rights. @throws AppError NOT_FOUND if it does not exist or they may not see it, FORBIDDEN if `need` exceeds their rights */
export async function zoneFor(em: EntityManager, caller: Caller, domainId: string, need: Need): Promise<Zone> {
  const row = await queries(em)
    .selectFrom("domains")
    .select([
      "id",
      "name",
      "view",
      "revision",
      "record_count",
      "provider_signed",
      "server_managed_count",
      "provider_config_id",
      "registrar_config_id",
      "review_required",
      "review_acme",
    ])
    .select(accessColumns(caller))
    .where("id", "=", domainId)
    .executeTakeFirst();
  if (!row) throw notFound("domain");
  return {
    id: row.id,
    name: row.name,
    view: row.view,
    revision: row.revision,
    recordCount: row.record_count,
    signed: row.provider_signed,
    serverManagedCount: row.server_managed_count,
    providerConfigId: row.provider_config_id,
    registrarConfigId: row.registrar_config_id,
    reviewRequired: row.review_required,
    reviewAcme: row.review_acme,
    rights: rightsIn(row, caller, need),
  };
}

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

/** Returns whether a role reads what belongs to others. */
export function readsEverything(role: Role): boolean {
  return role !== "member";
}

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
 * Returns the parts of a query whether assignments `a`, taken together, cover changes of a record in a domain, as `outsideRights` says. Types
 * that affect every name below theirs need two spots, both by assignments that list the type or both by such for all types. Join `spots`,
 * filter by `covers` and group by `kind`: a group must have `all`.
 */
export function coveringChanges(record: string, domain: string) {
  const [name, type] = ["name", "record_type"].map((column) => sql.ref(`${record}.${column}`));
  const isApexNs = sql<SqlBool>`(${type} = 'NS' and ${name} = '@')`;
  const takesOver = sql<SqlBool>`(${type} in ('NS', 'DNAME') and not ${isApexNs})`;
  const below = sql`case ${name} when '@' then '*' else '*.' || ${name} end`;
  const listed = sql<SqlBool>`${type} = any(a.record_types)`;
  const mustBeListed = sql<SqlBool>`(${isApexNs} or ${type} = 'MX' and ${sql.ref(`${domain}.protect_mail`)})`;
  return {
    spots: sql`lateral (select ${name} union all select ${below} where ${takesOver}) as spot(name)`,
    covers: sql<SqlBool>`(spot.name like ${storedLikePattern("a.subdomain_pattern")} and (
      ${listed} or a.record_types = '{}' and not ${mustBeListed}
    ))`,
    kind: sql`(${takesOver} and ${listed})`,
    all: sql<SqlBool>`count(distinct spot.name) = case when ${takesOver} then 2 else 1 end`,
  };
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
