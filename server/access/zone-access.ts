import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from "kysely";
import type { Caller } from "./caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/tables/all.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { AssignmentAccess } from "../database/tables/assignments.ts";
import type { ReviewRequired } from "../database/tables/domains.ts";
import { storedLikePattern } from "./host-pattern.ts";
import { Hosts } from "./hosts.ts";
import type { RecordData } from "../dns/record.ts";

/*
 * Decides who may see and change which zone; no other code does. Administrators access everything. Members access the domains they own,
 * and the assigned hosts of domains assigned to them. Anything else is reported as not found.
 */

/** A caller's rights in a zone. */
export interface Rights {
  /** Whether they manage the zone as a whole: administrators and the owner. */
  owns: boolean;
  /** The hosts whose records they may see. */
  sees: Hosts;
  /** The hosts whose records they may change. */
  changes: Hosts;
  /** The hosts whose changes they may review, if they are not the author. */
  reviews: Hosts;
}

/** What a call requires: to read records, to change records, or to manage the zone as a whole. */
export type Need = "read" | "write" | "manage";

/** The parts of an assignment that determine rights. */
interface Grant {
  pattern: string;
  access: AssignmentAccess;
}

const everything: Rights = { owns: true, sees: Hosts.all, changes: Hosts.all, reviews: Hosts.all };

/** Returns the union of all assignments' rights, or null if the caller may not see the zone. */
function rightsFrom(caller: Caller, ownerId: string | null, grants: readonly Grant[]): Rights | null {
  if (caller.role === "admin" || ownerId === caller.userId) return everything;
  if (grants.length === 0) return null;
  const writing = grants.filter(({ access }) => access === "write");
  return {
    owns: false,
    sees: new Hosts(grants.map(({ pattern }) => pattern)),
    changes: new Hosts(writing.map(({ pattern }) => pattern)),
    reviews: new Hosts([]),
  };
}

/** Returns the columns of a query on `domains` that `rightsIn` needs. */
export function accessColumns(caller: Caller) {
  const grants =
    caller.role === "admin"
      ? sql<Grant[]>`'[]'::json`
      : sql<Grant[]>`(
          select coalesce(json_agg(json_build_object('pattern', a.subdomain_pattern, 'access', a.access)), '[]'::json)
          from assignments a where a.domain_id = domains.id and a.user_id = ${caller.userId}
        )`;
  return [sql<string | null>`domains.owner_id`.as("owner_id"), grants.as("grants")] as const;
}

/** Returns the caller's rights in a domain. @throws AppError NOT_FOUND if they may not see it, FORBIDDEN if `need` exceeds their rights */
export function rightsIn(row: { owner_id: string | null; grants: Grant[] }, caller: Caller, need: Need): Rights {
  const rights = rightsFrom(caller, row.owner_id, row.grants);
  if (!rights) throw notFound("domain");
  if (rights.owns) return rights;
  if (need === "manage")
    throw new AppError("FORBIDDEN", "Only the domain's owner and administrators can do this. Ask one of them.");
  if (need === "write" && rights.changes.isNone)
    throw new AppError(
      "FORBIDDEN",
      "You have read-only access to this domain. Request an assignment with write access.",
    );
  return rights;
}

/** Types that affect every name below their owner: delegation (RFC 1034 §4.2.1) and redirection (RFC 6672 §2.3). */
const takingOver = new Set(["NS", "DNAME"]);

/** Returns why the caller may not write or delete such a record; null if they may. */
export function outsideRights(
  { recordType, name }: Pick<RecordData, "recordType" | "name">,
  { owns, changes }: Rights,
): string | null {
  if (owns || changes.isAll) return null;
  if (!changes.includes(name)) return `Your assignments do not let you change the records of ${name}.`;
  if (!takingOver.has(recordType) || changes.includesTree(name)) return null;
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
    reviewRequired: row.review_required,
    reviewAcme: row.review_acme,
    rights: rightsIn(row, caller, need),
  };
}

/**
 * The SQL that selects the domains visible to a kind of caller. It receives only values, never the caller: all callers with the same
 * visibility share the SQL text, and query texts are cached by this object (`repeated`). A condition that depends on anything else about the
 * caller must be a separate visibility.
 */
export interface Visibility {
  condition(eb: ExpressionBuilder<Tables, "domains">, userId: string): Expression<SqlBool>;
  /** The condition's values, in order. */
  parameters(userId: string): string[];
  /** Whether they may see all hosts of a domain, and so data about the zone as a whole. */
  wholly(userId: string): Expression<SqlBool>;
}

const everyDomain: Visibility = {
  condition: (eb) => eb.lit(true),
  parameters: () => [],
  wholly: () => sql<SqlBool>`true`,
};

const ownDomains: Visibility = {
  condition: (eb, userId) => eb("domains.owner_id", "=", userId),
  parameters: (userId) => [userId],
  wholly: (userId) => sql<SqlBool>`coalesce(domains.owner_id = ${userId}, false)`,
};

