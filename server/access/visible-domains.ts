import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from "kysely";
import { type Caller, type Narrowing, ZoneScope } from "./caller.ts";
import { arrayLiteral, queries, type EntityManager } from "../database/database.ts";
import {
  readsEverything,
  rightsFrom,
  type Grant,
  coveringChanges,
  coveredDomains,
  coversDomain,
  coversRecord,
  isCurrent,
  type Reader,
} from "./zone-access.ts";
import type { Tables } from "../database/tables/all.ts";

/**
 * The SQL that selects the domains visible to a kind of caller. It receives only values, never the caller: all callers with the same
 * visibility share the SQL text, and query texts are cached by this object (`repeated`). A condition that depends on anything else about the
 * caller must be a separate visibility.
 */
export interface Visibility {
  condition(eb: ExpressionBuilder<Tables, "domains">, reader: NarrowedReader, assigned: Assigned): Expression<SqlBool>;
  /** The condition's values, in order. */
  parameters(reader: NarrowedReader, assigned: Assigned): unknown[];
  /** Whether they may see all records of a domain, and so data about the zone as a whole. */
  wholly(reader: NarrowedReader): Expression<SqlBool>;
}

const everyDomain: Visibility = {
  condition: (eb) => eb.lit(true),
  parameters: () => [],
  wholly: () => sql<SqlBool>`true`,
};

const ownDomains: Visibility = {
  condition: (eb, { userId }) => eb("domains.owner_id", "=", userId),
  parameters: ({ userId }) => [userId],
  wholly: ({ userId }) => sql<SqlBool>`coalesce(domains.owner_id = ${userId}, false)`,
};

/** What a user's assignments name, as literals of PostgreSQL's arrays. */
interface Assigned {
  domainIds: string;
  groups: string;
  tags: string;
}

function assignedBy(grants: readonly ListedGrant[]): Assigned {
  const named = (key: "domain_id" | "group_name" | "tag") =>
    arrayLiteral([...new Set(grants.flatMap((grant) => grant[key] ?? []))]);
  return { domainIds: named("domain_id"), groups: named("group_name"), tags: named("tag") };
}

const ownAndAssignedDomains: Visibility = {
  // Values rather than a join with the assignments: an index serves each, and the planner knows how many there are.
  condition: (_eb, { userId }, { domainIds, groups, tags }) => sql<SqlBool>`(
    domains.owner_id = ${userId} or domains.id = any(${domainIds}::uuid[])
    or domains.group_name = any(${groups}::text[]) or domains.tags && ${tags}::text[]
  )`,
  parameters: ({ userId }, { domainIds, groups, tags }) => [userId, domainIds, groups, tags],
  wholly: (reader) => sql<SqlBool>`(coalesce(domains.owner_id = ${reader.userId}, false) or exists (
    select from assignments a where ${isCurrent(reader)} and ${coversDomain("domains")}
      and a.subdomain_pattern = '*' and a.record_types = '{}'
  ))`,
};

/** Whom a narrowing limits, and to what. */
type NarrowedReader = Reader & Pick<Caller, "narrowing">;

/** Returns the visibility of narrowed tokens of users with another one. */
function narrowed(base: Visibility, { byDomain, byRecord }: { byDomain: boolean; byRecord: boolean }): Visibility {
  return {
    condition: (eb, reader, assigned) =>
      byDomain
        ? eb.and([base.condition(eb, reader, assigned), isNamed(sql.ref("domains.id"), reader)])
        : base.condition(eb, reader, assigned),
    parameters: (reader, assigned) => [...base.parameters(reader, assigned), ...(byDomain ? [idsOf(reader)] : [])],
    wholly: (reader) => {
      if (byRecord) return sql<SqlBool>`false`;
      const whole = base.wholly(reader);
      return byDomain ? sql<SqlBool>`(${whole} and ${isNamed(sql.ref("domains.id"), reader)})` : whole;
    },
  };
}

/** Returns the condition that a token is narrowed to a domain, among others. */
function isNamed(id: RawBuilder<unknown>, reader: NarrowedReader): RawBuilder<SqlBool> {
  return sql<SqlBool>`${id} = any(${idsOf(reader)}::uuid[])`;
}

function idsOf({ narrowing }: NarrowedReader): string {
  return `{${narrowing?.domainIds?.join(",") ?? ""}}`;
}

const bases = [everyDomain, ownDomains, ownAndAssignedDomains];

/** One object each, because query texts are cached by it. */
const narrowedVisibilities = new Map(
  bases.map((base) => [
    base,
    [false, true].map((byDomain) => [false, true].map((byRecord) => narrowed(base, { byDomain, byRecord }))),
  ]),
);

