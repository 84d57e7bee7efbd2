import type { Permission } from "./permissions.ts";
import type { Role } from "../database/tables/users.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import { matchesHost } from "../dns/names/names.ts";
import { likePattern } from "./host-pattern.ts";

/** A credential that is limited to some records, as messages name it. */
export type NarrowedCredential = "token" | "key";

/** What a narrowed personal token or a TSIG key is limited to, within its owner's rights. */
export interface Narrowing {
  credential: NarrowedCredential;
  /** Null: every domain. */
  domainIds: readonly string[] | null;
  /** The records, in each of those domains. */
  scope: ZoneScope;
}

/** The columns of `personal_tokens` that narrow a token. Null: not narrowed by that. */
interface NarrowingRow {
  domain_ids: string[] | null;
  /** Canonical, see `host-pattern.ts`. */
  host_pattern: string | null;
  record_types: string[] | null;
}

/** Permissions that a narrowed token may have: those whose calls access nothing but records of domains. */
export const narrowablePermissions = [
  "domains:read",
  "records:read",
  "records:write",
  "snapshots:read",
  "requests:read",
  "requests:write",
] as const satisfies readonly Permission[];

/** Returns what a token is narrowed to; null if it is not narrowed. */
export function narrowingOf(row: NarrowingRow): Narrowing | null {
  const { domain_ids: domainIds, host_pattern: pattern, record_types: recordTypes } = row;
  if (domainIds === null && pattern === null && recordTypes === null) return null;
  return {
    credential: "token",
    domainIds,
    scope: new ZoneScope([{ pattern: pattern ?? "*", recordTypes: recordTypes ?? [] }]),
  };
}

/** Who performed an action and in which call, as recorded in the audit trail. */
export interface Actor {
  /** Null for an anonymous caller and for the service itself. */
  userId: string | null;
  /** The personal token used; null for a session. */
  tokenId: string | null;
  /** The name of the TSIG key used; absent for calls over HTTP and for the service itself. */
  tsigKey?: string | undefined;
  /** The client's IP address, as determined by TRUST_PROXY. */
  ip: string | null;
  /** The address for which a proxy that TRUST_PROXY does not name seems to call. Unproven: it only tells anonymous callers apart in limits. */
  claimedIp?: string | null;
  requestId: string | null;
}

/** Returns the actor for an anonymous caller. */
export function visitor(
  { ip, claimedIp = null }: { ip: string | null; claimedIp?: string | null },
  requestId: string,
): Actor {
  return { userId: null, tokenId: null, ip, claimedIp, requestId };
}

/** The service itself, for jobs and repairs. */
export const theService: Actor = { userId: null, tokenId: null, ip: null, requestId: null };

/** An authenticated caller. */
export interface Caller extends Actor {
  userId: string;
  username: string;
  role: Role;
  /** The session behind an access token; null for a personal token. */
  sessionId: string | null;
  permissions: "all" | ReadonlySet<Permission>;
  /** The domains and records that a narrowed personal token is limited to; null: all that its owner may access. */
  narrowing: Narrowing | null;
  /** The time of the call, at which their rights are judged. */
  at: Date;
}

/** Returns whether the caller has the permission. Sessions have all. */
export function hasPermission({ permissions }: Pick<Caller, "permissions">, permission: Permission): boolean {
  return permissions === "all" || permissions.has(permission);
}

/** Returns the refusal of a caller who is not, or no longer, an administrator. @param text for the log */
export function onlyAdministrators(userId: string, text: string, fields: Record<string, string> = {}): AppError {
  return new AppError("FORBIDDEN", "Only administrators can do this. Ask an administrator.", {
    note: { text, userId, ...fields },
  });
}

/** A sign-in with a correct first factor and a pending second one. A `tempToken` proves only that. */
export interface PendingSignIn {
  challengeId: string;
  userId: string;
  rememberMe: boolean;
}

/** Returns a caller with every right, for work whose rights were checked when it was asked for. */
export function trustedCaller(actor: Actor & { userId: string; at: Date }): Caller {
  return { ...actor, username: "", role: "admin", sessionId: null, permissions: "all", narrowing: null };
}

/**
 * Returns the caller behind work that goes on after their call, with the rights that they have now. Null if the user was deleted or
 * disabled, or if the personal token that started the work was deleted, has expired or lacks the permission. A session may end meanwhile.
 */