const ownAndAssignedDomains: Visibility = {
  // A set of ids, because no index serves "own or assigned".
  condition: (_eb, userId) => sql<SqlBool>`domains.id in (
    select own.id from domains own where own.owner_id = ${userId}
    union all select a.domain_id from assignments a where a.user_id = ${userId}
  )`,
  parameters: (userId) => [userId, userId],
  wholly: (userId) => sql<SqlBool>`(coalesce(domains.owner_id = ${userId}, false) or exists (
    select from assignments a where a.domain_id = domains.id and a.user_id = ${userId} and a.subdomain_pattern = '*'
  ))`,
};

/** Selects the domains visible to a caller, for lists. */
export class VisibleDomains {
  readonly visibility: Visibility;
  readonly #caller: Caller;
  readonly #grants: ReadonlyMap<string, Grant[]>;

  constructor(caller: Caller, grants: ReadonlyMap<string, Grant[]>) {
    this.#caller = caller;
    this.#grants = grants;
    if (caller.role === "admin") this.visibility = everyDomain;
    else this.visibility = grants.size > 0 ? ownAndAssignedDomains : ownDomains;
  }

  get parameters(): string[] {
    return this.visibility.parameters(this.#caller.userId);
  }

  condition(eb: ExpressionBuilder<Tables, "domains">): Expression<SqlBool> {
    return this.visibility.condition(eb, this.#caller.userId);
  }

  /** Returns the SQL condition that the caller may see all hosts of a domain, and so data about the zone as a whole. */
  wholly(): Expression<SqlBool> {
    return this.visibility.wholly(this.#caller.userId);
  }

  /** Wraps a column about the zone as a whole: null unless the caller may see all hosts. */
  ifWhole<Value>(column: RawBuilder<Value>): RawBuilder<Value | null> {
    if (this.visibility === everyDomain) return column;
    return sql<Value | null>`case when ${this.wholly()} then ${column} end`;
  }

  /** Returns the SQL condition that the caller may see a record, whose table has this alias. */
  records(alias: string): RawBuilder<SqlBool> {
    if (this.visibility === everyDomain) return sql<SqlBool>`true`;
    const domain = sql.ref(`${alias}.domain_id`);
    const own = sql<SqlBool>`${domain} in (select own.id from domains own where own.owner_id = ${this.#caller.userId})`;
    if (this.#grants.size === 0) return own;
    const { userId } = this.#caller;
    return sql<SqlBool>`(${domain} in (
      select own.id from domains own where own.owner_id = ${userId}
      union all select a.domain_id from assignments a where a.user_id = ${userId}
    ) and (${own} or exists (
      select from assignments a where a.user_id = ${userId} and a.domain_id = ${domain}
        and ${sql.ref(`${alias}.name`)} like ${storedLikePattern("a.subdomain_pattern")}
    )))`;
  }

  /** Returns the SQL condition that the caller may see every host in a list of a domain that is visible to them. */
  hosts(domain: string, hosts: string): RawBuilder<SqlBool> {
    if (this.visibility === everyDomain) return sql<SqlBool>`true`;
    const { userId } = this.#caller;
    const id = sql.ref(domain);
    return sql<SqlBool>`(${id} in (select own.id from domains own where own.owner_id = ${userId}) or not exists (
      select from unnest(${sql.ref(hosts)}) as host where not exists (
        select from assignments a where a.user_id = ${userId} and a.domain_id = ${id}
          and host like ${storedLikePattern("a.subdomain_pattern")}
      )
    ))`;
  }

  /** Returns the SQL condition that the caller may review changes of some hosts in a domain, if they are not the author. */
  reviews(domain: string): RawBuilder<SqlBool> {
    if (this.visibility === everyDomain) return sql<SqlBool>`true`;
    return sql<SqlBool>`${sql.ref(domain)} in (
      select own.id from domains own where own.owner_id = ${this.#caller.userId}
    )`;
  }

  /** Returns the hosts that the caller may see in a listed domain. */
  seenOf({ id, owner_id: ownerId }: { id: string; owner_id: string | null }): Hosts {
    return rightsFrom(this.#caller, ownerId, this.#grants.get(id) ?? [])?.sees ?? new Hosts([]);
  }
}

/** Reads the caller's assignments up front, so that the list query can use its own order. */
export async function visibleDomains(em: EntityManager, caller: Caller): Promise<VisibleDomains> {
  if (caller.role === "admin") return new VisibleDomains(caller, new Map());
  const rows = await queries(em)
    .selectFrom("assignments")
    .select(["domain_id", "subdomain_pattern as pattern", "access"])
    .where("user_id", "=", caller.userId)
    .execute();
  return new VisibleDomains(
    caller,
    Map.groupBy(rows, ({ domain_id }) => domain_id),
  );
}