function visibilityOf(base: Visibility, narrowing: Narrowing | null): Visibility {
  if (narrowing === null) return base;
  const byDomain = Number(narrowing.domainIds !== null);
  const byRecord = Number(!narrowing.scope.isAll);
  return narrowedVisibilities.get(base)?.[byDomain]?.[byRecord] ?? base;
}

/** Columns with the names and, in the same order, the types of records. */
interface PlaceLists {
  names: string;
  types: string;
}

/** The columns of a place in such lists. */
const listedPlace = { name: sql.ref("place.name"), recordType: sql.ref("place.record_type") };

interface ListedGrant extends Grant {
  domain_id: string | null;
  group_name: string | null;
  tag: string | null;
}

/** Selects the domains visible to a caller, for lists. */
export class VisibleDomains {
  readonly visibility: Visibility;
  readonly #caller: Caller;
  /** The visibility of the user, whatever credential they use. */
  readonly #base: Visibility;
  readonly #byDomain: ReadonlyMap<string | null, ListedGrant[]>;
  /** The grants by group or tag, which are few. */
  readonly #named: readonly ListedGrant[];
  readonly #assigned: Assigned;
  /** What assignments of every record name. */
  readonly #assignedWholly: Assigned;

  constructor(caller: Caller, grants: readonly ListedGrant[]) {
    this.#caller = caller;
    this.#byDomain = Map.groupBy(grants, ({ domain_id }) => domain_id);
    this.#named = this.#byDomain.get(null) ?? [];
    this.#assigned = assignedBy(grants);
    this.#assignedWholly = assignedBy(
      grants.filter(({ pattern, recordTypes }) => pattern === "*" && recordTypes.length === 0),
    );
    if (readsEverything(caller.role)) this.#base = everyDomain;
    else this.#base = grants.length > 0 ? ownAndAssignedDomains : ownDomains;
    this.visibility = visibilityOf(this.#base, caller.narrowing);
  }