export async function presentCaller(
  em: EntityManager,
  actor: Actor,
  permission: Permission,
  now: Date,
): Promise<Caller | null> {
  const row = await queries(em)
    .selectFrom("users")
    .leftJoin("personal_tokens as token", (join) =>
      join.onRef("token.user_id", "=", "users.id").on("token.id", "=", actor.tokenId),
    )
    .select(["users.id", "users.username", "users.role", "token.permissions", "token.expires_at"])
    .select(["token.domain_ids", "token.host_pattern", "token.record_types"])
    .where("users.id", "=", actor.userId)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
  if (!row) return null;
  const caller = { ...actor, userId: row.id, username: row.username, role: row.role, sessionId: null, at: now };
  if (actor.tokenId === null) return { ...caller, permissions: "all", narrowing: null };
  const isValid = row.permissions?.includes(permission) === true && (!row.expires_at || row.expires_at > now);
  const limited = {
    permissions: new Set(row.permissions as Permission[]),
    narrowing: narrowingOf(row),
  };
  return isValid ? { ...caller, ...limited } : null;
}

/** Some records of a zone: those whose host matches a pattern and whose type is listed. */
export interface ScopeRule {
  /** Canonical, see `host-pattern.ts`. */
  pattern: string;
  /** Empty: all types. */
  recordTypes: readonly string[];
}

interface Place {
  name: string;
  recordType: string;
}

/** The columns that hold a record's host and type. */
interface PlaceColumns {
  name: RawBuilder<unknown>;
  recordType: RawBuilder<unknown>;
}

const recordColumns: PlaceColumns = { name: sql.ref("name"), recordType: sql.ref("record_type") };

/** Types that affect every name below their owner: delegation (RFC 1034 §4.2.1) and redirection (RFC 6672 §2.3). */
export const takingOver: ReadonlySet<string> = new Set(["NS", "DNAME"]);

/** A set of records of a zone, by host and type: those that at least one of its rules covers, within another set if there is one. */
export class ZoneScope {
  static readonly all = new ZoneScope([{ pattern: "*", recordTypes: [] }]);
  static readonly none = new ZoneScope([]);

  /** The set that this one is limited to; null: not limited. */
  readonly limit: ZoneScope | null;

  /** Minimal: no rule covers another. */
  readonly #rules: readonly ScopeRule[];
  readonly #given: readonly ScopeRule[];
  /** The rules given, for types that a broader rule does not name. */
  readonly #named: readonly ScopeRule[];

  constructor(rules: readonly ScopeRule[], limit: ZoneScope | null = null) {
    this.limit = limit;
    const broadest: ScopeRule[] = [];
    for (const rule of rules) {
      if (broadest.some((other) => covers(other, rule))) continue;
      broadest.splice(0, broadest.length, ...broadest.filter((other) => !covers(rule, other)), rule);
    }
    this.#rules = broadest;
    this.#given = rules;
    this.#named = rules.filter(({ recordTypes }) => recordTypes.length > 0);
  }

