import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from "kysely";
import type { Caller } from "./caller.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Tables } from "../database/tables/all.ts";
import { AppError, notFound } from "../platform/errors.ts";
import type { AssignmentAccess } from "../database/tables/assignments.ts";
import { Hosts } from "./hosts.ts";

/*
 * Who may see and change which zone: the one place where that is decided. Administrators reach everything, members the domains that they
 * own, and of those assigned to them the hosts that their assignments name. What a caller may not see does not exist for them.
 */

/** What a caller may do in a zone. */
export interface Rights {
  /** Whether the zone as a whole is theirs to decide on: an administrator, or its owner. */
  owns: boolean;
  /** The hosts whose records they see. */
  sees: Hosts;
  /** The hosts whose records they may change. */
  changes: Hosts;
}

/** What a call is for: to look, to change records, or to decide on the zone as a whole. */
export type Need = "read" | "write" | "manage";

/** An assignment, as far as rights follow from it. */
interface Grant {
  pattern: string;
  access: AssignmentAccess;
}

const everything: Rights = { owns: true, sees: Hosts.all, changes: Hosts.all };

/** Several assignments add up. Null: not even to be seen. */
function rightsFrom(caller: Caller, ownerId: string | null, grants: readonly Grant[]): Rights | null {
  if (caller.role === "admin" || ownerId === caller.userId) return everything;
  if (grants.length === 0) return null;
  const writing = grants.filter(({ access }) => access === "write");
  return {
    owns: false,
    sees: new Hosts(grants.map(({ pattern }) => pattern)),
    changes: new Hosts(writing.map(({ pattern }) => pattern)),
  };
}

/** Columns of a query on `domains` from which `rightsIn` tells what the caller may do. */
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

/** @throws AppError NOT_FOUND when the caller may not see the domain, FORBIDDEN when they may and it takes more */
export function rightsIn(row: { owner_id: string | null; grants: Grant[] }, caller: Caller, need: Need): Rights {
  const rights = rightsFrom(caller, row.owner_id, row.grants);
  if (!rights) throw notFound("domain");
  if (need === "manage" && !rights.owns)
    throw new AppError("FORBIDDEN", "Only the domain's owner and administrators may do this.");
  if (need === "write" && rights.changes.isNone)
    throw new AppError(
      "FORBIDDEN",
      "You may look at this domain and not change it; ask for an assignment that lets you write.",
    );
  return rights;
}

/** A zone that the caller may reach, with what reads and changes need of it. */
export interface Zone {
  id: string;
  name: string;
  revision: number;
  recordCount: number;
  /** Whether the provider signs the zone, and how many records it maintains for that. */
  signed: boolean;
  serverManagedCount: number;
  providerConfigId: string;
  rights: Rights;
}

/** @throws AppError NOT_FOUND when there is no such domain or the caller may not see it, FORBIDDEN when they may not do more */
export async function zoneFor(em: EntityManager, caller: Caller, domainId: string, need: Need): Promise<Zone> {
  const row = await queries(em)
    .selectFrom("domains")
    .select(["id", "name", "revision", "record_count", "provider_signed", "server_managed_count", "provider_config_id"])
    .select(accessColumns(caller))
    .where("id", "=", domainId)
    .executeTakeFirst();
  if (!row) throw notFound("domain");
  return {
    id: row.id,
    name: row.name,
    revision: row.revision,
    recordCount: row.record_count,
    signed: row.provider_signed,
    serverManagedCount: row.server_managed_count,
    providerConfigId: row.provider_config_id,
    rights: rightsIn(row, caller, need),
  };
}

/**
 * Which domains of a list some callers see, as SQL. It gets values and never the caller: two callers with the same one have the same SQL, and
 * texts of queries are kept by it (`repeated`). A condition that depends on anything else of the caller is another one of these.
 */
export interface Visibility {
  condition(eb: ExpressionBuilder<Tables, "domains">, userId: string): Expression<SqlBool>;
  /** The values of the condition, in its order. */
  parameters(userId: string): string[];
  /** Whether they see all hosts of such a domain: what is about the zone as a whole is for these. */
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
  // One set of ids, and not "own or assigned", for which no index serves.
  condition: (_eb, userId) => sql<SqlBool>`domains.id in (
    select own.id from domains own where own.owner_id = ${userId}
    union all select a.domain_id from assignments a where a.user_id = ${userId}
  )`,
  parameters: (userId) => [userId, userId],
  wholly: (userId) => sql<SqlBool>`(coalesce(domains.owner_id = ${userId}, false) or exists (
    select from assignments a where a.domain_id = domains.id and a.user_id = ${userId} and a.subdomain_pattern = '*'
  ))`,
};

/** The domains that a caller may see, for lists. */
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

  /** Whether the caller sees all hosts of a domain, in SQL: what is about the zone as a whole is for these. */
  wholly(): Expression<SqlBool> {
    return this.visibility.wholly(this.#caller.userId);
  }

  /** A column of `domains` that is about the zone as a whole; null where the caller does not see all of it. */
  ifWhole<Value>(column: RawBuilder<Value>): RawBuilder<Value | null> {
    if (this.visibility === everyDomain) return column;
    return sql<Value | null>`case when ${this.wholly()} then ${column} end`;
  }

  /** The hosts that the caller sees of a domain of the list. */
  seenOf({ id, owner_id: ownerId }: { id: string; owner_id: string | null }): Hosts {
    return rightsFrom(this.#caller, ownerId, this.#grants.get(id) ?? [])?.sees ?? new Hosts([]);
  }
}

/** Reads the caller's assignments once, so that the list can be read in its own order. */
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