  get parameters(): unknown[] {
    return this.visibility.parameters(this.#caller, this.#assigned);
  }

  condition(eb: ExpressionBuilder<Tables, "domains">): Expression<SqlBool> {
    return this.visibility.condition(eb, this.#caller, this.#assigned);
  }

  /** Returns the SQL condition that the caller may see all records of a domain, and so data about the zone as a whole. */
  wholly(): Expression<SqlBool> {
    return this.visibility.wholly(this.#caller);
  }

  /**
   * Returns the SQL condition that the row of a visible domain shows by itself that the caller may see all of its records. Unlike `wholly`, it
   * looks at no assignments, so it costs little for every domain; it may be null in place of false.
   */
  plainlyWholly(): RawBuilder<boolean> {
    const { narrowing, userId } = this.#caller;
    if (narrowing !== null && !narrowing.scope.isAll) return sql<boolean>`false`;
    const { domainIds, groups, tags } = this.#assignedWholly;
    return sql<boolean>`(domains.owner_id = ${userId} or domains.id = any(${domainIds}::uuid[])
      or domains.group_name = any(${groups}::text[]) or domains.tags && ${tags}::text[])`;
  }

  /** Wraps a column about the zone as a whole: null unless the caller may see all records. */
  ifWhole<Value>(column: RawBuilder<Value>): RawBuilder<Value | null> {
    if (this.visibility === everyDomain) return column;
    return sql<Value | null>`case when ${this.wholly()} then ${column} end`;
  }

  /** Returns the SQL condition that the caller may see a record, whose table has this alias. */
  records(alias: string): RawBuilder<SqlBool> {
    const { narrowing } = this.#caller;
    if (narrowing === null) return this.#usersRecords(alias);
    const columns = { name: sql.ref(`${alias}.name`), recordType: sql.ref(`${alias}.record_type`) };
    return sql<SqlBool>`(${this.#usersRecords(alias)} and ${this.#isNamed(`${alias}.domain_id`)} and ${narrowing.scope.condition(columns)})`;
  }

  #usersRecords(alias: string): RawBuilder<SqlBool> {
    if (this.#base === everyDomain) return sql<SqlBool>`true`;
    const domain = sql.ref(`${alias}.domain_id`);
    const ids = sql`select own.id from domains own where own.owner_id = ${this.#caller.userId}`;
    const own = sql<SqlBool>`${domain} in (${ids})`;
    if (this.#base === ownDomains) return own;
    const covers =
      this.#named.length === 0
        ? sql<SqlBool>`a.domain_id = ${domain}`
        : sql<SqlBool>`exists (select from domains covered where covered.id = ${domain} and ${coversDomain("covered")})`;
    return sql<SqlBool>`(${domain} in (${ids} union all ${coveredDomains(this.#caller)}) and (${own} or exists (
      select from assignments a where ${isCurrent(this.#caller)} and ${covers} and ${coversRecord(alias)}
    )))`;
  }

  /** Returns the SQL condition that the caller may see every record in lists of names and types, of a domain that is visible to them. */
  places(domain: string, { names, types }: PlaceLists): RawBuilder<SqlBool> {
    const covered = sql`where ${this.#covering(domain)} and ${coversRecord("place")}`;
    return this.#everyPlace(domain, { names, types }, covered, (scope) => scope.condition(listedPlace));
  }

  /** Returns the SQL condition that the caller may review changes of every record in lists of names and types of a domain. */
  reviews(domain: string, { names, types }: PlaceLists): RawBuilder<SqlBool> {
    if (this.#caller.role === "auditor") return sql<SqlBool>`false`;
    const { spots, covers, kind, all } = coveringChanges("place", "covered");
    const covered = sql`cross join ${spots} where ${this.#covering(domain)} and a.review and ${covers} group by ${kind} having ${all}`;
    return this.#everyPlace(domain, { names, types }, covered, (scope) => scope.changeCondition(listedPlace));
  }

  /** Returns the SQL condition that the caller manages a domain as a whole. */
  owns(domain: string): RawBuilder<SqlBool> {
    const { role, narrowing, userId } = this.#caller;
    if (role === "auditor" || narrowing !== null) return sql<SqlBool>`false`;
    if (role === "admin") return sql<SqlBool>`true`;
    return sql<SqlBool>`${sql.ref(domain)} in (select own.id from domains own where own.owner_id = ${userId})`;
  }

  #everyPlace(
    domain: string,
    lists: PlaceLists,
    covered: RawBuilder<unknown>,
    within: (scope: ZoneScope) => RawBuilder<SqlBool>,
  ): RawBuilder<SqlBool> {
    const users = this.#usersPlaces(domain, lists, covered);
    const { narrowing } = this.#caller;
    if (narrowing === null) return users;
    return sql<SqlBool>`(${users} and ${this.#isNamed(domain)} and not exists (
      select from unnest(${sql.ref(lists.names)}, ${sql.ref(lists.types)}) as place(name, record_type)
      where not ${within(narrowing.scope)}
    ))`;
  }

  /** Returns the condition that the caller's token is not narrowed to other domains than the one in a column. */
  #isNamed(column: string): RawBuilder<SqlBool> {
    if ((this.#caller.narrowing?.domainIds ?? null) === null) return sql<SqlBool>`true`;
    return isNamed(sql.ref(column), this.#caller);
  }

  /** Returns the condition that an assignment `a` of the user covers a domain, as `covered`. */
  #covering(domain: string): RawBuilder<SqlBool> {
    return sql<SqlBool>`covered.id = ${sql.ref(domain)} and ${isCurrent(this.#caller)}`;
  }

  #usersPlaces(domain: string, { names, types }: PlaceLists, covered: RawBuilder<unknown>): RawBuilder<SqlBool> {
    if (this.#base === everyDomain) return sql<SqlBool>`true`;
    const id = sql.ref(domain);
    return sql<SqlBool>`(${id} in (select own.id from domains own where own.owner_id = ${this.#caller.userId}) or not exists (
      select from unnest(${sql.ref(names)}, ${sql.ref(types)}) as place(name, record_type) where not exists (
        select from domains covered join assignments a on ${coversDomain("covered")} ${covered}
      )
    ))`;
  }

  /** Returns the records that the caller may see in a listed domain. */
  seenOf(row: { id: string; owner_id: string | null; group_name: string | null; tags: readonly string[] }): ZoneScope {
    const named = this.#named.filter(
      ({ group_name: group, tag }) =>
        (group !== null && group === row.group_name) || (tag !== null && row.tags.includes(tag)),
    );
    const grants = [...(this.#byDomain.get(row.id) ?? []), ...named];
    const accessed = { accessed_id: row.id, owner_id: row.owner_id, protect_mail: false, grants };
    const rights = rightsFrom(this.#caller, accessed);
    return rights?.sees ?? ZoneScope.none;
  }
}

/** Reads the caller's assignments up front, so that the list query can use its own order. */
export async function visibleDomains(em: EntityManager, caller: Caller): Promise<VisibleDomains> {
  if (readsEverything(caller.role)) return new VisibleDomains(caller, []);
  const grants = await queries(em)
    .selectFrom("assignments as a")
    .select(["domain_id", "group_name", "tag", "subdomain_pattern as pattern", "record_types as recordTypes"])
    .select(["access", "review"])
    .where(isCurrent(caller))
    .execute();
  return new VisibleDomains(caller, grants);
}