  /** Returns the records of both sets. `names` still asks this set alone. */
  within(limit: ZoneScope): ZoneScope {
    return new ZoneScope(this.#given, this.limit === null ? limit : limit.within(this.limit));
  }

  /** Whether it is the whole zone. */
  get isAll(): boolean {
    const [first] = this.#rules;
    return first?.pattern === "*" && first.recordTypes.length === 0 && this.limit?.isAll !== false;
  }

  /** Whether it has no rules. A set with rules may still include no record of a zone. */
  get isNone(): boolean {
    return this.#rules.length === 0 || this.limit?.isNone === true;
  }

  includes({ name, recordType }: Place): boolean {
    return (
      this.#rules.some((rule) => hasType(rule, recordType) && matchesHost(rule.pattern, name)) &&
      this.limit?.includes({ name, recordType }) !== false
    );
  }

  /** Returns whether it includes records of at least one of some types at a host. */
  includesSomeAt(host: string, types: readonly string[] = []): boolean {
    return this.#rules.some(({ pattern, recordTypes }) => {
      if (!matchesHost(pattern, host)) return false;
      const both = commonTypes(types, recordTypes);
      return both !== null && this.limit?.includesSomeAt(host, both) !== false;
    });
  }

  /** Returns whether it includes records of every type at a host. */
  includesAllAt(host: string): boolean {
    return (
      this.#rules.some(({ pattern, recordTypes }) => recordTypes.length === 0 && matchesHost(pattern, host)) &&
      this.limit?.includesAllAt(host) !== false
    );
  }

  /**
   * Returns whether it includes records of every type at a host and at every host below it. Only a `*` in a pattern matches a `*` in a host,
   * so a set that includes `*.dev` includes everything below `dev`.
   */
  includesTree(host: string): boolean {
    return host === "@" ? this.isAll : this.includesAllAt(host) && this.includesAllAt(`*.${host}`);
  }

  /** Returns whether a rule that lists the record's type covers it. */
  names({ name, recordType }: Place): boolean {
    return this.#named.some((rule) => rule.recordTypes.includes(recordType) && matchesHost(rule.pattern, name));
  }

  /**
   * Returns whether it covers a record that takes over every name below its owner: all records there, or all of that type by rules that list
   * it.
   */
  coversBelow({ name, recordType }: Place): boolean {
    const below = name === "@" ? "*" : `*.${name}`;
    const named = this.names({ name, recordType }) && this.names({ name: below, recordType });
    const alone = this.limit === null ? this : new ZoneScope(this.#given);
    return (named || alone.includesTree(name)) && this.limit?.coversBelow({ name, recordType }) !== false;
  }

  /** Returns the set as an SQL condition on the columns of records, or on other expressions for their host and type. */
  condition(columns: PlaceColumns = recordColumns): RawBuilder<SqlBool> {
    if (this.isAll) return sql<SqlBool>`true`;
    const { name, recordType } = columns;
    const own = anyOf(
      this.#rules.map((rule) => {
        const host = matching(name, rule.pattern);
        if (rule.recordTypes.length === 0) return host;
        return sql`(${host} and ${recordType} in (${sql.join(rule.recordTypes)}))`;
      }),
    );
    return this.limit === null ? own : sql<SqlBool>`(${own} and ${this.limit.condition(columns)})`;
  }

  /** Returns the SQL condition that it covers changes of a record, and so everything below a record that takes that over. */
  changeCondition({ name, recordType }: PlaceColumns): RawBuilder<SqlBool> {
    if (this.isAll) return sql<SqlBool>`true`;
    const below = sql`case ${name} when '@' then '*' else '*.' || ${name} end`;
    const types = sql.join([...takingOver]);
    return sql<SqlBool>`(${this.condition({ name, recordType })} and (
      ${recordType} not in (${types}) or (${recordType} = 'NS' and ${name} = '@') or ${this.condition({ name: sql`(${below})`, recordType })}
    ))`;
  }

  /** Returns the SQL condition that it includes records of every type at the host in a column. */
  allAtCondition(host: RawBuilder<unknown>): RawBuilder<SqlBool> {
    if (this.isAll) return sql<SqlBool>`true`;
    const whole = this.#rules.filter(({ recordTypes }) => recordTypes.length === 0);
    const own = anyOf(whole.map(({ pattern }) => matching(host, pattern)));
    return this.limit === null ? own : sql<SqlBool>`(${own} and ${this.limit.allAtCondition(host)})`;
  }
}

/** Returns the types in both lists, where an empty list means every type. Null: none in common. */
function commonTypes(some: readonly string[], others: readonly string[]): readonly string[] | null {
  if (some.length === 0) return others;
  if (others.length === 0) return some;
  const both = some.filter((type) => others.includes(type));
  return both.length > 0 ? both : null;
}

function covers(broad: ScopeRule, narrow: ScopeRule): boolean {
  const hasTypes =
    broad.recordTypes.length === 0 ||
    (narrow.recordTypes.length > 0 && narrow.recordTypes.every((type) => broad.recordTypes.includes(type)));
  return hasTypes && matchesHost(broad.pattern, narrow.pattern);
}

function hasType({ recordTypes }: ScopeRule, recordType: string): boolean {
  return recordTypes.length === 0 || recordTypes.includes(recordType);
}

function matching(host: RawBuilder<unknown>, pattern: string): RawBuilder<SqlBool> {
  return pattern.includes("*")
    ? sql<SqlBool>`${host} like ${likePattern(pattern)}`
    : sql<SqlBool>`${host} = ${pattern}`;
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}
